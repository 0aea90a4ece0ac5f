// Two systems side by side: what differs and how surely, challenge sets against their parents, subsets, and the texts.

import { cardBeside } from "./cards";
import type { Data } from "./data";
import { h, select, table } from "./dom";
import { exampleCard } from "./examplecard";
import { apart, interval, lineName, number, probability } from "./format";
import { heatmap } from "./heatmap";
import { forest } from "./plots";
import { type Place, go, here, link } from "./state";
import { pairs, state } from "./statement";
import type { AxisColumn, OverviewPage, ComparisonPage } from "./types";

const TEXTS = 5;

export async function comparePage(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  if (overview.systems.length < 2)
    return h(
      "div",
      {},
      h("p", {}, "There is only one system here; open two or more to compare them."),
      ...(await Promise.all(overview.stored.map((dataset) => parentsSection(overview, data, dataset)))),
    );
  const a = place.get("a", overview.systems[0]);
  const b = place.get("b", overview.systems.find((name) => name !== a) ?? "");
  const all = new Uint8Array(overview.lines.system.length).fill(1);
  const matched = everyPair(overview, all, a, b);
  const datasets = [...new Set(matched.map(([line]) => overview.datasets[overview.lines.dataset[line] ?? -1] ?? ""))];
  const dataset = datasets.includes(place.get("dataset")) ? place.get("dataset") : (datasets[0] ?? "");
  const on = matched.filter(([line]) => overview.datasets[overview.lines.dataset[line] ?? -1] === dataset);
  const test = overview.stored.includes(dataset)
    ? await data.compare(dataset, a, b).catch((error: Error) => error)
    : null;
  const tests = test instanceof Error || !test ? new Map<string, ComparisonPage>() : new Map([[dataset, test]]);
  const shown = overview.axes.filter((axis) => axis.shown && on.some(([x, y]) => apart(axis, x, y) !== null));
  const chosen = all.map((_, line) => (on.some(([x, y]) => x === line || y === line) ? 1 : 0));
  const { sentences, basis } = state(overview, shown, chosen, a, b, tests, dataset);
  const names = overview.systems.map((name) => [name, name] as const);
  return h(
    "div",
    {},
    h(
      "form",
      { class: "controls", submit: (event) => event.preventDefault() },
      select("System", names, a, (value) => go(here().with({ a: value })), "compare-a"),
      select("against", names, b, (value) => go(here().with({ b: value })), "compare-b"),
      select(
        "on",
        datasets.map((name) => [name, name] as const),
        dataset,
        (value) => go(here().with({ dataset: value, metric: null })),
        "compare-dataset",
      ),
    ),
    ...sentences.map((text) => h("p", { class: "sentence" }, text)),
    h("p", { class: "soft" }, basis),
    await cardBeside(data, "dataset", dataset),
    await cardBeside(data, "system", a),
    await cardBeside(data, "system", b),
    test instanceof Error ? h("p", { class: "problem" }, test.message) : null,
    tests.size
      ? differences(tests.get(dataset) as ComparisonPage, overview, a, b)
      : valuesOnly(overview, shown, on, a, b),
    (await parentsSection(overview, data, dataset)) ?? challenges(overview, shown, a, b, dataset),
    heatmap(overview, shown, on, a, b, dataset),
    await tellingTexts(overview, data, place, dataset, a, b),
  );
}

/** Wholes and subsets both: here they stand under each other and are not counted together. */
function everyPair(overview: OverviewPage, all: Uint8Array, a: string, b: string): [number, number][] {
  const subsets = all.map((_, line) => (overview.lines.kind[line] === "subset" ? 1 : 0));
  const wholes = all.map((_, line) => (overview.lines.kind[line] === "subset" ? 0 : 1));
  return [...pairs(overview, wholes, a, b), ...pairs(overview, subsets, a, b)];
}

function differences(test: ComparisonPage, overview: OverviewPage, a: string, b: string): HTMLElement {
  const rows = Object.entries(test.metrics).map(([name, row]) => {
    const axis = overview.axes.find((one) => one.name === name) ?? { scale: 1, digits: 3, fraction: false };
    const sure = row.sure;
    const minus = (value: number | null) => (value === null ? null : -value);
    return [
      h("a", { href: link("cards", { kind: "metric", name }) }, row.label),
      number(row.a, axis),
      number(row.b, axis),
      row.difference === null
        ? (row.why ?? "–")
        : interval(minus(row.difference), minus(row.high), minus(row.low), axis, true),
      probability(row.p),
      h(sure ? "b" : "span", {}, `${probability(row.p_adjusted)}${sure ? " *" : ""}`),
      row.items_needed === null ? "–" : row.items_needed.toLocaleString("en"),
    ];
  });
  return h(
    "section",
    {},
    h("h2", {}, "Differences"),
    ...test.warnings.map((text) => h("p", { class: "problem" }, text)),
    table(
      `${a} minus ${b} on ${test.dataset}`,
      ["metric", a, b, "difference [95 % CI]", "p", "adjusted p", "items for 80 % power"],
      rows,
    ),
    h("p", { class: "soft" }, `* ${test.test}.`),
    ...forests(test, overview, a, b),
  );
}

