// Small charts: scatter plots, intervals, bars, matrices. The values of each are also in a table or a label.

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { NEUTRAL, type Ink, shade } from "./colours";
import { s } from "./dom";
import { figure } from "./format";

export interface Dot {
  x: number;
  y: number;
  group: string;
  name: string;
}

interface Fit {
  slope: number;
  offset: number;
  from: number;
  to: number;
}

export function fit(dots: Dot[]): Fit | null {
  const n = dots.length;
  const [mx, my] = [dots.reduce((sum, dot) => sum + dot.x, 0) / n, dots.reduce((sum, dot) => sum + dot.y, 0) / n];
  const spread = dots.reduce((sum, dot) => sum + (dot.x - mx) ** 2, 0);
  if (n < 3 || spread === 0) return null;
  const slope = dots.reduce((sum, dot) => sum + (dot.x - mx) * (dot.y - my), 0) / spread;
  const xs = dots.map((dot) => dot.x);
  return { slope, offset: my - slope * mx, from: Math.min(...xs), to: Math.max(...xs) };
}

/** Return a scatter plot of a metric and judgements, with a regression line for all and for each system. */
export function scatter(
  dots: Dot[],
  groups: string[],
  inkOf: (group: string) => Ink,
  xName: string,
  yName: string,
  width: number,
): SVGSVGElement {
  const [height, left, bottom, top] = [Math.round(Math.min(380, Math.max(260, width * 0.62))), 56, 44, 12];
  const x = scaleLinear(extent(dots, (dot) => dot.x) as [number, number], [left, width - 16]).nice();
  const y = scaleLinear(extent(dots, (dot) => dot.y) as [number, number], [height - bottom, top]).nice();
  const svg = s("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    class: "scatter",
    role: "img",
    "aria-label": `Scatter plot of ${dots.length} texts, x-axis ${xName}, y-axis ${yName}; the correlations are in the table`,
  });
  for (const tick of x.ticks(width < 400 ? 4 : 6))
    svg.append(
      s("text", { class: "tick", x: x(tick), y: height - bottom + 16, "text-anchor": "middle" }, x.tickFormat(6)(tick)),
    );
  for (const tick of y.ticks(6))
    svg.append(
      s("line", { class: "grid", x1: left, x2: width - 16, y1: y(tick), y2: y(tick), "stroke-opacity": 0.25 }),
      s("text", { class: "tick", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, y.tickFormat(6)(tick)),
    );
  svg.append(
    s("text", { x: (left + width) / 2, y: height - 8, "text-anchor": "middle" }, xName),
    s("text", { x: 14, y: height / 2, transform: `rotate(-90 14 ${height / 2})`, "text-anchor": "middle" }, yName),
  );
  dots.forEach((dot, i) => {
    const mark = s("circle", {
      cx: x(dot.x) + jitter(i),
      cy: y(dot.y) + jitter(i + 7),
      r: 3.5,
      fill: inkOf(dot.group).hue,
      "fill-opacity": 0.6,
    });
    mark.dataset["tip"] = `${dot.name} · ${dot.group}: ${xName} ${figure(dot.x, 3)}, ${yName} ${figure(dot.y, 2)}`;
    svg.append(mark);
  });
  const draw = (line: Fit | null, hue: string, thick: number, dash: string) => {
    if (!line) return;
    const at = (value: number) => y(line.offset + line.slope * value);
    const drawn = s("line", {
      x1: x(line.from),
      x2: x(line.to),
      y1: at(line.from),
      y2: at(line.to),
      "stroke-width": thick,
      "stroke-dasharray": dash || null,
    });
    drawn.style.stroke = hue;
    svg.append(drawn);
  };
  for (const group of groups) {
    const { hue, dash } = inkOf(group);
    draw(fit(dots.filter((dot) => dot.group === group)), hue, 1.5, dash);
  }
  draw(fit(dots), "var(--ink)", 3, "7 4");
  return svg;
}

/** Return a small fixed offset, so that equal values do not overlap. */
function jitter(i: number): number {
  return ((i * 7919) % 9) - 4;
}

export interface Bar {
  label: string;
  value: number | null;
  low?: number | null;
  high?: number | null;
  hue?: string;
}

