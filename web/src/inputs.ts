// Inputs by kind: slots as a list, triples and tables as tables, a dialog as turns, a document as text.

import { type Attributes, type Child, h } from "./dom";
import type { ChatTurn, ExampleShown, Passage } from "./types";

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

const LONG = 700; // letters of a text that scrolls, so that what follows it stays in sight

/** Return a text, whose number of letters is known, as a paragraph; a long one scrolls, also by keyboard. */
export function textBlock(letters: number, attributes: Attributes, ...children: Child[]): HTMLElement {
  const long = letters > LONG ? { class: "text long", tabindex: 0, role: "group", "aria-label": "Text" } : {};
  return h("p", { class: "text", ...attributes, ...long }, ...children);
}

/** Return a cell, which may break after an underscore: names of knowledge bases have no spaces. */
function broken(text: string): Child[] {
  return text.split(/(?<=_)/).flatMap((part, i) => (i ? [h("wbr"), part] : [part]));
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function grid(
  headings: string[],
  rows: unknown[][],
  marked: (row: number, column: number) => boolean = () => false,
): HTMLElement {
  const body = rows.map((row, r) =>
    h(
      "tr",
      {},
      ...row.map((cell, c) =>
        h(
          "td",
          { class: marked(r, c) ? "marked" : null },
          ...(marked(r, c) ? [h("mark", {}, ...broken(plain(cell)))] : broken(plain(cell))),
        ),
      ),
    ),
  );
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "input" },
    h(
      "table",
      { class: "input" },
      headings.length ? h("thead", {}, h("tr", {}, ...headings.map((name) => h("th", { scope: "col" }, name)))) : null,
      h("tbody", {}, ...body),
    ),
  );
}

function pairs(fields: Fields): HTMLElement {
  const list = h("dl", { class: "pairs" });
  for (const [key, value] of Object.entries(fields)) {
    list.append(
      h("dt", {}, key),
      h("dd", {}, isFields(value) ? pairs(value) : Array.isArray(value) ? value.map(plain).join("; ") : plain(value)),
    );
  }
  return list;
}

/** Return slots in their order, some without a value, with their dialogue act. */
function slots(fields: Fields): HTMLElement {
  const rows = asList(fields["slots"]).map((pair) => asList(pair).map((cell) => cell ?? ""));
  return h(
    "div",
    {},
    fields["act"] ? h("p", {}, h("b", {}, plain(fields["act"]))) : null,
    grid(["slot", "value"], rows),
  );
}

/** Return an event template with its document. */
function event(template: Fields, document: unknown): HTMLElement {
  const mentions = (value: unknown): string => (Array.isArray(value) ? value.map(mentions).join("; ") : plain(value));
  const filled = Object.entries(template).filter(([, value]) => value !== null && asList(value).length);
  const text = asList(document).map(plain).join(" ");
  return h(
    "div",
    {},
    pairs(Object.fromEntries(filled.map(([role, value]) => [role, mentions(value)]))),
    text ? textBlock(text.length, {}, text) : null,
  );
}

function triples(items: unknown[]): HTMLElement {
  const rows = items.map((item) =>
    Array.isArray(item) ? item : isFields(item) ? Object.values(item) : plain(item).split(" | "),
  );
  return grid(["subject", "property", "object"], rows);
}

function acts(items: unknown[], context: unknown): HTMLElement {
  const turns = asList(context).map((turn) =>
    h("blockquote", {}, isFields(turn) ? Object.values(turn).map(plain).join(": ") : plain(turn)),
  );
  const list = items.map((item) => {
    if (!isFields(item)) return h("li", {}, plain(item));
    const values = asList(item["values"]).map(plain).join(" or ");
    const slot = plain(item["slot"] ?? "");
    return h("li", {}, h("b", {}, plain(item["act"] ?? "")), slot ? ` ${slot}` : "", values ? ` = ${values}` : "");
  });
  return h("div", {}, ...turns, h("ul", {}, ...list));
}