/** The same differences drawn around zero; numbers of one scale stand below one another on it. */
function forests(test: ComparisonPage, overview: OverviewPage, a: string, b: string): HTMLElement[] {
  const scales = new Map<string, Parameters<typeof forest>[0]>();
  for (const [name, row] of Object.entries(test.metrics)) {
    const axis = overview.axes.find((one) => one.name === name);
    if (!axis || row.difference === null) continue;
    const scaled = (value: number | null) => (value === null ? null : -value * axis.scale);
    const key = axis.scale === 100 || (axis.digits === 1 && axis.category === "lexical") ? "percent" : name;
    const minus = (value: number | null) => (value === null ? null : -value);
    const text = interval(minus(row.difference), minus(row.high), minus(row.low), axis, true);
    const one = {
      name,
      value: scaled(row.difference) ?? 0,
      low: scaled(row.high),
      high: scaled(row.low),
      sure: row.sure,
      text,
    };
    scales.set(key, [...(scales.get(key) ?? []), one]);
  }
  const label = `${a} minus ${b}, with 95 % confidence intervals; the table above has the same values`;
  const drawn = [...scales.values()].map((rows) => h("figure", {}, forest(rows, label)));
  return drawn.length ? [h("div", { class: "figures forests" }, ...drawn)] : [];
}

function valuesOnly(
  overview: OverviewPage,
  axes: AxisColumn[],
  on: [number, number][],
  a: string,
  b: string,
): HTMLElement {
  const whole = on.filter(([line]) => ["split", "whole"].includes(overview.lines.kind[line] ?? "")).slice(0, 4);
  const tables = whole.map(([x, y]) => {
    const rows = axes
      .filter((axis) => apart(axis, x, y) !== null)
      .map((axis) => [
        axis.label,
        number(axis.values[x], axis),
        number(axis.values[y], axis),
        number(apart(axis, x, y), axis, true),
      ]);
    return table(`${lineName(overview, x)} against ${b}`, ["metric", a, b, "difference"], rows);
  });
  return h(
    "section",
    {},
    h("h2", {}, "Differences"),
    h(
      "p",
      { class: "soft" },
      "No statistics are stored for these runs: no confidence intervals, no significance tests.",
    ),
    ...tables,
  );
}

/** A challenge set is read against the same system on the items it was made from, pair by pair. */
export async function parentsSection(overview: OverviewPage, data: Data, dataset: string): Promise<HTMLElement | null> {
  if (!overview.stored.includes(dataset)) return null;
  const page = await data.parents(dataset).catch(() => null);
  if (!page?.comparisons.length) return null;
  const tables = page.comparisons.map((one) => {
    const rows = Object.entries(one.metrics).map(([name, row]) => {
      const axis = overview.axes.find((each) => each.name === name) ?? { scale: 1, digits: 3, fraction: false };
      const away = row.difference === null ? (row.why ?? "–") : interval(row.difference, row.low, row.high, axis, true);
      const adjusted = `${probability(row.p_adjusted)}${row.sure ? " *" : ""}`;
      return [
        h("a", { href: link("cards", { kind: "metric", name }) }, row.label),
        number(row.a, axis),
        number(row.b, axis),
        away,
        probability(row.p),
        h(row.sure ? "b" : "span", {}, adjusted),
      ];
    });
    return h(
      "div",
      {},
      ...one.warnings.map((text) => h("p", { class: "problem" }, text)),
      table(`${one.b} minus ${one.a}`, ["metric", one.a, one.b, "difference [95 % CI]", "p", "adjusted p"], rows),
      h("p", { class: "soft" }, `* ${one.test}.`),
    );
  });
  return h("section", { id: "parents" }, h("h2", {}, "Challenge sets against their parents"), ...tables);
}

/** The same where no statistics are stored: the values alone. */
function challenges(
  overview: OverviewPage,
  axes: AxisColumn[],
  a: string,
  b: string,
  dataset: string,
): HTMLElement | null {
  const rows: (string | number)[][] = [];
  const used = axes.slice(0, 8);
  overview.lines.parent.forEach((parent, line) => {
    const system = overview.systems[overview.lines.system[line] ?? -1] ?? "";
    if (parent < 0 || overview.lines.kind[line] !== "challenge" || (system !== a && system !== b)) return;
    if (overview.datasets[overview.lines.dataset[line] ?? -1] !== dataset) return;
    const cells = used.map((axis) => {
      const away = apart(axis, line, parent);
      return away === null ? "–" : `${number(axis.values[line], axis)} (${number(away, axis, true)})`;
    });
    const name = `${system} · ${overview.lines.subset[line] || "challenge"}`;
    rows.push([name, overview.lines.n[line] ?? "–", ...cells]);
  });
  if (!rows.length) return null;
  return h(
    "section",
    {},
    h("h2", {}, "Challenge sets against their parents"),
    table(
      "Value on the challenge set (and how far from the same system on the original items)",
      ["set", "n", ...used.map((axis) => axis.name)],
      rows,
    ),
  );
}

/** The examples that make the difference, largest first. */
async function tellingTexts(
  overview: OverviewPage,
  data: Data,
  place: Place,
  dataset: string,
  a: string,
  b: string,
): Promise<HTMLElement | null> {
  if (!overview.stored.includes(dataset)) return null;
  const first = await data.examples({ dataset, limit: 1 }).catch(() => null);
  const metrics = first?.metrics ?? [];
  if (!metrics.length) return null;
  const metric = metrics.includes(place.get("metric")) ? place.get("metric") : (metrics[0] ?? "");
  const query = { dataset, metric, system: a, against: b, order: "size" };
  const page = await data.examples({ ...query, limit: TEXTS });
  const reading = {
    overview,
    systems: [a, b],
    mark: `system:${b}`,
    metrics: overview.axes.filter((axis) => axis.name === metric),
  };
  return h(
    "section",
    {},
    h("h2", {}, "The texts that make the difference"),
    h(
      "div",
      { class: "controls" },
      select(
        "By",
        metrics.map((name) => [name, name] as const),
        metric,
        (value) => go(here().with({ metric: value })),
        "compare-metric",
      ),
      h("a", { href: link("examples", query) }, "All of them"),
    ),
    ...page.examples.map((example) => exampleCard(example, dataset, reading)),
  );
}
