// Where the pages get what they show: from the server that sent them, or from the file they stand in.

import { search } from "./search";
import type {
  Card,
  ComparisonPage,
  DialoguePage,
  DialogueSet,
  Embedded,
  ExamplePage,
  ExampleQuery,
  OverviewPage,
  ParentsPage,
  PeoplePage,
  TablePage,
} from "./types";

export interface Data {
  readonly served: boolean;
  overview(): Promise<OverviewPage>;
  compare(dataset: string, a: string, b: string): Promise<ComparisonPage>;
  parents(dataset: string): Promise<ParentsPage>;
  table(dataset: string): Promise<TablePage>;
  examples(query: ExampleQuery): Promise<ExamplePage>;
  people(dataset: string, criterion: string): Promise<PeoplePage>;
  dialogues(name: string): Promise<DialogueSet>;
  dialogue(name: string, id: string): Promise<DialoguePage>;
  cards(): Promise<Card[]>;
}

function inFile(all: Embedded): Data {
  const missing = (what: string) =>
    Promise.reject(new Error(`${what} is not in this file; open the results with assay view`));
  return {
    served: false,
    overview: () => Promise.resolve(all.overview),
    compare(dataset, a, b) {
      for (const found of all.comparisons) {
        if (found.dataset !== dataset) continue;
        if (found.a === a && found.b === b) return Promise.resolve(found);
        if (found.a === b && found.b === a) return Promise.resolve(turned(found));
      }
      return missing(`The comparison of ${a} and ${b} on ${dataset}`);
    },
    parents(dataset) {
      return Promise.resolve(all.parents.find((one) => one.dataset === dataset) ?? { dataset, comparisons: [] });
    },
    table(dataset) {
      const found = all.tables.find((one) => one.dataset === dataset);
      return found ? Promise.resolve(found) : missing(`The table of ${dataset}`);
    },
    examples(query) {
      const held = all.examples[query.dataset];
      return held ? Promise.resolve(search(held, query)) : missing(`The texts of ${query.dataset}`);
    },
    people(dataset, criterion) {
      const of = all.people.filter((one) => one.dataset === dataset);
      const found = of.find((one) => one.criterion === criterion) ?? of[0];
      return found ? Promise.resolve(found) : missing(`What people said about ${dataset}`);
    },
    dialogues(name) {
      const found = all.dialogue_sets.find((one) => one.name === name);
      return found ? Promise.resolve(found) : missing(`The list of ${name}`);
    },
    dialogue(name, id) {
      const found = all.dialogues.find((one) => one.name === name && one.id === id);
      return found ? Promise.resolve(found) : missing(`Dialogue ${id} of ${name}`);
    },
    cards: () => Promise.resolve(all.cards),
  };
}

/** The same comparison read from the other side. */
function turned(found: ComparisonPage): ComparisonPage {
  const minus = (value: number | null) => (value === null ? null : -value);
  const metrics = Object.fromEntries(
    Object.entries(found.metrics).map(([name, row]) => [
      name,
      { ...row, a: row.b, b: row.a, difference: minus(row.difference), low: minus(row.high), high: minus(row.low) },
    ]),
  );
  return { ...found, a: found.b, b: found.a, metrics };
}

async function get<T>(path: string, query: Record<string, unknown> = {}): Promise<T> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") parameters.append(name, String(one));
    }
  }
  const answer = await fetch(`api/${path}?${parameters.toString()}`);
  const body: unknown = await answer.json();
  if (!answer.ok) throw new Error((body as { error?: string }).error ?? `the server answered ${answer.status}`);
  return body as T;
}

function fromServer(): Data {
  return {
    served: true,
    overview: () => get("overview"),
    compare: (dataset, a, b) => get("compare", { dataset, a, b }),
    parents: (dataset) => get("parents", { dataset }),
    table: (dataset) => get("table", { dataset }),
    examples: (query) => get("examples", { ...query }),
    people: (dataset, criterion) => get("people", { dataset, criterion }),
    dialogues: (name) => get("dialogues", { name }),
    dialogue: (name, id) => get("dialogue", { name, id }),
    cards: () => get("cards"),
  };
}

export function open(): Data {
  const held = document.getElementById("data");
  return held ? inFile(JSON.parse(held.textContent ?? "") as Embedded) : fromServer();
}
