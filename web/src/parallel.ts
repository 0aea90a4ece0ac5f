// Parallel coordinates: one vertical axis for each metric, one line for each run.

import { Brush } from "./brush";
import { type Ink, themed } from "./colours";
import { h, s } from "./dom";
import { number } from "./format";
import { type Geometry, Painter, nearest } from "./painter";
import { type AxisScale, type Mode, scaleOf } from "./scales";
import type { Range } from "./selection";
import type { AxisColumn } from "./types";

const HEIGHT = 460;
const TOP = 92;
const BOTTOM = 44;
const SIDE = 52;
const GAP = 84;

export interface PlotOptions {
  axes: AxisColumn[];
  mode: Mode;
  brushes: Map<string, Range>;
  runs: number;
  /** Runs to draw; others are left out. */
  included: Uint8Array;
  ink(line: number): Ink;
  brushed(axis: string, range: Range | undefined): void;
  hovered(line: number, x: number, y: number): void;
  clicked(line: number): void;
  moved(axis: string, to: number): void;
  hidden(axis: string): void;
}

export class Parallel {
  readonly node = h("div", { class: "parallel" });
  readonly painter: Painter;
  private readonly back: Painter;
  private readonly svg: SVGSVGElement;
  private readonly mark = s("path", { class: "hovered", fill: "none" });
  private readonly brushes = new Map<string, Brush>();
  private readonly scales: AxisScale[];
  private readonly geometry: Geometry;
  private readonly width: number;
  private lines: Uint8Array;

  constructor(
    private readonly options: PlotOptions,
    room: number,
  ) {
    const { axes } = options;
    this.width = Math.max(room, SIDE * 2 + GAP * Math.max(0, axes.length - 1));
    const gap = axes.length > 1 ? (this.width - SIDE * 2) / (axes.length - 1) : 0;
    this.scales = axes.map((axis) => scaleOf(axis, options.mode, options.included));
    this.geometry = {
      xs: axes.map((_, i) => (axes.length > 1 ? SIDE + gap * i : this.width / 2)),
      ys: axes.map((axis, i) => heights(axis, this.scales[i] as AxisScale)),
    };
    this.lines = options.included;
    const [under, over] = [h("canvas", { "aria-hidden": "true" }), h("canvas", { "aria-hidden": "true" })];
    this.back = new Painter(under, options.runs, options.ink);
    this.painter = new Painter(over, options.runs, options.ink);
    const ratio = options.runs > 3000 ? 1 : Math.min(2, devicePixelRatio || 1);
    for (const painter of [this.back, this.painter]) painter.size(this.width, HEIGHT, ratio);
    this.svg = s("svg", {
      width: this.width,
      height: HEIGHT,
      role: "group",
      "aria-label": "Axes; drag on one to select runs",
    });
    this.svg.append(this.mark, ...this.groups(), ...axes.map((_, i) => this.axis(i)));
    const stack = h("div", { class: "stack" }, under, over, this.svg);
    stack.style.width = `${this.width}px`;
    stack.style.height = `${HEIGHT}px`;
    this.node.append(stack);
    this.svg.addEventListener("pointermove", (event) => this.hover(event));
    this.svg.addEventListener("pointerleave", () => this.highlight(-1, 0, 0));
    this.svg.addEventListener("click", (event) => this.options.clicked(this.under(event)));
    this.back.paint(this.geometry, this.lines, themed("--line"));
  }

  /** Highlight these runs; all others are drawn faded. */
  show(lines: Uint8Array): void {
    this.lines = lines;
    this.painter.paint(this.geometry, lines, null);
  }

  /** Show some of the highlighted runs only; null shows all again. */
  emphasise(wanted: ((line: number) => boolean) | null): void {
    const shown = wanted ? this.lines.map((bold, line) => (bold && wanted(line) ? 1 : 0)) : this.lines;
    this.painter.paint(this.geometry, shown, null);
  }

  setBrush(axis: string, range: Range | undefined): void {
    this.brushes.get(axis)?.show(range);
  }

  /** Return the position of a value, for measurements that point at it. */
  position(axis: string, value: number): { x: number; y: number } | null {
    const i = this.options.axes.findIndex((one) => one.name === axis);
    const scale = this.scales[i];
    if (!scale) return null;
    return { x: this.geometry.xs[i] as number, y: TOP + (1 - scale.at(value)) * (HEIGHT - TOP - BOTTOM) };
  }

