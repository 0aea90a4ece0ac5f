// Queries of examples whose texts are embedded in a one-file report. The server answers the same from Parquet.

import type { ExamplePage, ExampleQuery, ExampleShown } from "./types";

type EmbeddedExamples = Omit<ExamplePage, "matching" | "offset">;

export function scoreOf(example: ExampleShown, system: string, metric: string): number | null {
  return example.outputs.find((output) => output.system === system)?.scores[metric] ?? null;
}

/** Return what examples are filtered and ordered by: one system's score, or the difference of two. */
export function measure(example: ExampleShown, query: ExampleQuery): number | null {
  if (!query.metric || !query.system) return null;
  const own = scoreOf(example, query.system, query.metric);
  if (!query.against) return own;
  const other = scoreOf(example, query.against, query.metric);
  return own === null || other === null ? null : own - other;
}

function fits(example: ExampleShown, query: ExampleQuery): boolean {
  if (query.id !== undefined && query.id !== "" && example.id !== query.id) return false;
  for (const condition of query.where ?? []) {
    const cut = condition.indexOf("=");
    const key = condition.slice(0, cut);
    const plain: Record<string, string | null> = {
      language: example.language,
      split: example.split,
      parent: example.parent,
    };
    if ((plain[key] ?? example.tags[key] ?? "(none)") !== condition.slice(cut + 1)) return false;
  }
  if (query.text) {
    const wanted = query.text.toLowerCase();
    const texts = [
      example.id,
      example.source,
      ...example.references,
      ...example.outputs.map((output) => output.text),
      ...moreTexts(example),
    ];
    if (!texts.some((text) => text?.toLowerCase().includes(wanted))) return false;
  }
  const value = measure(example, query);
  if (query.low !== undefined && !(value !== null && value >= query.low)) return false;
  return !(query.high !== undefined && !(value !== null && value <= query.high));
}

export function search(page: EmbeddedExamples, query: ExampleQuery): ExamplePage {
  let matches = page.examples.filter((example) => fits(example, query));
  const sign = query.order === "down" || query.order === "size" ? -1 : 1;
  if (query.order && query.metric && query.system) {
    const key = (example: ExampleShown) => {
      const value = measure(example, query);
      return value !== null && query.order === "size" ? Math.abs(value) : value;
    };
    matches = matches
      .map((example, place) => ({ example, place, value: key(example) }))
      .sort((x, y) => {
        if (x.value === null || y.value === null)
          return Number(x.value === null) - Number(y.value === null) || x.place - y.place;
        return sign * (x.value - y.value) || x.place - y.place;
      })
      .map((one) => one.example);
  }
  const offset = query.offset ?? 0;
  return { ...page, matching: matches.length, offset, examples: matches.slice(offset, offset + (query.limit ?? 20)) };
}

/** Return the texts of a chat, of contexts and of the expected answer, as the server searches them. */
function moreTexts({ more }: ExampleShown): string[] {
  if (!more) return [];
  const { messages = [], contexts = [], expected = null } = more;
  return [
    ...messages.flatMap(({ text, calls = [] }) => [text, ...calls]),
    ...contexts.map(({ text }) => text),
    ...(expected === null ? [] : [typeof expected === "string" ? expected : JSON.stringify(expected)]),
  ];
}
