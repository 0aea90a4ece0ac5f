// Runs in detail: the tooltip, the card of one run, and the table of the selected runs.

import { button, h, table } from "./dom";
import { datasetOf, interval, runName, number, plural, systemOf } from "./format";
import { link } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

const PAGE = 50;

export function signatureOf(axis: AxisColumn, run: number): string {
  return axis.signatures[axis.signature?.[run] ?? 0] ?? "";
}

function reason(axis: AxisColumn, run: number): string {
  return axis.why[run] ?? "not in the file";
}

export function tooltip(
  tip: HTMLElement,
  overview: OverviewPage,
  axes: AxisColumn[],
  run: number,
  x: number,
  y: number,
): void {
  tip.hidden = run < 0;
  if (run < 0) return;
  const rows = axes.map((axis) => {
    const value = axis.values[run];
    const text =
      value === null || value === undefined
        ? `– ${reason(axis, run)}`
        : interval(value, axis.low?.[run], axis.high?.[run], axis);
    return h("div", {}, h("dt", {}, axis.label), h("dd", {}, text, h("small", {}, signatureOf(axis, run))));
  });
  const n = overview.runs.n[run];
  tip.replaceChildren(
    h("b", {}, runName(overview, run)),
    n === null || n === undefined ? "" : ` · ${plural(n, "item")}`,
    h("dl", {}, ...rows),
  );
  const room = (tip.offsetParent as HTMLElement | null)?.clientWidth ?? 0;
  tip.style.left = `${x > room / 2 ? Math.max(0, x - tip.offsetWidth - 16) : x + 16}px`;
  tip.style.top = `${Math.max(0, Math.min(y - 40, 460 - tip.offsetHeight))}px`;
}

/** Return all scores of one run, with a link to its texts. */
export function runDetails(overview: OverviewPage, axes: AxisColumn[], run: number): HTMLElement {
  const dataset = datasetOf(overview, run);
  const rows = axes.map((axis) => {
    const value = axis.values[run];
    return value === null || value === undefined
      ? [axis.label, `missing: ${reason(axis, run)}`, signatureOf(axis, run)]
      : [axis.label, interval(value, axis.low?.[run], axis.high?.[run], axis), signatureOf(axis, run)];
  });
  const subset = overview.runs.subset[run] ?? "";
  const texts = overview.stored.includes(dataset)
    ? h(
        "a",
        {
          href: link("examples", {
            dataset,
            system: systemOf(overview, run),
            where: subset.includes("=") ? subset : null,
          }),
        },
        "Show texts",
      )
    : null;
  return h(
    "section",
    { class: "details", "aria-label": "Details of the run" },
    h("h2", {}, runName(overview, run)),
    texts,
    table("Scores", ["metric", "score", "signature"], rows),
  );
}

export function runTable(overview: OverviewPage, axes: AxisColumn[], selected: Uint8Array, from: number): HTMLElement {
  const runs: number[] = [];
  selected.forEach((wanted, run) => wanted && runs.push(run));
  const node = h("div", {});
  const draw = (start: number) => {
    const rows = runs.slice(start, start + PAGE).map((run) => [
      h("a", { href: link("cards", { kind: "system", name: systemOf(overview, run) }) }, systemOf(overview, run)),
      datasetOf(overview, run),
      overview.runs.subset[run] || "(all items)",
      overview.runs.n[run] ?? "–",
      ...axes.map((axis) => {
        const value = axis.values[run];
        return value === null || value === undefined
          ? h("span", { class: "soft", title: reason(axis, run) }, "–")
          : number(value, axis);
      }),
    ]);
    const headings = [
      "system",
      "dataset",
      "subset",
      "n",
      ...axes.map((axis) => h("a", { href: link("cards", { kind: "metric", name: axis.name }) }, axis.label)),
    ];
    node.replaceChildren(
      table(
        plural(runs.length, "selected run") +
          (runs.length > PAGE ? `, ${start + 1} to ${Math.min(runs.length, start + PAGE)}` : ""),
        headings,
        rows,
      ),
      h(
        "p",
        {},
        start > 0 ? button("Previous", () => draw(start - PAGE)) : null,
        " ",
        start + PAGE < runs.length ? button("Next", () => draw(start + PAGE)) : null,
      ),
    );
  };
  draw(from);
  return node;
}
