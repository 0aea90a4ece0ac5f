// How far a metric follows people: the dots, the coefficients, which metric is closer, and what each rests on.

import { type Bar, type Dot, bars, matrix, scatter } from "./charts";
import { ink } from "./colours";
import { h, table } from "./dom";
import { exportButtons } from "./exports";
import { estimate, figure, plural, probability } from "./format";
import { legend } from "./legend";
import { link } from "./state";
import type { Correlation, OverviewPage, PeoplePage } from "./types";

export function scatterSection(overview: OverviewPage, found: PeoplePage, metric: string): HTMLElement {
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
    legend(
      groups.map((group, i) => [group, { hue: ink(i).hue, dash: "" }]),
      "Colours: system",
      [h("li", { class: "soft" }, "dashed: all systems together")],
    ),
    exportButtons(
      `${metric}-${found.criterion}`,
      () => drawing,
      () => [["id", "system", metric, found.criterion], ...dots.map((dot) => [dot.name, dot.group, dot.x, dot.y])],
    ),
  );
}

export function correlations(found: PeoplePage): HTMLElement | null {
  const names = Object.keys(found.correlations);
  if (!names.length) return null;
  const said = (one: Correlation | null | undefined) => (one ? estimate(one.r, one) : "–");
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

export function williams(found: PeoplePage): HTMLElement | null {
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
      "Williams' test, two-sided, metrics that are better when lower turned round; shaded below .05. " +
        `p after Holm's correction over ${plural((names.length * (names.length - 1)) / 2, "pair")}.`,
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Williams matrix" }, drawing),
    exportButtons(
      "williams",
      () => drawing,
      () => [["", ...names], ...names.map((a) => [a, ...names.map((b) => found.williams[a]?.[b] ?? null)])],
    ),
  );
}

export function ablation(found: PeoplePage): HTMLElement | null {
  const categories = Object.keys(found.ablation);
  if (!categories.length) return null;
  return h(
    "section",
    {},
    h("h2", {}, "What each metric's correlation rests on"),
    h(
      "p",
      { class: "soft" },
      "How much of the correlation is lost when one kind of error is forgiven; " +
        "below zero the metric does better without it.",
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
