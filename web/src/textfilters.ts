// The filters of texts: one sentence for what is asked most, a fold for the rest, and a chip for each that is set.

import { button, h, select } from "./dom";
import { type Place, go, here } from "./state";
import type { ExamplePage, OverviewPage } from "./types";

const WORDS: Record<string, string> = { text: "text", id: "ID", low: "minimum", high: "maximum", offset: "page from" };

type How = "" | "loses" | "wins" | "differs" | "lowest" | "highest";
const HOWS: [How, string][] = [
  ["loses", "loses most to"],
  ["wins", "wins most against"],
  ["differs", "differs most from"],
  ["lowest", "scores lowest"],
  ["highest", "scores highest"],
];

const change = (name: string) => (value: string) => go(here().with({ [name]: value, offset: null, item: null }));

function options(names: readonly string[], empty?: string): (readonly [string, string])[] {
  return [...(empty === undefined ? [] : [["", empty] as const]), ...names.map((name) => [name, name] as const)];
}

export function filters(overview: OverviewPage, page: ExamplePage, place: Place, dataset: string): HTMLElement {
  const set = page.matching ? chips(place) : []; // the empty state has them
  return h(
    "form",
    { class: "filters", submit: (event) => event.preventDefault() },
    sentence(overview, page, place),
    h(
      "div",
      { class: "controls" },
      overview.stored.length > 1 ? datasetField(overview, dataset) : null,
      field("Search texts", "text", "search", place),
      select("Highlight", marks(page), place.get("mark", "reference"), change("mark"), "f-mark"),
      ...set,
    ),
    h(
      "details",
      { class: "more-filters", open: place.get("low") !== "" || place.get("high") !== "" || place.get("id") !== "" },
      h("summary", {}, "More filters"),
      h(
        "div",
        { class: "controls" },
        ...tagFields(page, place).slice(1),
        field("ID", "id", "search", place),
        field("Minimum", "low", "number", place),
        field("Maximum", "high", "number", place),
      ),
      systemBoxes(page, place),
    ),
  );
}

/** Return what the order of an address means for its metric: "up" is a loss where higher is better. */
function howAt(overview: OverviewPage, place: Place): How {
  const order = place.get("order");
  if (!order || !place.get("metric") || !place.get("system")) return "";
  if (!place.get("against")) return order === "up" ? "lowest" : "highest";
  if (order === "size") return "differs";
  return (order === "up") !== lowerIsBetter(overview, place.get("metric")) ? "loses" : "wins";
}

function orderOf(overview: OverviewPage, how: How, metric: string): string | null {
  if (!how) return null;
  if (how === "differs") return "size";
  if (how === "lowest" || how === "highest") return how === "lowest" ? "up" : "down";
  return (how === "loses") !== lowerIsBetter(overview, metric) ? "up" : "down";
}

function lowerIsBetter(overview: OverviewPage, metric: string): boolean {
  return overview.axes.find((axis) => axis.name === metric)?.better === "lower";
}

/** Return "Items where [A] [loses most to] [B] by [metric] in [any category]". */
function sentence(overview: OverviewPage, page: ExamplePage, place: Place): HTMLElement {
  const how = howAt(overview, place);
  const [first = "", second = first] = page.systems;
  const metric = page.metrics.includes(place.get("metric")) ? place.get("metric") : (page.metrics[0] ?? "");
  const system = place.get("system") || first;
  const against = place.get("against") || (system === second ? first : second);
  const ask = (changes: { how?: How; metric?: string; system?: string; against?: string }) => {
    const to = { how, metric, system, against, ...changes };
    const two = to.how === "loses" || to.how === "wins" || to.how === "differs";
    const order = orderOf(overview, to.how, to.metric);
    const named = to.how ? { metric: to.metric, system: to.system, against: two ? to.against : null } : {};
    const none = { metric: null, system: null, against: null, low: null, high: null };
    go(here().with({ ...none, ...named, order, offset: null, item: null }));
  };
  const slot = (label: string, all: readonly (readonly [string, string])[], value: string, name: string, id: string) =>
    inline(label, all, value, (chosen) => ask({ [name]: chosen }), id);
  const systems = options(page.systems);
  const two = how === "loses" || how === "wins" || how === "differs";
  const hows = HOWS.filter(([one]) => page.systems.length > 1 || one === "lowest" || one === "highest");
  const order = how
    ? [
        "where ",
        slot("System", systems, system, "system", "f-system"),
        slot("How", [...hows, ["", "… any item, in file order"]], how, "how", "f-how"),
        ...(two ? [slot("Other system", systems, against, "against", "f-against")] : []),
        " by ",
        slot("Metric", options(page.metrics), metric, "metric", "f-metric"),
      ]
    : page.metrics.length
      ? [
          slot(
            "How",
            [["", "in file order"], ...hows.map(([one, text]) => [one, `where ${first} ${text} …`] as const)],
            how,
            "how",
            "f-how",
          ),
        ]
      : [];
  const [tag] = tagFields(page, place, true);
  return h("p", { class: "filter-sentence" }, "Items ", ...order, ...(tag ? [" in ", tag] : []));
}

