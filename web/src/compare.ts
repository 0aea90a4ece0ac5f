// Two systems side by side: differences with tests, challenge sets and original items, subsets, and texts.

import { collapsedCard } from "./cards";
import { chart } from "./chart";
import { pairOf } from "./colours";
import type { Data } from "./data";
import { h, prose, select, table } from "./dom";
import { NO_RANGE, type Two, decidingTexts, metricAt, metricsOf } from "./decidingtexts";
import { datasetOf, differenceOf, interval, listed, number, plural, probability, runName, systemOf } from "./format";
import { heatmap } from "./heatmap";
import { type ForestRow, forest } from "./plots";
import { rankingOf } from "./ranking";
import { fill, problem } from "./sections";
import { type Place, go, here, link } from "./state";
import { pairs, state } from "./statement";
import { withItself } from "./statements";
import type { AxisColumn, OverviewPage, ComparisonPage, ParentsPage } from "./types";

const NO_STATISTICS = "No statistics are stored for these runs: no confidence intervals, no significance tests.";

export function comparePage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  if (overview.systems.length < 2)
    return h(
      "div",
      {},
      h("p", {}, "Only one system: open the results of two or more to compare them."),
      ...overview.stored.map((dataset) => parentsPart(overview, data, dataset)),
    );
  const [a, b, unknown] = systemsAt(overview, place);
  const matched = everyPair(overview, a, b);
  const datasets = [...new Set(matched.map(([run]) => datasetOf(overview, run)))];
  const dataset = datasets.includes(place.get("dataset")) ? place.get("dataset") : (datasets[0] ?? "");
  const missing = place.get("dataset") && place.get("dataset") !== dataset ? place.get("dataset") : "";
  return h(
    "div",
    {},
    controls(overview, a, b, datasets, dataset, place),
    ...unknown.map((name) => h("p", { class: "problem", role: "status" }, `${name} is no system of these results.`)),
    missing ? h("p", { class: "problem", role: "status" }, `${a} and ${b} are not both on ${missing}.`) : null,
    dataset ? compared(overview, data, place, { a, b, dataset }, matched) : nothingShared(overview, a, b),
  );
}

/** Return the two systems of the address, others in place of unknown ones, and the names of those. */
function systemsAt(overview: OverviewPage, place: Place): [string, string, string[]] {
  const known = (name: string) => overview.systems.includes(name);
  const asked = [place.get("a"), place.get("b")];
  // Without a request the two best: the question is most often whether the first is really better than the second.
  const dataset = overview.datasets.includes(place.get("dataset")) ? place.get("dataset") : overview.datasets[0];
  const ranked = rankingOf(overview, dataset ?? "", "", null).runs.map((run) => systemOf(overview, run));
  const order = [...new Set([...ranked, ...overview.systems])];
  const a = asked[0] && known(asked[0]) ? asked[0] : (order.find((name) => name !== asked[1]) ?? "");
  const b = asked[1] && known(asked[1]) ? asked[1] : (order.find((name) => name !== a) ?? "");
  return [a, b, asked.filter((name): name is string => Boolean(name) && !known(name ?? ""))];
}

function controls(
  overview: OverviewPage,
  a: string,
  b: string,
  datasets: string[],
  dataset: string,
  place: Place,
): HTMLElement {
  const metrics = metricsOf(overview, dataset);
  const names = overview.systems.map((name) => [name, name] as const);
  const sets = datasets.map((name) => [name, name] as const);
  const choose = (value: string) => go(here().with({ dataset: value, metric: null, ...NO_RANGE }));
  return h(
    "form",
    { class: "controls context", submit: (event) => event.preventDefault() },
    select("A", names, a, (value) => go(here().with({ a: value, b, ...NO_RANGE })), "compare-a"),
    select("B", names, b, (value) => go(here().with({ a, b: value, ...NO_RANGE })), "compare-b"),
    datasets.length ? select("Dataset", sets, dataset, choose, "compare-dataset") : null,
    metrics.length
      ? select(
          "Item metric",
          metrics.map((name) => [name, name] as const),
          metricAt(overview, place, dataset),
          (value) => go(here().with({ metric: value, ...NO_RANGE })),
          "compare-metric",
        )
      : null,
  );
}

