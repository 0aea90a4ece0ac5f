// The source of what the pages show: the server, or the one-file report that contains them.

import { search } from "./search";
import type {
  Card,
  ComparisonPage,
  DialoguePage,
  DialogueSet,
  DifferencePage,
  Embedded,
  ExamplePage,
  ExampleQuery,
  OverviewPage,
  ParentsPage,
  HumanPage,
  SubsetPage,
  TablePage,
} from "./types";

export interface Data {
  readonly served: boolean;
  overview(): Promise<OverviewPage>;
  compare(dataset: string, a: string, b: string): Promise<ComparisonPage>;
  parents(dataset: string): Promise<ParentsPage>;
  table(dataset: string): Promise<TablePage>;
  examples(query: ExampleQuery): Promise<ExamplePage>;
  differences(dataset: string, metric: string, a: string, b: string): Promise<DifferencePage>;
  subsets(dataset: string, a: string, b: string): Promise<SubsetPage>;
  correlation(dataset: string, criterion: string): Promise<HumanPage>;
  dialogues(name: string): Promise<DialogueSet>;
  dialogue(name: string, id: string): Promise<DialoguePage>;
  cards(): Promise<Card[]>;
}

/** Return the data of a one-file report, which are decompressed while the frame of the page is drawn. */
function inFile(unpacked: Promise<Embedded>): Data {
  const missing = (what: string) => new Error(`${what} is not in this file. Open the results with assay view.`);
  const one = async <T>(what: string, find: (all: Embedded) => T | undefined): Promise<T> => {
    const found = find(await unpacked);
    if (found === undefined) throw missing(what);
    return found;
  };
  return {
    served: false,
    overview: () => unpacked.then((all) => all.overview),
    compare: (dataset, a, b) =>
      one(`The comparison of ${a} and ${b} on ${dataset}`, ({ comparisons }) => {
        const [page, turned] = eitherWay(comparisons, dataset, a, b);
        return page && turned ? reversed(page) : page;
      }),
    parents: (dataset) =>
      unpacked.then((all) => all.parents.find((page) => page.dataset === dataset) ?? { dataset, comparisons: [] }),
    table: (dataset) => one(`The table of ${dataset}`, (all) => all.tables.find((page) => page.dataset === dataset)),
    examples: (query) =>
      one(`The texts of ${query.dataset}`, (all) => {
        const examples = all.examples[query.dataset];
        return examples && search(examples, query);
      }),
    differences: (dataset, metric, a, b) =>
      one(`The histogram of ${a} and ${b} by ${metric}`, (all) => {
        const pages = all.differences.filter((page) => page.metric === metric);
        const [page, turned] = eitherWay(pages, dataset, a, b);
        return page && turned ? mirrored(page) : page;
      }),
    subsets: (dataset, a, b) =>
      unpacked.then((all) => {
        const [page, turned] = eitherWay(all.subsets, dataset, a, b);
        return page ? (turned ? negated(page) : page) : { dataset, a, b, subsets: {} };
      }),
    correlation: (dataset, criterion) =>
      one(`Human correlation on ${dataset}`, (all) => {
        const pages = all.correlations.filter((page) => page.dataset === dataset);
        return pages.find((page) => page.criterion === criterion) ?? pages[0];
      }),
    dialogues: (name) => one(`The list of ${name}`, (all) => all.dialogue_sets.find((set) => set.name === name)),
    dialogue: (name, id) =>
      one(`Dialogue ${id} of ${name}`, (all) => all.dialogues.find((page) => page.name === name && page.id === id)),
    cards: () => unpacked.then((all) => all.cards),
  };
}

/** Return the page of two systems, and whether it has them in the other order. */
function eitherWay<T extends { dataset: string; a: string; b: string }>(
  pages: T[],
  dataset: string,
  a: string,
  b: string,
): [T | undefined, boolean] {
  const on = pages.filter((page) => page.dataset === dataset);
  const page = on.find((each) => each.a === a && each.b === b);
  return page ? [page, false] : [on.find((each) => each.a === b && each.b === a), true];
}

/** Return the same histogram with a and b exchanged. */
function mirrored(page: DifferencePage): DifferencePage {
  const { a, b, a_higher, b_higher } = page;
  return { ...page, a: b, b: a, a_higher: b_higher, b_higher: a_higher, counts: [...page.counts].reverse() };
}

/** Return the same intervals with a and b exchanged. */
function negated(page: SubsetPage): SubsetPage {
  const turn = (rows: Record<string, [number, number]>) =>
    Object.fromEntries(Object.entries(rows).map(([name, [low, high]]) => [name, [-high, -low] as [number, number]]));
  const subsets = Object.fromEntries(Object.entries(page.subsets).map(([name, rows]) => [name, turn(rows)]));
  return { ...page, a: page.b, b: page.a, subsets };
}

/** Return the same comparison with a and b exchanged. */
function reversed(comparison: ComparisonPage): ComparisonPage {
  const negated = (value: number | null) => (value === null ? null : -value);
  const metrics = Object.fromEntries(
    Object.entries(comparison.metrics).map(([name, row]) => [
      name,
      {
        ...row,
        a: row.b,
        b: row.a,
        better: row.better && (row.better === "a" ? ("b" as const) : ("a" as const)),
        difference: negated(row.difference),
        low: negated(row.high),
        high: negated(row.low),
      },
    ]),
  );
  return { ...comparison, a: comparison.b, b: comparison.a, metrics };
}

const ANSWERS = 80; // answers that are kept: going back, or changing one control, asks for nothing twice
const answers = new Map<string, Promise<unknown>>();

function get<T>(path: string, query: Record<string, unknown> = {}): Promise<T> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") parameters.append(name, String(one));
    }
  }
  const address = `api/${path}?${parameters.toString()}`;
  const kept = answers.get(address) ?? fetched(address);
  answers.delete(address);
  answers.set(address, kept);
  for (const old of [...answers.keys()].slice(0, -ANSWERS)) answers.delete(old);
  return kept as Promise<T>;
}

async function fetched(address: string): Promise<unknown> {
  try {
    const answer = await fetch(address);
    const body: unknown = await answer.json();
    if (!answer.ok)
      throw new Error((body as { error?: string }).error ?? `The server answered with status ${answer.status}.`);
    return body;
  } catch (error) {
    answers.delete(address); // a failure is tried again
    throw error;
  }
}

function fromServer(): Data {
  return {
    served: true,
    overview: () => get("overview"),
    compare: (dataset, a, b) => get("compare", { dataset, a, b }),
    parents: (dataset) => get("parents", { dataset }),
    table: (dataset) => get("table", { dataset }),
    examples: (query) => get("examples", { ...query }),
    differences: (dataset, metric, a, b) => get("differences", { dataset, metric, a, b }),
    subsets: (dataset, a, b) => get("subsets", { dataset, a, b }),
    correlation: (dataset, criterion) => get("correlation", { dataset, criterion }),
    dialogues: (name) => get("dialogues", { name }),
    dialogue: (name, id) => get("dialogue", { name, id }),
    cards: () => get("cards"),
  };
}

/** Return the data that a one-file report contains compressed. */
async function unpack(packed: string): Promise<Embedded> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(plain).json()) as Embedded;
}

export function open(): Data {
  const embedded = document.getElementById("data");
  return embedded ? inFile(unpack((embedded.textContent ?? "").trim())) : fromServer();
}
