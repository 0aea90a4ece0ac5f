// Small drawings of our own: dots, intervals, bars, matrices. Each has its numbers in a table or a label beside it.

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { diverging, ink } from "./colours";
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

/** A metric against judgements, with one line for all and a thin one for each system. */
export function scatter(dots: Dot[], groups: string[], xName: string, yName: string): SVGSVGElement {
  const [width, height, left, bottom, top] = [620, 380, 56, 44, 12];
  const x = scaleLinear(extent(dots, (dot) => dot.x) as [number, number], [left, width - 16]).nice();
  const y = scaleLinear(extent(dots, (dot) => dot.y) as [number, number], [height - bottom, top]).nice();
  const svg = s("svg", {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `${dots.length} texts: ${xName} against ${yName}; the correlations are in the table`,
  });
  for (const tick of x.ticks(6))
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
      fill: ink(groups.indexOf(dot.group)).hue,
      "fill-opacity": 0.6,
    });
    mark.append(
      s("title", {}, `${dot.name} · ${dot.group}: ${xName} ${figure(dot.x, 3)}, ${yName} ${figure(dot.y, 2)}`),
    );
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
  groups.forEach((group, i) => draw(fit(dots.filter((dot) => dot.group === group)), ink(i).hue, 1.5, ink(i).dash));
  draw(fit(dots), "var(--ink)", 3, "7 4");
  return svg;
}

/** Dots on few values hide each other; a fixed small shift shows how many there are. */
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

/** Values with their intervals, on one common scale that holds zero when asked to. */
export function bars(rows: Bar[], name: string, digits: number, zero: boolean): SVGSVGElement {
  const [tall, left, plot, right] = [22, 170, 300, 170];
  const ends = rows
    .flatMap((row) => [row.value, row.low, row.high])
    .filter((end): end is number => end !== null && end !== undefined);
  if (zero) ends.push(0);
  const x = scaleLinear(extent(ends) as [number, number], [left, left + plot]).nice();
  const height = rows.length * tall + 24;
  const svg = s("svg", { width: left + plot + right, height, role: "img", "aria-label": name });
  if (zero) svg.append(s("line", { x1: x(0), x2: x(0), y1: 0, y2: height - 24 }));
  for (const tick of x.ticks(5))
    svg.append(s("text", { class: "tick", x: x(tick), y: height - 6, "text-anchor": "middle" }, x.tickFormat(5)(tick)));
  rows.forEach((row, i) => {
    const y = i * tall + 13;
    svg.append(s("text", { x: left - 10, y: y + 4, "text-anchor": "end" }, row.label.slice(0, 26)));
    if (row.value === null) {
      svg.append(s("text", { class: "tick", x: left + 4, y: y + 4 }, "not defined"));
      return;
    }
    const hue = row.hue ?? ink(0).hue;
    if (zero)
      svg.append(
        s("rect", {
          x: Math.min(x(0), x(row.value)),
          y: y - 6,
          width: Math.max(1, Math.abs(x(row.value) - x(0))),
          height: 12,
          fill: hue,
          "fill-opacity": 0.55,
        }),
      );
    const hasInterval = row.low !== null && row.low !== undefined && row.high !== null && row.high !== undefined;
    if (hasInterval) {
      const line = s("line", { x1: x(row.low as number), x2: x(row.high as number), y1: y, y2: y, "stroke-width": 3 });
      line.style.stroke = hue;
      svg.append(line);
    }
    if (!zero) svg.append(s("circle", { cx: x(row.value), cy: y, r: 5, fill: hue }));
    const label = hasInterval
      ? `${figure(row.value, digits)} [${figure(row.low, digits)}, ${figure(row.high, digits)}]`
      : figure(row.value, digits);
    svg.append(s("text", { x: left + plot + 10, y: y + 4 }, label));
  });
  return svg;
}

export interface Cell {
  row: number;
  column: number;
  /** From -1 to 1: how strongly the cell is coloured, and which way. */
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
    box.style.fill = diverging(one.share);
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
