// Texts: a sentence that says which items are listed, the list, and one item with its outputs and judgements.

import type { Data } from "./data";
import { button, h, prose } from "./dom";
import { exampleCard, markKey, type ExampleView } from "./examplecard";
import { number, plural } from "./format";
import { measure } from "./search";
import { loading } from "./sections";
import { type Place, go, here, store } from "./state";
import { emptyState, filters } from "./textfilters";
import type { OverviewPage, ExamplePage, ExampleQuery, ExampleShown } from "./types";

const PAGE = 20;
const START = 90; // characters of a text in the list

export function queryOf(place: Place, dataset: string): ExampleQuery {
  const query: ExampleQuery = {
    dataset,
    offset: Number(place.get("offset", "0")),
    limit: PAGE,
    where: place.list("where"),
  };
  for (const name of ["text", "metric", "system", "against", "order", "id"] as const)
    if (place.get(name)) query[name] = place.get(name);
  for (const name of ["low", "high"] as const) if (place.get(name)) query[name] = Number(place.get(name));
  return query;
}

export function examplesPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  if (!overview.stored.length) {
    return h(
      "p",
      {},
      "No texts in these results: score files of other tools contain scores only. " +
        "Open a folder written by assay run or assay score --save.",
    );
  }
  const dataset = overview.stored.includes(place.get("dataset")) ? place.get("dataset") : (overview.stored[0] ?? "");
  return loading("texts", content(overview, data, place, dataset), (node) => node, 8);
}

async function content(overview: OverviewPage, data: Data, place: Place, dataset: string): Promise<HTMLElement> {
  // Without systems that are not here, the page says so and shows the rest.
  const about = await data.examples({ dataset, limit: 1 });
  const unknown = ["system", "against"]
    .map((name) => place.get(name))
    .filter((name) => name && !about.systems.includes(name));
  const cleaned = unknown.length
    ? place.with({ metric: null, system: null, against: null, order: null, low: null, high: null })
    : place;
  const page = await data.examples(queryOf(cleaned, dataset));
  return h(
    "div",
    { class: "examples" },
    filters(overview, page, cleaned, dataset),
    ...unknown.map((name) => h("p", { class: "problem", role: "status" }, `${name} is no system of ${dataset}.`)),
    ...page.notes.map((text) => h("p", { class: "notice" }, ...prose(text))),
    h(
      "p",
      { role: "status", class: "status" },
      `${page.matching.toLocaleString("en")} of ${plural(page.total, "item")} match`,
    ),
    page.matching ? markKey(cleaned.get("mark", "reference")) : null,
    page.matching ? listAndItem(overview, page, cleaned, dataset) : emptyState(cleaned),
  );
}

/** Return the list on the left and the selected item on the right; j and k go through the list. */
function listAndItem(overview: OverviewPage, page: ExamplePage, place: Place, dataset: string): HTMLElement {
  const shown = place.list("show").filter((system) => page.systems.includes(system));
  const view: ExampleView = {
    overview,
    systems: shown.length ? shown : page.systems,
    first: [place.get("system"), place.get("against")],
    mark: place.get("mark", "reference"),
    metrics: overview.axes.filter(
      (axis) => page.metrics.includes(axis.name) && (axis.shown || axis.name === place.get("metric")),
    ),
  };
  const query = queryOf(place, dataset);
  const axis = overview.axes.find((one) => one.name === query.metric);
  const worth = (example: ExampleShown) => {
    const value = measure(example, query);
    return value === null
      ? ""
      : number(value, axis ?? { scale: 1, digits: 3, fraction: false }, Boolean(query.against));
  };
  const item = h("div", { class: "item" });
  const entries = page.examples.map((example) =>
    h(
      "button",
      { type: "button", class: "entry" },
      h("b", {}, example.id),
      h("span", { class: "number" }, worth(example)),
      h("small", {}, startOf(example, [place.get("system"), ...view.systems])),
    ),
  );
  let at = 0;
  const show = (next: number): void => {
    const example = page.examples[next];
    if (!example) return;
    entries[at]?.removeAttribute("aria-current");
    entries[next]?.setAttribute("aria-current", "true");
    at = next;
    const note = worth(example) ? `${worth(example)} ${axis?.label ?? query.metric ?? ""}` : "";
    item.replaceChildren(exampleCard(example, dataset, { ...view, note }));
  };
  const select = (next: number): void => {
    if (next < 0 || next >= page.examples.length) {
      const offset = page.offset + (next < 0 ? -PAGE : PAGE);
      if (offset < 0 || offset >= page.matching) return;
      go(here().with({ offset: offset || null, item: next < 0 ? "last" : null }));
      return;
    }
    show(next);
    entries[next]?.scrollIntoView({ block: "nearest" });
    store(here().with({ item: page.examples[next]?.id ?? null }));
  };
  entries.forEach((entry, i) => entry.addEventListener("click", () => select(i)));
  const asked = page.examples.findIndex((example) => example.id === place.get("item"));
  show(place.get("item") === "last" ? page.examples.length - 1 : Math.max(0, asked));
  keys((step) => select(at + step), item);
  return h(
    "div",
    { class: "browse" },
    h(
      "nav",
      { class: "listing", "aria-label": "Items" },
      h(
        "ol",
        { start: page.offset + 1, tabindex: 0, "aria-label": "Items" },
        ...entries.map((one) => h("li", {}, one)),
      ),
      pager(page),
      h("p", { class: "soft hint" }, h("kbd", {}, "j"), " next, ", h("kbd", {}, "k"), " previous"),
    ),
    item,
  );
}

let listening: ((event: KeyboardEvent) => void) | null = null;

/** Listen to j and k for as long as the item is on the page, except while something is typed. */
function keys(move: (step: number) => void, item: HTMLElement): void {
  if (listening) removeEventListener("keydown", listening);
  listening = (event) => {
    const typing = (event.target as HTMLElement).closest?.("input, select, textarea");
    const step = { j: 1, k: -1 }[event.key];
    if (!step || typing || event.ctrlKey || event.metaKey || event.altKey || !item.isConnected) return;
    event.preventDefault();
    move(step);
  };
  addEventListener("keydown", listening);
}

/** Return the start of an output, which tells items apart better than their ids. */
function startOf(example: ExampleShown, systems: string[]): string {
  const outputs = systems.map((system) => example.outputs.find((output) => output.system === system)?.text);
  const text = outputs.find(Boolean) ?? example.references[0] ?? "";
  return text.length > START ? `${text.slice(0, START)}…` : text;
}

function pager(page: ExamplePage): HTMLElement {
  const to = (offset: number) => () => go(here().with({ offset: offset || null, item: null }));
  const last = Math.min(page.matching, page.offset + PAGE);
  return h(
    "p",
    { class: "pager" },
    button("Previous", to(Math.max(0, page.offset - PAGE)), { disabled: page.offset === 0 }),
    ` ${page.matching ? page.offset + 1 : 0} to ${last} `,
    button("Next", to(page.offset + PAGE), { disabled: last >= page.matching }),
  );
}
