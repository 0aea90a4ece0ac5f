// Correlation of metrics with human judgements: scatter plot, coefficients, Williams' test, ablation by error type.

import { type Bar, type Dot, bars, matrix, scatter } from "./charts";
import { chart } from "./chart";
import { inkOf } from "./colours";
import { h, table } from "./dom";
import { exportButtons } from "./exports";
import { estimate, figure, plural, probability } from "./format";
import { legend } from "./legend";
import { link } from "./state";
import type { Correlation, OverviewPage, HumanPage } from "./types";

export function scatterSection(overview: OverviewPage, page: HumanPage, metric: string): HTMLElement {
  const values = page.points.values[metric] ?? [];
  const dots: Dot[] = page.points.human.flatMap((human, i) => {
    const value = values[i];
    return value === null || value === undefined
      ? []
      : [{ x: value, y: human, group: page.points.system[i] ?? "", name: page.points.id[i] ?? "" }];
  });
  const groups = [...new Set(page.points.system)];
  const own = (system: string) => inkOf(overview.systems, system);
  const both = page.correlations[metric];
  const [raw, partial] = [both?.raw.r ?? null, both?.partial?.r ?? null];
  const differ = raw !== null && partial !== null && Math.abs(raw - partial) > 0.2;
  const summary =
    partial === null
      ? `r = ${figure(raw)} over all texts.`
      : `Raw r = ${figure(raw)}, partial r (controlled for system) = ${figure(partial)}.`;
  return h(
    "section",
    {},
    h("h2", {}, `${metric} and ${page.criterion}`),
    h("p", { class: "sentence" }, summary),
    differ
      ? h(
          "p",
          { class: "problem" },
          "Raw and partial correlation differ by more than .2: the raw one mostly reflects differences between systems.",
        )
      : null,
    chart((width) => scatter(dots, groups, own, metric, page.criterion, Math.min(width, 620)), {
      name: `${metric}-${page.criterion}`,
      rows: () => [["id", "system", metric, page.criterion], ...dots.map((dot) => [dot.name, dot.group, dot.x, dot.y])],
      legend: legend(
        groups.map((group) => [group, { hue: own(group).hue, dash: "" }]),
        "Colours: system",
        [h("li", { class: "soft" }, "dashed line: all systems")],
      ),
    }),
  );
}

export function correlations(page: HumanPage): HTMLElement | null {
  const names = Object.keys(page.correlations);
  if (!names.length) return null;
  const shown = (one: Correlation | null | undefined) => (one ? estimate(one.r, one) : "–");
  const rows = names.map((name) => {
    const both = page.correlations[name];
    return [
      h("a", { href: link("cards", { kind: "metric", name }) }, name),
      shown(both?.raw),
      probability(both?.raw.p),
      shown(both?.partial),
      probability(both?.partial?.p),
    ];
  });
  return h(
    "section",
    {},
    h("h2", {}, "Correlations"),
    table(
      `Pearson correlation with ${page.criterion} over ${plural(page.n, "judged text")}; partial: controlled for system; p not corrected for the number of metrics`,
      ["metric", "raw", "p", "partial", "p"],
      rows,
    ),
  );
}

export function williams(page: HumanPage): HTMLElement | null {
  const names = page.metrics.filter((name) => Object.keys(page.williams[name] ?? {}).length);
  if (names.length < 2) return null;
  const cells = names.flatMap((a, row) =>
    names.flatMap((b, column) => {
      if (a === b) return [];
      const p = page.williams[a]?.[b];
      const significant = p !== null && p !== undefined && p < 0.05;
      const between = page.between[a]?.[b];
      return [
        {
          row,
          column,
          share: significant ? 0.6 : 0,
          text: probability(p),
          title: `${a} and ${b}: p ${probability(p)}, correlation between them ${figure(between)}`,
        },
      ];
    }),
  );
  const controlled = Object.values(page.correlations).some(({ partial }) => partial) ? ", controlled for system" : "";
  const drawing = matrix(names, names, cells, `Williams' test for all pairs of metrics; shaded: p < .05`);
  return h(
    "section",
    {},
    h("h2", {}, "Which metrics correlate significantly better?"),
    h(
      "p",
      { class: "soft" },
      `Williams' test, two-sided${controlled}; metrics for which lower is better are negated; shaded: p < .05. ` +
        `p after Holm's correction over ${plural((names.length * (names.length - 1)) / 2, "pair")}.`,
    ),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Williams matrix" }, drawing),
    exportButtons(
      "williams",
      () => drawing,
      () => [["", ...names], ...names.map((a) => [a, ...names.map((b) => page.williams[a]?.[b] ?? null)])],
    ),
  );
}

export function ablation(page: HumanPage): HTMLElement | null {
  const categories = Object.keys(page.ablation);
  if (!categories.length) return null;
  return h(
    "section",
    {},
    h("h2", {}, "Ablation by error type"),
    h(
      "p",
      { class: "soft" },
      "Loss of correlation when one type of error is ignored; " + "below zero: the correlation is higher without it.",
    ),
    ...page.metrics.map((metric) => {
      const rows: Bar[] = categories.map((category) => ({
        label: category,
        value: page.ablation[category]?.[metric] ?? null,
      }));
      return h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": `${metric}: ablation` },
        h("h3", {}, metric),
        bars(rows, `${metric}: loss of correlation when an error type is ignored`, 3, true),
      );
    }),
  );
}