  private point(event: MouseEvent): [number, number] {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private under(event: MouseEvent): number {
    const [x, y] = this.point(event);
    return y < TOP - 6 || y > HEIGHT - BOTTOM + 6 ? -1 : nearest(this.geometry, this.lines, x, y);
  }

  private hover(event: PointerEvent): void {
    if (event.buttons) return;
    const [x, y] = this.point(event);
    this.highlight(this.under(event), x, y);
  }

  highlight(line: number, x: number, y: number): void {
    this.mark.setAttribute("d", line < 0 ? "" : pathOf(this.geometry, line));
    this.node.classList.toggle("fading", line >= 0);
    if (line >= 0) this.mark.setAttribute("stroke", this.options.ink(line).hue);
    this.options.hovered(line, x, y);
  }

  /** Return category names above adjacent axes of one category. */
  private groups(): SVGElement[] {
    const made: SVGElement[] = [];
    const { axes } = this.options;
    for (let i = 0; i < axes.length;) {
      let j = i;
      while (axes[j + 1]?.category === axes[i]?.category) j++;
      const [from, to] = [(this.geometry.xs[i] as number) - 30, (this.geometry.xs[j] as number) + 30];
      made.push(
        s("line", { class: "group", x1: from, x2: to, y1: 22, y2: 22 }),
        s("text", { class: "group", x: (from + to) / 2, y: 15, "text-anchor": "middle" }, axes[i]?.category ?? ""),
      );
      i = j + 1;
    }
    return made;
  }

  private axis(i: number): SVGGElement {
    const axis = this.options.axes[i] as AxisColumn;
    const scale = this.scales[i] as AxisScale;
    const x = this.geometry.xs[i] as number;
    const bottom = HEIGHT - BOTTOM;
    const { included } = this.options;
    const missing = axis.values.reduce<number>(
      (sum, value, line) => sum + (value === null && included[line] ? 1 : 0),
      0,
    );
    const [above, below] = scale.flipped ? [scale.low, scale.high] : [scale.high, scale.low];
    const group = s("g", { class: "axis", transform: `translate(${x},0)`, "data-axis": axis.name });
    group.append(
      s("line", { x1: 0, x2: 0, y1: TOP, y2: bottom }),
      this.title(axis, i),
      s("text", { class: "end", x: 0, y: TOP - 8, "text-anchor": "middle" }, number(above, axis)),
      s("text", { class: "end", x: 0, y: bottom + 16, "text-anchor": "middle" }, number(below, axis)),
    );
    for (const tick of scale.ticks()) {
      const y = TOP + (1 - scale.at(tick)) * (bottom - TOP);
      if (y > TOP + 12 && y < bottom - 8) {
        group.append(s("text", { class: "tick", x: 6, y: y + 3 }, number(tick, axis)));
      }
    }
    const notes = [missing ? `${missing} missing` : "", scale.note].filter(Boolean).join("; ");
    if (notes) {
      group.append(
        s(
          "text",
          { class: "tick", x: 0, y: bottom + 31, "text-anchor": "middle" },
          missing ? `${missing} missing` : "linear",
          s("title", {}, notes),
        ),
      );
    }
    const brush = new Brush(axis, scale, TOP, bottom - TOP, this.options.brushes.get(axis.name), (range) =>
      this.options.brushed(axis.name, range),
    );
    this.brushes.set(axis.name, brush);
    group.append(brush.node);
    return group;
  }

  /** Return the name of an axis: drag it or use the arrow keys to move the axis, Delete to hide it. */
  private title(axis: AxisColumn, i: number): SVGGElement {
    const direction =
      axis.better === "lower"
        ? "lower is better, axis reversed"
        : axis.better
          ? "higher is better"
          : "neither end is better";
    const sign = axis.better === "lower" ? "↓" : axis.better ? "↑" : "·";
    const node = s(
      "g",
      {
        class: "title",
        role: "button",
        tabindex: 0,
        "aria-label": `${axis.label}, ${axis.category}, ${direction}. Arrow keys move this axis, Delete hides it.`,
      },
      s("rect", { x: -GAP / 2 + 2, y: i % 2 ? 48 : 26, width: GAP - 4, height: 20, rx: 3 }),
      s(
        "text",
        { x: 0, y: i % 2 ? 62 : 40, "text-anchor": "middle", ...squeezed(axis.label) },
        `${sign} ${axis.label}`,
      ),
      s("title", {}, [axis.label, axis.about, direction].filter(Boolean).join(" · ")),
    );
    node.addEventListener("keydown", (event) => {
      if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        event.preventDefault();
        this.options.moved(axis.name, i + (event.key === "ArrowLeft" ? -1 : 1));
      } else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        this.options.hidden(axis.name);
      }
    });
    node.addEventListener("pointerdown", (event) => {
      node.setPointerCapture(event.pointerId);
      node.addEventListener(
        "pointerup",
        (end) => {
          const [x] = this.point(end);
          const to = this.geometry.xs.reduce(
            (best, place, j) => (Math.abs(place - x) < Math.abs((this.geometry.xs[best] as number) - x) ? j : best),
            0,
          );
          if (to !== i) this.options.moved(axis.name, to);
        },
        { once: true },
      );
    });
    return node;
  }

  /** Return the plot as one self-contained SVG, for papers. */
  picture(): SVGSVGElement {
    const copy = this.svg.cloneNode(true) as SVGSVGElement;
    const paths: SVGElement[] = [];
    this.lines.forEach((wanted, line) => {
      if (!wanted) return;
      const { hue, dash } = this.options.ink(line);
      paths.push(
        s("path", {
          d: pathOf(this.geometry, line),
          fill: "none",
          stroke: hue,
          "stroke-dasharray": dash || null,
          "stroke-opacity": 0.7,
        }),
      );
    });
    copy.prepend(s("g", {}, ...paths));
    return copy;
  }
}

function heights(axis: AxisColumn, scale: AxisScale): Float32Array {
  return Float32Array.from(axis.values, (value) =>
    value === null ? NaN : TOP + (1 - scale.at(value)) * (HEIGHT - TOP - BOTTOM),
  );
}

function pathOf({ xs, ys }: Geometry, line: number): string {
  let path = "";
  let open = false;
  xs.forEach((x, i) => {
    const y = ys[i]?.[line] ?? NaN;
    if (!Number.isNaN(y)) path += `${open ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}${open ? "" : "h0.01"}`;
    open = !Number.isNaN(y);
  });
  return path;
}

/** Return attributes that condense a long name instead of truncating it: a prefix could be another metric's name. */
function squeezed(name: string): Record<string, string | number> {
  return name.length > 11 ? { textLength: GAP - 12, lengthAdjust: "spacingAndGlyphs" } : {};
}
