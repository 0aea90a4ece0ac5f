// Metrics and people: how far a metric may be trusted here, who was better by judgement, and whether judges agreed.

import { type Bar, type Dot, bars, matrix, scatter } from "./charts";
import { cardBeside } from "./cardbeside";
import { ink } from "./colours";
import type { Data } from "./data";
import { h, select, table } from "./dom";
import { exportButtons } from "./exports";
import { figure, plural, probability } from "./format";
import { type Place, go, here, link } from "./state";
import type { Agreement, OverviewPage, PeoplePage } from "./types";

export async function peoplePage(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  if (!overview.people.length)
    return h(
      "p",
      {},
      "Nobody judged these outputs. Judgements stand in DATASET/judgements.jsonl: id, system, annotator, criterion, value.",
    );
  const dataset = overview.people.includes(place.get("dataset")) ? place.get("dataset") : (overview.people[0] ?? "");
  const found = await data.people(dataset, place.get("criterion"));
  const metric = found.metrics.includes(place.get("metric")) ? place.get("metric") : (found.metrics[0] ?? "");
  const options = (names: string[]) => names.map((name) => [name, name] as const);
  return h(
    "div",
    {},
    h(
      "form",
      { class: "controls", submit: (event) => event.preventDefault() },
      select(
        "Dataset",
        options(overview.people),
        dataset,
        (value) => go(here().with({ dataset: value, criterion: null, metric: null })),
        "people-dataset",
      ),
      found.criteria.length
        ? select(
            "People judged",
            options(found.criteria),
            found.criterion,
            (value) => go(here().with({ criterion: value })),
            "people-criterion",
          )
        : null,
      found.metrics.length
        ? select(
            "Metric",
            options(found.metrics),
            metric,
            (value) => go(here().with({ metric: value })),
            "people-metric",
          )
        : null,
    ),
    found.made_up
      ? h(
          "p",
          { class: "problem" },
          "These judgements were made up by a script: they show the page and are evidence of nothing.",
        )
      : null,
    ...found.warnings.map((text) => h("p", { class: "problem" }, text)),
    metric ? scatterSection(overview, found, metric) : null,
    metric ? await cardBeside(data, "metric", metric) : null,
    correlations(found),
    williams(found),
    ablation(found),
    ranked(overview, found),
    ...found.confusions.map(confusion),
    found.agreement ? agreement(found.agreement, found.criterion) : null,
  );
}

function scatterSection(overview: OverviewPage, found: PeoplePage, metric: string): HTMLElement {
  const values = found.points.values[metric] ?? [];
  const dots: Dot[] = found.points.human.flatMap((human, i) => {
    const value = values[i];
    return value === null || value === undefined
      ? []
      : [{ x: value, y: human, group: found.points.system[i] ?? "", name: found.points.id[i] ?? "" }];
  });
  const groups = overview.systems.filter((system) => found.points.system.includes(system));
  const drawing = scatter(dots, groups, metric, found.criterion);
  const both = found.correlations[metric];
  const [raw, partial] = [both?.raw.r ?? null, both?.partial?.r ?? null];
  const apart = raw !== null && partial !== null && Math.abs(raw - partial) > 0.2;
  const said =
    partial === null
      ? `r = ${figure(raw)} over all texts.`
      : `Raw r = ${figure(raw)}, with the system held constant r = ${figure(partial)}.`;
  return h(
    "section",
    {},
    h("h2", {}, `${metric} against ${found.criterion}`),
    h("p", { class: "sentence" }, said),
    apart
      ? h(
          "p",
          { class: "problem" },
          "The two differ by more than .2: the raw value mostly tells systems apart, not good texts from bad ones.",
        )
      : null,
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Scatter plot" }, drawing),
    h(
      "ul",
      { class: "legend" },
      ...groups.map((group, i) => {
        const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
        swatch.style.borderTopColor = ink(i).hue;
        return h("li", {}, swatch, group);
      }),
      h("li", { class: "soft" }, "dashed: all systems together"),
    ),
    exportButtons(
      `${metric}-${found.criterion}`,
      () => drawing,
      () => [["id", "system", metric, found.criterion], ...dots.map((dot) => [dot.name, dot.group, dot.x, dot.y])],
    ),
  );
}

function correlations(found: PeoplePage): HTMLElement | null {
  const names = Object.keys(found.correlations);
  if (!names.length) return null;
  const said = (
    one: { r: number | null; low?: number | null; high?: number | null; why?: string } | null | undefined,
  ) =>
    !one
      ? "–"
      : one.r === null
        ? (one.why ?? "–")
        : `${figure(one.r)}${one.low === null || one.low === undefined ? "" : ` [${figure(one.low)}, ${figure(one.high)}]`}`;
  const rows = names.map((name) => {
    const both = found.correlations[name];
    return [
      h("a", { href: link("cards", { kind: "metric", name }) }, name),
      said(both?.raw),
      probability(both?.raw.p),
      said(both?.partial),
      probability(both?.partial?.p),
    ];
  });
  return h(
    "section",
    {},
    h("h2", {}, "Correlations"),
    table(
      `Pearson with ${found.criterion} over ${plural(found.n, "judged text")}; partial holds the system constant`,
      ["metric", "raw", "p", "partial", "p"],
      rows,
    ),
  );
}