/** Return values with confidence intervals on one common scale, which includes zero if `zero` is set. */
export function bars(rows: Bar[], name: string, digits: number, zero: boolean, width = 720): SVGSVGElement {
  const narrow = width < 480; // on a phone the interval is read by pointer or keyboard
  const most = narrow ? 18 : 28;
  const label = (text: string) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const longest = Math.max(...rows.map((row) => label(row.label).length));
  const [tall, left, right] = [22, 16 + longest * 7, narrow ? 52 : 150];
  const plot = Math.max(80, Math.min(420, width - left - right));
  const ends = rows
    .flatMap((row) => [row.value, row.low, row.high])
    .filter((end): end is number => end !== null && end !== undefined);
  if (zero) ends.push(0);
  const x = scaleLinear(extent(ends) as [number, number], [left, left + plot]).nice();
  const ticks = narrow ? 3 : 5;
  const height = rows.length * tall + 24;
  const svg = s("svg", { width: left + plot + right, height, role: "img", "aria-label": name });
  if (zero) svg.append(s("line", { x1: x(0), x2: x(0), y1: 0, y2: height - 24 }));
  for (const tick of x.ticks(ticks))
    svg.append(
      s("text", { class: "tick", x: x(tick), y: height - 6, "text-anchor": "middle" }, x.tickFormat(ticks)(tick)),
    );
  rows.forEach((row, i) => {
    const y = i * tall + 13;
    const group = s("g", {}, s("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, label(row.label)));
    svg.append(group);
    if (row.value === null) {
      group.append(s("text", { class: "tick", x: left + 4, y: y + 4 }, "undefined"));
      return;
    }
    const hue = row.hue ?? "var(--accent)";
    const mark = zero
      ? s("rect", {
          x: Math.min(x(0), x(row.value)),
          y: y - 6,
          width: Math.max(1, Math.abs(x(row.value) - x(0))),
          height: 12,
          "fill-opacity": 0.55,
        })
      : s("circle", { cx: x(row.value), cy: y, r: 5 });
    mark.style.fill = hue;
    const hasInterval = row.low !== null && row.low !== undefined && row.high !== null && row.high !== undefined;
    if (hasInterval) {
      const line = s("line", { x1: x(row.low as number), x2: x(row.high as number), y1: y, y2: y, "stroke-width": 3 });
      line.style.stroke = hue;
      group.append(line);
    }
    group.append(mark);
    const text = hasInterval
      ? `${figure(row.value, digits)} [${figure(row.low, digits)}, ${figure(row.high, digits)}]`
      : figure(row.value, digits);
    group.dataset["tip"] = `${row.label}: ${text}`;
    group.append(s("text", { x: left + plot + 10, y: y + 4 }, narrow ? figure(row.value, digits) : text));
  });
  return svg;
}

export interface Cell {
  row: number;
  column: number;
  /** From 0 to 1: how strongly the cell is coloured. */
  share: number;
  text: string;
  title: string;
}

export function matrix(rows: string[], columns: string[], cells: Cell[], name: string): SVGSVGElement {
  const [side, cell, top] = [180, 64, 96];
  const svg = s("svg", {
    width: side + columns.length * cell + 60,
    height: top + rows.length * 24 + 6,
    role: "img",
    "aria-label": name,
  });
  columns.forEach((text, i) =>
    svg.append(
      s(
        "text",
        {
          x: side + i * cell + cell / 2,
          y: top - 8,
          transform: `rotate(-40 ${side + i * cell + cell / 2} ${top - 8})`,
        },
        text.slice(0, 18),
      ),
    ),
  );
  rows.forEach((text, i) =>
    svg.append(s("text", { x: side - 8, y: top + i * 24 + 16, "text-anchor": "end" }, text.slice(0, 28))),
  );
  for (const one of cells) {
    const box = s("rect", { x: side + one.column * cell + 1, y: top + one.row * 24 + 1, width: cell - 2, height: 22 });
    box.style.fill = shade(one.share, NEUTRAL);
    box.append(s("title", {}, one.title));
    svg.append(
      box,
      s(
        "text",
        { x: side + one.column * cell + cell / 2, y: top + one.row * 24 + 16, "text-anchor": "middle" },
        one.text,
      ),
    );
  }
  return svg;
}