/** Return a select without a visible label, as a part of a sentence. */
function inline(
  label: string,
  all: readonly (readonly [string, string])[],
  value: string,
  choose: (value: string) => void,
  id: string,
): HTMLElement {
  const field = select(label, all, value, choose, id);
  field.classList.add("inline");
  field.querySelector("span")?.classList.add("unseen");
  return field;
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

/** Return the dataset field. Another dataset has other tags, metrics and systems, so the filters are reset. */
function datasetField(overview: OverviewPage, dataset: string): HTMLElement {
  const reset = ["where", "offset", "id", "item", "metric", "system", "against", "order", "low", "high", "show"];
  const none = Object.fromEntries(reset.map((name) => [name, null]));
  return select(
    "Dataset",
    options(overview.stored),
    dataset,
    (value) => go(here().with({ ...none, dataset: value })),
    "f-dataset",
  );
}

/** Return a select for each tag; within a sentence it names the tag it leaves open. */
function tagFields(page: ExamplePage, place: Place, spoken = false): HTMLElement[] {
  const where = new Map(
    place.list("where").map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]),
  );
  const choose = (key: string) => (value: string) => {
    if (value) where.set(key, value);
    else where.delete(key);
    go(here().with({ where: [...where].map(([name, one]) => `${name}=${one}`), offset: null, item: null }));
  };
  const make = spoken ? inline : select;
  return Object.entries(page.tags).map(([key, values]) =>
    make(key, options(values, spoken ? `any ${key}` : "any"), where.get(key) ?? "", choose(key), `f-tag-${key}`),
  );
}

function marks(page: ExamplePage): (readonly [string, string])[] {
  return [
    ["reference", "differences from the closest reference"],
    ["source", "words not in the source"],
    ...page.systems.map((system) => [`system:${system}`, `differences from ${system}`] as const),
    ["none", "none"],
  ];
}

/** Return the check boxes of systems; none selected means all. */
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

/** Return a button for each filter that is set; it removes the filter. */
function chips(place: Place): HTMLElement[] {
  const set = Object.entries(WORDS).flatMap(([name, word]) =>
    place.get(name) && name !== "offset" ? [{ label: `${word}: ${place.get(name)}`, without: { [name]: null } }] : [],
  );
  const where = place.list("where");
  const tags = where.map((one) => ({
    label: one.replace("=", ": "),
    without: { where: where.filter((other) => other !== one) },
  }));
  return [...set, ...tags].map(({ label, without }) =>
    button(`${label} ×`, () => go(here().with({ ...without, offset: null, item: null })), {
      "aria-label": `Remove ${label}`,
      class: "chip",
    }),
  );
}

/** Return what limits the items, each with a button that removes it: nothing is found, and this is why. */
export function emptyState(place: Place): HTMLElement {
  const all = Object.fromEntries([...Object.keys(WORDS), "where", "item"].map((name) => [name, null]));
  return h(
    "div",
    { class: "empty" },
    h("p", {}, "No item fits all of these filters. Remove one, or all:"),
    h(
      "div",
      { class: "controls" },
      ...chips(place),
      button("Clear all filters", () => go(here().with(all))),
    ),
  );
}