function williams(found: PeoplePage): HTMLElement | null {
  const names = found.metrics.filter((name) => Object.keys(found.williams[name] ?? {}).length);
  if (names.length < 2) return null;
  const cells = names.flatMap((a, row) =>
    names.flatMap((b, column) => {
      if (a === b) return [];
      const p = found.williams[a]?.[b];
      const sure = p !== null && p !== undefined && p < 0.05;
      const between = found.between[a]?.[b];
      return [
        {
          row,
          column,
          share: sure ? 0.6 : 0,
          text: probability(p),
          title: `${a} and ${b}: p ${probability(p)}, their own correlation ${figure(between)}`,
        },
      ];
    }),
  );
  const drawing = matrix(names, names, cells, `Williams' test for every two metrics; shaded where p is below .05`);
  return h(
    "section",
    {},
    h("h2", {}, "Is one metric closer to people than another?"),
    h(
      "p",
      { class: "soft" },
      `Williams' test, one-sided, for the larger of the two correlations; shaded below .05. With ${plural((names.length * (names.length - 1)) / 2, "pair")} some fall below by chance.`,
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Williams matrix" }, drawing),
    exportButtons(
      "williams",
      () => drawing,
      () => [["", ...names], ...names.map((a) => [a, ...names.map((b) => found.williams[a]?.[b] ?? null)])],
    ),
  );
}

function ablation(found: PeoplePage): HTMLElement | null {
  const categories = Object.keys(found.ablation);
  if (!categories.length) return null;
  return h(
    "section",
    {},
    h("h2", {}, "What each metric's correlation rests on"),
    h(
      "p",
      { class: "soft" },
      "How much of the correlation is lost when one kind of error is forgiven; below zero the metric does better without it.",
    ),
    ...found.metrics.map((metric) => {
      const rows: Bar[] = categories.map((category) => ({
        label: category,
        value: found.ablation[category]?.[metric] ?? null,
      }));
      return h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": `${metric}: ablation` },
        h("h3", {}, metric),
        bars(rows, `${metric}: correlation lost when an error is forgiven`, 3, true),
      );
    }),
  );
}

function ranked(overview: OverviewPage, found: PeoplePage): HTMLElement | null {
  if (!found.ranked.length) return null;
  const rows: Bar[] = found.ranked.map((one) => ({
    label: one.system,
    value: one.mean,
    low: one.low,
    high: one.high,
    hue: ink(Math.max(0, overview.systems.indexOf(one.system))).hue,
  }));
  const drawing = bars(rows, `Mean ${found.criterion} of each system with 95 % intervals`, 2, false);
  const places = found.ranked.map((one) => [
    one.system,
    one.rank,
    one.rank_low === one.rank_high ? `${one.rank_low}` : `${one.rank_low} to ${one.rank_high}`,
    one.items,
  ]);
  return h(
    "section",
    {},
    h("h2", {}, "What people said of each system"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Means" }, drawing),
    exportButtons(`people-${found.criterion}`, () => drawing),
    table(
      "Ranks; systems that cannot be told apart share one",
      ["system", "shared rank", "rank in 95 % of resamples", "items"],
      places,
    ),
  );
}

function confusion(one: PeoplePage["confusions"][number]): HTMLElement {
  const cells = one.cells.map(({ row, column, n, wrong }) => ({
    row,
    column,
    share: n ? wrong / n : 0,
    text: wrong ? `${wrong}/${n}` : `${n}`,
    title: `${one.classes[row]} against ${one.classes[column]}: ${wrong} of ${n} wrong`,
  }));
  const total = one.cells.reduce((sum, cell) => sum + cell.n, 0);
  const wrong = one.cells.reduce((sum, cell) => sum + cell.wrong, 0);
  const drawing = matrix(one.classes, one.classes, cells, `Classes that ${one.system} takes for others`);
  return h(
    "section",
    {},
    h("h2", {}, `Equivalence classes: ${one.system}`),
    h(
      "p",
      {},
      `${total - wrong} of ${total} choices are right${total < 100 ? "; below 100 choices this is unreliable" : ""}. Rows: the true class. Columns: the class it was set against. Cells: wrong of all.`,
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Confusions" }, drawing),
    exportButtons(
      `confusions-${one.system}`,
      () => drawing,
      () => [
        ["class", "against", "n", "wrong"],
        ...one.cells.map((cell) => [one.classes[cell.row] ?? "", one.classes[cell.column] ?? "", cell.n, cell.wrong]),
      ],
    ),
  );
}

function agreement(found: Agreement, criterion: string): HTMLElement {
  const rows = Object.entries(found.coefficients).map(([name, one]) => [
    name,
    one.value === null
      ? (one.why ?? "–")
      : `${figure(one.value)}${one.low === null || one.low === undefined ? "" : ` [${figure(one.low)}, ${figure(one.high)}]`}`,
  ]);
  const profiles = Object.entries(found.profiles).map(([name, one]) => [
    name,
    one.judgements,
    figure(one.mean),
    figure(one.median_seconds, 1),
    `${one.top_value ?? "–"} (${Math.round((one.top_share ?? 0) * 100)} %)`,
    figure(found.leave_one_out[name]),
  ]);
  return h(
    "section",
    {},
    h("h2", {}, "Did they agree?"),
    ...found.warnings.map((text) => h("p", { class: "problem" }, text)),
    table(
      `Agreement on ${criterion}: ${plural(found.items, "text")}, ${plural(found.annotators, "annotator")}, ${plural(found.judgements, "judgement")}`,
      ["coefficient", "value"],
      rows,
    ),
    table(
      "Annotators",
      ["who", "judgements", "mean", "median seconds", "most frequent answer", "α without them"],
      profiles,
    ),
  );
}
