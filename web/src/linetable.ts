// Lines as rows: the tooltip, the card of one line, and the table of those that were chosen.

import { button, h, table } from "./dom";
import { datasetOf, interval, lineName, number, plural, systemOf } from "./format";
import { link } from "./state";
import type { AxisColumn, OverviewPage } from "./types";

const PAGE = 50;

export function signatureOf(axis: AxisColumn, line: number): string {
  return axis.signatures[axis.signature?.[line] ?? 0] ?? "";
}

function reason(axis: AxisColumn, line: number): string {
  return axis.why[line] ?? "not in the file";
}

export function tooltip(
  tip: HTMLElement,
  overview: OverviewPage,
  axes: AxisColumn[],
  line: number,
  x: number,
  y: number,
): void {
  tip.hidden = line < 0;
  if (line < 0) return;
  const rows = axes.map((axis) => {
    const value = axis.values[line];
    const text =
      value === null || value === undefined
        ? `– ${reason(axis, line)}`
        : interval(value, axis.low?.[line], axis.high?.[line], axis);
    return h("div", {}, h("dt", {}, axis.label), h("dd", {}, text, h("small", {}, signatureOf(axis, line))));
  });
  const n = overview.lines.n[line];
  tip.replaceChildren(
    h("b", {}, lineName(overview, line)),
    n === null || n === undefined ? "" : ` · ${plural(n, "item")}`,
    h("dl", {}, ...rows),
  );
  const room = (tip.offsetParent as HTMLElement | null)?.clientWidth ?? 0;
  tip.style.left = `${x > room / 2 ? Math.max(0, x - tip.offsetWidth - 16) : x + 16}px`;
  tip.style.top = `${Math.max(0, Math.min(y - 40, 460 - tip.offsetHeight))}px`;
}

/** Everything about one line, with the way to its texts. */
export function lineDetails(overview: OverviewPage, axes: AxisColumn[], line: number): HTMLElement {
  const dataset = datasetOf(overview, line);
  const rows = axes.map((axis) => {
    const value = axis.values[line];
    return value === null || value === undefined
      ? [axis.label, `missing: ${reason(axis, line)}`, signatureOf(axis, line)]
      : [axis.label, interval(value, axis.low?.[line], axis.high?.[line], axis), signatureOf(axis, line)];
  });
  const subset = overview.lines.subset[line] ?? "";
  const texts = overview.stored.includes(dataset)
    ? h(
        "a",
        {
          href: link("examples", {
            dataset,
            system: systemOf(overview, line),
            where: subset.includes("=") ? subset : null,
          }),
        },
        "Read its texts",
      )
    : null;
  return h(
    "section",
    { class: "details", "aria-label": "The line that was clicked" },
    h("h2", {}, lineName(overview, line)),
    texts,
    table("Its numbers", ["number", "value", "signature"], rows),
  );
}

export function lineTable(overview: OverviewPage, axes: AxisColumn[], chosen: Uint8Array, from: number): HTMLElement {
  const lines: number[] = [];
  chosen.forEach((wanted, line) => wanted && lines.push(line));
  const node = h("div", {});
  const draw = (start: number) => {
    const rows = lines.slice(start, start + PAGE).map((line) => [
      h("a", { href: link("cards", { kind: "system", name: systemOf(overview, line) }) }, systemOf(overview, line)),
      datasetOf(overview, line),
      overview.lines.subset[line] || "(whole)",
      overview.lines.n[line] ?? "–",
      ...axes.map((axis) => {
        const value = axis.values[line];
        return value === null || value === undefined
          ? h("span", { class: "soft", title: reason(axis, line) }, "–")
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
        plural(lines.length, "chosen line") +
          (lines.length > PAGE ? `, ${start + 1} to ${Math.min(lines.length, start + PAGE)}` : ""),
        headings,
        rows,
      ),
      h(
        "p",
        {},
        start > 0 ? button("Previous lines", () => draw(start - PAGE)) : null,
        " ",
        start + PAGE < lines.length ? button("Next lines", () => draw(start + PAGE)) : null,
      ),
    );
  };
  draw(from);
  return node;
}