/** Say why two systems cannot be compared. */
function nothingShared(overview: OverviewPage, a: string, b: string): HTMLElement {
  const sets = (system: string) => {
    const runs = overview.runs.system.flatMap((_, run) => (systemOf(overview, run) === system ? [run] : []));
    return listed([...new Set(runs.map((run) => datasetOf(overview, run)))]);
  };
  return h(
    "p",
    { class: "empty" },
    a === b ? withItself(a) : `${a} and ${b} have no dataset in common: ${a} is on ${sets(a)}, ${b} on ${sets(b)}.`,
  );
}

function compared(
  overview: OverviewPage,
  data: Data,
  place: Place,
  two: Two,
  matched: [number, number][],
): HTMLElement {
  const { a, b, dataset } = two;
  const on = matched.filter(([run]) => datasetOf(overview, run) === dataset);
  const shown = overview.axes.filter((axis) => axis.shown && on.some(([x, y]) => differenceOf(axis, x, y) !== null));
  const stored = overview.stored.includes(dataset);
  const tested = h("div", { class: "part", "data-part": "tests" });
  const draw = (test: ComparisonPage | Error | null) => h("div", {}, ...answered(overview, two, shown, on, test));
  tested.append(stored ? h("p", { class: "testing", role: "status" }, "Testing the differences…") : draw(null));
  if (stored) {
    tested.prepend(h("h1", { class: "headline" }, `${a} and ${b}`));
    tested.append(valuesOnly(overview, shown, on, a, b, ""));
    fill(
      tested,
      data.compare(dataset, a, b).catch((error: Error) => error),
      draw,
    );
  }
  const cards = [
    collapsedCard(data, "dataset", dataset),
    collapsedCard(data, "system", a),
    collapsedCard(data, "system", b),
  ];
  return h(
    "div",
    {},
    tested,
    heatmap(overview, data, shown, on, a, b, dataset),
    decidingTexts(overview, data, place, two),
    parentsPart(overview, data, dataset, () => challenges(overview, shown, a, b, dataset)),
    h("div", { class: "collapsed-cards" }, ...cards),
  );
}

/** Return sentences, tests and plots, or scores alone where there is no test. */
function answered(
  overview: OverviewPage,
  { a, b, dataset }: Two,
  shown: AxisColumn[],
  on: [number, number][],
  test: ComparisonPage | Error | null,
): (HTMLElement | null)[] {
  const tests = test instanceof Error || !test ? new Map<string, ComparisonPage>() : new Map([[dataset, test]]);
  const used = new Set(on.flat());
  const selected = Uint8Array.from(overview.runs.system, (_, run) => (used.has(run) ? 1 : 0));
  const { sentences, basis } = state(overview, shown, selected, a, b, tests, dataset);
  return [
    ...sentences.map((text, i) =>
      i ? h("p", { class: "sentence" }, text) : h("h1", { class: "headline sentence" }, text),
    ),
    sentences.length ? null : h("h1", {}, `${a} and ${b}`),
    h("p", { class: "soft" }, basis),
    test instanceof Error ? problem(test) : null,
    test && !(test instanceof Error)
      ? differences(test, overview, shown, a, b)
      : valuesOnly(overview, shown, on, a, b, test ? "" : NO_STATISTICS),
  ];
}

/** Return pairs of runs on all items and on subsets: here they are listed, not counted together. */
function everyPair(overview: OverviewPage, a: string, b: string): [number, number][] {
  if (a === b) return [];
  const all = new Uint8Array(overview.runs.system.length);
  const subsets = all.map((_, run) => (overview.runs.kind[run] === "subset" ? 1 : 0));
  const wholes = all.map((_, run) => (overview.runs.kind[run] === "subset" ? 0 : 1));
  return [...pairs(overview, wholes, a, b), ...pairs(overview, subsets, a, b)];
}