/** Return a ToTTo table: rows of cells, some of them highlighted. */
function wikiTable(fields: Fields): HTMLElement {
  const titles = ["table_page_title", "page_title", "title", "table_section_title", "section_title"].flatMap((name) =>
    fields[name] ? [plain(fields[name])] : [],
  );
  const marked = new Set(asList(fields["highlighted_cells"] ?? fields["highlighted"]).map((cell) => plain(cell)));
  const rows = asList(fields["table"] ?? fields["rows"]).map((row) =>
    asList(row).map((cell) => (isFields(cell) ? (cell["value"] ?? "") : cell)),
  );
  return h(
    "div",
    {},
    titles.length ? h("p", {}, titles.join(" · ")) : null,
    grid([], rows, (r, c) => marked.has(JSON.stringify([r, c]))),
  );
}

/** Return the turns of a chat; spaces and line breaks are part of them. */
function chat(turns: ChatTurn[], lang: string | null): HTMLElement {
  return h(
    "ol",
    { class: "chat", "aria-label": "Chat" },
    ...turns.map(({ role, text, calls }) =>
      h(
        "li",
        { class: role === "user" ? "turn from-user" : "turn" },
        h("b", {}, role),
        text ? textBlock(text.length, { lang }, text) : null,
        ...(calls ?? []).map((call) => h("pre", {}, call)),
      ),
    ),
  );
}

/** Return passages that were retrieved for an example, with their ids. */
function passages(contexts: Passage[], lang: string | null): HTMLElement {
  return h(
    "dl",
    { class: "contexts" },
    ...contexts.flatMap(({ id, text }) => [h("dt", {}, id), h("dd", {}, textBlock(text.length, { lang }, text))]),
  );
}

/** Return everything that a system was given: source, structure, chat and contexts. */
export function inputOf(example: ExampleShown): HTMLElement | null {
  const { messages = [], contexts = [] } = example.more ?? {};
  const parts = [
    structured(example),
    messages.length ? chat(messages, example.language) : null,
    contexts.length ? h("div", {}, h("h4", {}, "Contexts"), passages(contexts, example.language)) : null,
  ].filter((one) => one !== null);
  return parts.length ? h("div", {}, ...parts) : null;
}

/** Return the correct answer as in the file; null if the example has none. */
export function expectedOf(example: ExampleShown): HTMLElement | null {
  const expected = example.more?.expected;
  return expected === undefined || expected === null
    ? null
    : h("div", {}, h("h3", {}, "Expected"), textBlock(plain(expected).length, {}, plain(expected)));
}

function structured(example: ExampleShown): HTMLElement | null {
  const input = example.input;
  const source =
    example.source === null ? null : textBlock(example.source.length, { lang: example.language }, example.source);
  if (!input) return source;
  const { type, kind, ...fields } = input;
  if (Array.isArray(fields["triples"]) || Array.isArray(fields["tripleset"]))
    return triples(asList(fields["triples"] ?? fields["tripleset"]));
  if (Array.isArray(fields["acts"])) return acts(asList(fields["acts"]), fields["context"] ?? fields["prompt"]);
  if (isFields(fields["slots"])) return pairs(fields["slots"]);
  if (Array.isArray(fields["slots"])) return slots(fields);
  if (Array.isArray(fields["clauses"]))
    return h(
      "pre",
      { class: "text" },
      asList(fields["clauses"])
        .map((clause) => asList(clause).map(plain).join(" "))
        .join("\n"),
    );
  if (isFields(fields["template"])) return event(fields["template"], fields["document"]);
  if (Array.isArray(fields["table"]) || Array.isArray(fields["rows"])) return wikiTable(fields);
  if (Array.isArray(fields["concepts"]))
    return h("ul", { class: "concepts" }, ...asList(fields["concepts"]).map((concept) => h("li", {}, plain(concept))));
  const title = fields["title"] === undefined ? null : h("p", {}, h("b", {}, plain(fields["title"])));
  delete fields["title"];
  const rest = Object.keys(fields).length ? pairs(fields) : null;
  return h("div", { "data-input": plain(kind ?? type ?? "") }, title, rest, source);
}
