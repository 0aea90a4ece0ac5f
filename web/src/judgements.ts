// What people said of each system, which classes systems mistook, and whether those who judged agreed.

import { type Bar, bars, matrix } from "./charts";
import { ink } from "./colours";
import { h, table } from "./dom";
import { exportButtons } from "./exports";
import { estimate, figure, plural } from "./format";
import type { Agreement, Confusion, OverviewPage, PeoplePage } from "./types";

export function ranked(overview: OverviewPage, found: PeoplePage): HTMLElement | null {
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

export function confusion(one: Confusion): HTMLElement {
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
      `${total - wrong} of ${total} choices are right${total < 100 ? "; below 100 choices this is unreliable" : ""}. ` +
        "Rows: the true class. Columns: the class it was set against. Cells: wrong of all.",
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

export function agreement(found: Agreement, criterion: string): HTMLElement {
  const rows = Object.entries(found.coefficients).map(([name, one]) => [name, estimate(one.value, one)]);
  const amounts = [
    plural(found.items, "text"),
    plural(found.annotators, "annotator"),
    plural(found.judgements, "judgement"),
  ].join(", ");
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
    table(`Agreement on ${criterion}: ${amounts}`, ["coefficient", "value"], rows),
    table(
      "Annotators",
      ["who", "judgements", "mean", "median seconds", "most frequent answer", "α without them"],
      profiles,
    ),
  );
}