function differences(
  test: ComparisonPage,
  overview: OverviewPage,
  shown: AxisColumn[],
  a: string,
  b: string,
): HTMLElement {
  const rows = Object.entries(test.metrics).map(([name, row]) => {
    const axis = overview.axes.find((one) => one.name === name) ?? { scale: 1, digits: 3, fraction: false };
    const significant = row.significant;
    const minus = (value: number | null) => (value === null ? null : -value);
    return [
      h("a", { href: link("cards", { kind: "metric", name }) }, row.label),
      number(row.a, axis),
      number(row.b, axis),
      row.difference === null
        ? (row.why ?? "–")
        : interval(minus(row.difference), minus(row.high), minus(row.low), axis, true),
      probability(row.p),
      h(significant ? "b" : "span", {}, `${probability(row.p_adjusted)}${significant ? " *" : ""}`),
      row.items_needed === null ? "–" : row.items_needed.toLocaleString("en"),
    ];
  });
  return h(
    "section",
    {},
    h("h2", { class: "unseen" }, "Differences"),
    ...forests(test, overview, shown, a, b),
    ...test.warnings.map((text) => h("p", { class: "notice" }, ...prose(text))),
    h(
      "details",
      {},
      h(
        "summary",
        {},
        `Table of ${plural(rows.length, "tested metric")}: scores, differences, p, items for 80 % power`,
      ),
      table(
        `${a} minus ${b} on ${test.dataset}`,
        ["metric", a, b, "difference [95 % CI]", "p", "adjusted p", "items for 80 % power"],
        rows,
      ),
      h("p", { class: "soft" }, `* ${test.test}.`),
    ),
    ...test.worth.map((text) => h("p", { class: "soft" }, text)),
  );
}

/**
 * Return the differences on the metrics of the sentences as forest plots, one for each scale; right is always "the
 * first system is better".
 */
function forests(
  test: ComparisonPage,
  overview: OverviewPage,
  shown: AxisColumn[],
  a: string,
  b: string,
): HTMLElement[] {
  const scales = new Map<string, ForestRow[]>();
  for (const axis of shown) {
    const name = axis.name;
    const row = test.metrics[name];
    if (!row || row.difference === null) continue;
    const flipped = axis.better === "lower";
    const scaled = (value: number | null) => (value === null ? null : (flipped ? value : -value) * axis.scale);
    const [low, high] = flipped ? [row.low, row.high] : [row.high, row.low];
    const percent = axis.scale === 100 || (axis.digits === 1 && axis.category === "lexical");
    const shared = percent ? "percent" : axis.fraction ? "fraction" : name;
    const key = axis.better === null ? `none ${name}` : shared;
    const minus = (value: number | null) => (value === null ? null : -value);
    const one: ForestRow = {
      name: flipped ? `${name} (axis flipped)` : name,
      value: scaled(row.difference) ?? 0,
      low: scaled(low),
      high: scaled(high),
      significant: row.significant,
      text: interval(minus(row.difference), minus(row.high), minus(row.low), axis, true),
    };
    scales.set(key, [...(scales.get(key) ?? []), one]);
  }
  const hues = pairOf(overview.systems, a, b);
  const drawn = [...scales].map(([key, rows]) => {
    const neither = key.startsWith("none ");
    const ends: [string, string] = neither ? [`${a} lower`, `${a} higher`] : [`${b} better`, `${a} better`];
    const label =
      `${a} and ${b}: differences with 95 % confidence intervals; ` +
      `${neither ? "no direction is better" : `right of zero ${a} is better`}; the table below has the same values`;
    const inks: [string, string] = neither ? ["var(--ink)", "var(--ink)"] : hues;
    return h(
      "div",
      { class: "box forests" },
      chart((width) => forest(rows, ends, inks, label, width), {
        name: `differences-${test.dataset}-${key}`,
        rows: () => [
          ["metric", "difference, right is better", "low", "high", "significant"],
          ...rows.map((row) => [row.name, row.value, row.low, row.high, row.significant ? "yes" : "no"]),
        ],
        legend: h(
          "p",
          { class: "legend soft" },
          "filled and *: significant (adjusted p) · hollow: not · lines: 95 % interval of each metric, not adjusted",
        ),
      }),
    );
  });
  return drawn;
}

