// Histogram of the per-item differences of two systems. A brush, or Enter on a bar, selects the items of a range.

import { scaleLinear } from "d3-scale";
import { chart } from "./chart";
import { h, s } from "./dom";
import { number, plural } from "./format";
import type { AxisColumn, DifferencePage } from "./types";

const [HEIGHT, TOP, BOTTOM, SIDE] = [190, 12, 46, 44];

/** A range of differences; null at an end of the histogram, where the range is open. */
export interface Range {
  low: number | null;
  high: number | null;
}

/** Return the sentence that the histogram shows, oriented by what is better. */
export function summary(page: DifferencePage, axis: AxisColumn | undefined): string {
  const { a, b, n, a_higher: more, b_higher: less } = page;
  const [wins, losses] = axis?.better === "lower" ? [less, more] : [more, less];
  const word = axis?.better ? "better" : "higher";
  const label = axis?.label ?? page.metric;
  return (
    `By ${label}, ${a} is ${word} on ${wins.toLocaleString("en")} of ${plural(n, "item")}, ` +
    `${b} on ${losses.toLocaleString("en")}; they are equal on ${(n - wins - losses).toLocaleString("en")}.`
  );
}

/** Return the chart; `select` gets a range, or null if the selection is cleared. */
export function histogram(
  page: DifferencePage,
  axis: AxisColumn | undefined,
  hues: [string, string],
  selected: Range | null,
  select: (range: Range | null) => void,
): HTMLElement {
  const { counts, width: step } = page;
  const middle = (counts.length - 1) / 2;
  const edge = (place: number) => (place - middle - 0.5) * step;
  const shown = axis ?? { scale: 1, digits: 3, fraction: false };
  const flipped = axis?.better === "lower";
  const between = (bin: number) => `${number(edge(bin), shown, true)} to ${number(edge(bin + 1), shown, true)}`;
  const rangeOf = (from: number, to: number): Range => ({
    low: from <= 0 ? null : edge(from),
    high: to >= counts.length - 1 ? null : edge(to + 1),
  });
  const inside = (bin: number, range: Range | null) =>
    range !== null &&
    (range.low === null || edge(bin) >= range.low - step / 2) &&
    (range.high === null || edge(bin + 1) <= range.high + step / 2);
  let now = selected;
  let anchor = -1;
  let paint = () => {};

  const draw = (width: number): SVGSVGElement => {
    const ends = [SIDE, width - 8];
    const x = scaleLinear([edge(0), edge(counts.length)], flipped ? ends.reverse() : ends);
    const y = scaleLinear([0, Math.max(1, ...counts)], [HEIGHT - BOTTOM, TOP]).nice();
    const drawing = s("svg", {
      width,
      height: HEIGHT,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      class: "histogram",
      role: "img",
      "aria-label": `${summary(page, axis)} Histogram of ${page.a} minus ${page.b} in ${counts.length} bins`,
    });
    for (const tick of y.ticks(4).filter(Number.isInteger))
      drawing.append(
        s("line", { class: "grid", x1: SIDE, x2: width - 8, y1: y(tick), y2: y(tick), "stroke-opacity": 0.25 }),
        s("text", { class: "tick", x: SIDE - 6, y: y(tick) + 4, "text-anchor": "end" }, tick.toLocaleString("en")),
      );
    const bars = counts.map((count, bin) => {
      const [from, to] = [x(edge(bin)), x(edge(bin + 1))].sort((one, other) => one - other) as [number, number];
      const bar = s("g", { class: "bin", "data-bin": bin, "data-tip": `${between(bin)}: ${plural(count, "item")}` });
      const fill = s("rect", { x: from + 1, y: y(count), width: Math.max(1, to - from - 2), height: y(0) - y(count) });
      const better = flipped ? bin < middle : bin > middle;
      fill.style.fill = bin === middle ? "var(--behind)" : hues[better ? 0 : 1];
      // The whole column reacts to the pointer: a bar of one item would be too low to hit.
      bar.append(fill, s("rect", { class: "zone", x: from, y: TOP, width: to - from, height: y(0) - TOP }));
      return bar;
    });
    drawing.append(...bars, s("line", { x1: x(0), x2: x(0), y1: TOP, y2: y(0) }));
    for (const tick of x.ticks(width < 500 ? 4 : 8))
      drawing.append(
        s("text", { class: "tick", x: x(tick), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle" }, number(tick, shown)),
      );
    const [left, right] = axis?.better
      ? [`← ${page.b} better`, `${page.a} better →`]
      : [`← ${page.b} higher`, `${page.a} higher →`];
    drawing.append(
      s("text", { class: "end", x: SIDE, y: HEIGHT - 8 }, left),
      s("text", { class: "end", x: width - 8, y: HEIGHT - 8, "text-anchor": "end" }, right),
    );
    paint = () => bars.forEach((bar, bin) => bar.classList.toggle("out", now !== null && !inside(bin, now)));
    const binAt = (event: PointerEvent) => {
      const box = drawing.getBoundingClientRect();
      const value = x.invert(((event.clientX - box.left) / box.width) * width);
      return Math.max(0, Math.min(counts.length - 1, Math.floor(value / step + middle + 0.5)));
    };
    drawing.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      drawing.setPointerCapture(event.pointerId);
      anchor = binAt(event);
    });
    drawing.addEventListener("pointermove", (event) => {
      if (!drawing.hasPointerCapture(event.pointerId)) return;
      const bin = binAt(event);
      now = rangeOf(Math.min(anchor, bin), Math.max(anchor, bin));
      paint();
    });
    drawing.addEventListener("pointerup", (event) => {
      const bin = binAt(event);
      now = rangeOf(Math.min(anchor, bin), Math.max(anchor, bin));
      paint();
      select(now);
    });
    paint();
    return drawing;
  };

  return chart(draw, {
    name: `differences-${page.metric}-${page.a}-${page.b}`,
    rows: () => [["from", "to", "items"], ...counts.map((count, bin) => [edge(bin), edge(bin + 1), count])],
    legend: h("span", { class: "soft" }, "Drag over bars, or press Enter on one, to see their texts; Shift extends."),
    pick: (mark, extend) => {
      const bin = Number(mark.dataset["bin"]);
      const from = extend && anchor >= 0 ? anchor : (anchor = bin);
      now = rangeOf(Math.min(from, bin), Math.max(from, bin));
      paint();
      select(now);
    },
  });
}
