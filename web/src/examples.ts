// Texts: what a system was given, what people wrote for it, what each system made of it, and what was said about that.

import type { Data } from "./data";
import { button, h, select } from "./dom";
import { exampleCard, type Reading } from "./examplecard";
import { plural } from "./format";
import { type Place, go, here } from "./state";
import type { OverviewPage, ExamplePage, ExampleQuery } from "./types";

const PAGE = 10;

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

export async function examplesPage(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  if (!overview.stored.length) {
    return h(
      "p",
      {},
      "These results hold no texts: score files of other tools have numbers only. " +
        "Open a folder made by assay run or assay score --save.",
    );
  }
  const dataset = place.get("dataset", overview.stored[0]);
  const page = await data.examples(queryOf(place, dataset));
  const shown = place.list("show").filter((system) => page.systems.includes(system));
  const reading: Reading = {
    overview,
    systems: shown.length ? shown : page.systems,
    mark: place.get("mark", "reference"),
    metrics: overview.axes.filter(
      (axis) => page.metrics.includes(axis.name) && (axis.shown || axis.name === place.get("metric")),
    ),
  };
  const cards = page.examples.map((example) => exampleCard(example, dataset, reading));
  return h(
    "div",
    { class: "examples" },
    form(overview, page, place, dataset),
    ...page.notes.map((text) => h("p", { class: "problem" }, text)),
    h(
      "p",
      { role: "status", class: "status" },
      `${page.matching.toLocaleString("en")} of ${plural(page.total, "item")} fit`,
    ),
    pager(page),
    ...cards,
    pager(page),
  );
}

function pager(page: ExamplePage): HTMLElement {
  const to = (offset: number) => () => go(here().with({ offset: offset || null }));
  const last = Math.min(page.matching, page.offset + PAGE);
  return h(
    "p",
    { class: "pager" },
    button("Previous", to(Math.max(0, page.offset - PAGE)), { disabled: page.offset === 0 }),
    ` ${page.matching ? page.offset + 1 : 0} to ${last} `,
    button("Next", to(page.offset + PAGE), { disabled: last >= page.matching }),
  );
}

function form(overview: OverviewPage, page: ExamplePage, place: Place, dataset: string): HTMLElement {
  return h(
    "form",
    { class: "filters", submit: (event) => event.preventDefault() },
    h(
      "div",
      { class: "controls" },
      datasetField(overview, dataset),
      field("Text anywhere", "text", "search", place),
      field("Id", "id", "search", place),
      ...tagFields(page, place),
    ),
    h("div", { class: "controls" }, ...scoreFields(page, place), markField(page, place)),
    systemBoxes(page, place),
  );
}

const change = (name: string) => (value: string) => go(here().with({ [name]: value, offset: null }));

function options(names: readonly string[], empty?: string): (readonly [string, string])[] {
  return [...(empty === undefined ? [] : [["", empty] as const]), ...names.map((name) => [name, name] as const)];
}

function field(label: string, name: string, type: "search" | "number", place: Place): HTMLElement {
  const number = type === "number";
  const input = h("input", {
    type,
    step: number ? "any" : null,
    value: place.get(name),
    id: `f-${name}`,
    class: number ? "short" : "",
  });
  input.addEventListener("change", () => change(name)(input.value));
  return h("label", { class: "field" }, h("span", {}, label), input);
}

/** Another dataset has other tags, metrics and systems: what was asked of this one is dropped. */
function datasetField(overview: OverviewPage, dataset: string): HTMLElement {
  const dropped = ["where", "offset", "id", "metric", "system", "against", "order", "low", "high", "show"];
  const none = Object.fromEntries(dropped.map((name) => [name, null]));
  return select(
    "Dataset",
    options(overview.stored),
    dataset,
    (value) => go(here().with({ ...none, dataset: value })),
    "f-dataset",
  );
}

function tagFields(page: ExamplePage, place: Place): HTMLElement[] {
  const where = new Map(
    place.list("where").map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
  );
  const choose = (key: string) => (value: string) => {
    if (value) where.set(key, value);
    else where.delete(key);
    go(here().with({ where: [...where].map(([name, one]) => `${name}=${one}`), offset: null }));
  };
  return Object.entries(page.tags).map(([key, values]) =>
    select(key, options(values, "any"), where.get(key) ?? "", choose(key), `f-tag-${key}`),
  );
}

/** Which score of whom, perhaps minus that of another, between which ends and in which order. */
function scoreFields(page: ExamplePage, place: Place): HTMLElement[] {
  const choose = (metric: string) => {
    const system = metric ? place.get("system") || (page.systems[0] ?? "") : null;
    go(here().with({ metric, system, offset: null }));
  };
  const orders = [
    ["", "as in the file"],
    ["up", "lowest first"],
    ["down", "highest first"],
    ["size", "largest difference first"],
  ] as const;
  return [
    select("Score", options(page.metrics, "any"), place.get("metric"), choose, "f-metric"),
    select("of", options(page.systems, "…"), place.get("system"), change("system"), "f-system"),
    select("minus that of", options(page.systems, "nothing"), place.get("against"), change("against"), "f-against"),
    field("at least", "low", "number", place),
    field("at most", "high", "number", place),
    select("Order", orders, place.get("order"), change("order"), "f-order"),
  ];
}

function markField(page: ExamplePage, place: Place): HTMLElement {
  const marks = [
    ["reference", "against the closest reference"],
    ["source", "words that are not in the source"],
    ...page.systems.map((system) => [`system:${system}`, `against ${system}`] as const),
    ["none", "nothing"],
  ] as const;
  return select("Mark", marks, place.get("mark", "reference"), change("mark"), "f-mark");
}

/** No system chosen stands for all of them. */
function systemBoxes(page: ExamplePage, place: Place): HTMLElement {
  const chosen = new Set(place.list("show"));
  const boxes = page.systems.map((system) => {
    const box = h("input", { type: "checkbox", checked: !chosen.size || chosen.has(system) });
    box.addEventListener("change", () => {
      const now = chosen.size ? new Set(chosen) : new Set(page.systems);
      if (box.checked) now.add(system);
      else now.delete(system);
      go(here().with({ show: now.size === page.systems.length ? [] : [...now] }));
    });
    return h("label", {}, box, system);
  });
  return h("fieldset", {}, h("legend", {}, "Systems"), h("div", { class: "boxes" }, ...boxes));
}