function valuesOnly(
  overview: OverviewPage,
  axes: AxisColumn[],
  on: [number, number][],
  a: string,
  b: string,
  note: string,
): HTMLElement {
  const whole = on.filter(([run]) => ["split", "whole"].includes(overview.runs.kind[run] ?? "")).slice(0, 4);
  const tables = whole.map(([x, y]) => {
    const rows = axes
      .filter((axis) => differenceOf(axis, x, y) !== null)
      .map((axis) => [
        axis.label,
        number(axis.values[x], axis),
        number(axis.values[y], axis),
        number(differenceOf(axis, x, y), axis, true),
      ]);
    return table(`${runName(overview, x)} and ${b}`, ["metric", a, b, "difference"], rows);
  });
  return h("section", {}, h("h2", {}, "Differences"), note ? h("p", { class: "soft" }, note) : null, ...tables);
}

/** Compare each system on a challenge set with itself on the original items, pair by pair. */
function parentsPart(
  overview: OverviewPage,
  data: Data,
  dataset: string,
  otherwise: () => HTMLElement | null = () => null,
): HTMLElement | null {
  if (!overview.stored.includes(dataset)) return otherwise();
  const part = h("div", { class: "part", "data-part": "original items" });
  fill(
    part,
    data.parents(dataset).catch(() => null),
    (page) => (page?.comparisons.length ? parentsSection(overview, page) : otherwise()),
  );
  return part;
}

function parentsSection(overview: OverviewPage, page: ParentsPage): HTMLElement {
  const tables = page.comparisons.map((one) => {
    const rows = Object.entries(one.metrics).map(([name, row]) => {
      const axis = overview.axes.find((each) => each.name === name) ?? { scale: 1, digits: 3, fraction: false };
      const difference =
        row.difference === null ? (row.why ?? "–") : interval(row.difference, row.low, row.high, axis, true);
      const adjusted = `${probability(row.p_adjusted)}${row.significant ? " *" : ""}`;
      return [
        h("a", { href: link("cards", { kind: "metric", name }) }, row.label),
        number(row.a, axis),
        number(row.b, axis),
        difference,
        probability(row.p),
        h(row.significant ? "b" : "span", {}, adjusted),
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
  return h("section", { id: "parents" }, h("h2", {}, "Challenge sets and their original items"), ...tables);
}

/** Return the same without statistics: scores only. */
function challenges(
  overview: OverviewPage,
  axes: AxisColumn[],
  a: string,
  b: string,
  dataset: string,
): HTMLElement | null {
  const rows: (string | number)[][] = [];
  const used = axes.slice(0, 8);
  overview.runs.parent.forEach((parent, run) => {
    const system = overview.systems[overview.runs.system[run] ?? -1] ?? "";
    if (parent < 0 || overview.runs.kind[run] !== "challenge" || (system !== a && system !== b)) return;
    if (overview.datasets[overview.runs.dataset[run] ?? -1] !== dataset) return;
    const cells = used.map((axis) => {
      const difference = differenceOf(axis, run, parent);
      return difference === null ? "–" : `${number(axis.values[run], axis)} (${number(difference, axis, true)})`;
    });
    const name = `${system} · ${overview.runs.subset[run] || "challenge"}`;
    rows.push([name, overview.runs.n[run] ?? "–", ...cells]);
  });
  if (!rows.length) return null;
  return h(
    "section",
    {},
    h("h2", {}, "Challenge sets and their original items"),
    table(
      "Score on the challenge set (difference from the same system on the original items)",
      ["set", "n", ...used.map((axis) => axis.name)],
      rows,
    ),
  );
}
