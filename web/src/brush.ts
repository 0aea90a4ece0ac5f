// The range on one axis: drag to set or move it, click to clear it; or use two sliders from the keyboard.

import { s } from "./dom";
import { number } from "./format";
import type { AxisScale } from "./scales";
import type { Range } from "./selection";
import type { AxisColumn } from "./types";

const REACH = 13;
const STEP = 0.01;

export class Brush {
  readonly node = s("g", { class: "brush" });
  private readonly box = s("rect", { class: "range", x: -7, width: 14 });
  private readonly handles: Record<"low" | "high", SVGGElement>;

  constructor(
    private readonly axis: AxisColumn,
    private readonly scale: AxisScale,
    private readonly top: number,
    private readonly height: number,
    private range: Range | undefined,
    private readonly changed: (range: Range | undefined) => void,
  ) {
    const zone = s("rect", { class: "zone", x: -REACH, width: REACH * 2, y: top - 4, height: height + 8 });
    zone.addEventListener("pointerdown", (event) => this.drag(event, zone));
    this.handles = { low: this.handle("low"), high: this.handle("high") };
    this.node.append(zone, this.box, this.handles.low, this.handles.high);
    this.draw();
  }

  private y(value: number): number {
    return this.top + (1 - this.scale.at(value)) * this.height;
  }

  private value(y: number): number {
    return this.scale.value(Math.min(1, Math.max(0, 1 - (y - this.top) / this.height)));
  }

  private handle(end: "low" | "high"): SVGGElement {
    const name = end === "low" ? "minimum" : "maximum";
    const made = s(
      "g",
      {
        class: "handle",
        role: "slider",
        tabindex: 0,
        "aria-orientation": "vertical",
        "aria-label": `${name} ${this.axis.label}`,
      },
      s("path", { d: end === "low" ? "M-7,0 h14 l-7,7 z" : "M-7,0 h14 l-7,-7 z" }),
    );
    made.setAttribute("aria-valuemin", String(this.scale.low));
    made.setAttribute("aria-valuemax", String(this.scale.high));
    made.addEventListener("keydown", (event) => this.key(event, end));
    return made;
  }

  private key(event: KeyboardEvent, end: "low" | "high"): void {
    const now = this.range ?? { low: this.scale.low, high: this.scale.high };
    const step = event.shiftKey ? STEP * 10 : STEP;
    const up = (by: number) => this.scale.value(Math.min(1, Math.max(0, this.scale.at(now[end]) + by)));
    let value: number;
    if (event.key === "ArrowUp" || event.key === "ArrowRight") value = up(step);
    else if (event.key === "ArrowDown" || event.key === "ArrowLeft") value = up(-step);
    else if (event.key === "Home") value = this.scale.low;
    else if (event.key === "End") value = this.scale.high;
    else if (event.key === "Escape" || event.key === "Delete") {
      event.preventDefault();
      this.set(undefined);
      return;
    } else return;
    event.preventDefault();
    const moved = { ...now, [end]: value };
    this.set({ low: Math.min(moved.low, moved.high), high: Math.max(moved.low, moved.high) });
  }

  private drag(event: PointerEvent, zone: SVGRectElement): void {
    event.preventDefault();
    zone.setPointerCapture(event.pointerId);
    const at = (pointer: PointerEvent) => pointer.clientY - (zone.ownerSVGElement?.getBoundingClientRect().top ?? 0);
    const start = at(event);
    const before = this.range;
    const ends = before && ([this.y(before.low), this.y(before.high)] as const);
    const inBrush = ends && start > Math.min(...ends) + 5 && start < Math.max(...ends) - 5;
    const nearEnd = ends && !inBrush ? ends.find((y) => Math.abs(y - start) <= 5) : undefined;
    const fixed = ends && nearEnd !== undefined ? (ends[0] === nearEnd ? ends[1] : ends[0]) : start;
    let moved = false;
    const move = (pointer: PointerEvent) => {
      const y = at(pointer);
      if (!moved && Math.abs(y - start) < 3) return;
      moved = true;
      const pair = inBrush ? ends.map((end) => this.value(end + y - start)) : [this.value(fixed), this.value(y)];
      this.set({ low: Math.min(...pair), high: Math.max(...pair) });
    };
    const stop = () => {
      zone.removeEventListener("pointermove", move);
      if (!moved) this.set(undefined);
    };
    zone.addEventListener("pointermove", move);
    zone.addEventListener("pointerup", stop, { once: true });
    zone.addEventListener("pointercancel", stop, { once: true });
  }

  private set(range: Range | undefined): void {
    this.range = range;
    this.draw();
    this.changed(range);
  }

  /** Show a range that was set elsewhere. */
  show(range: Range | undefined): void {
    this.range = range;
    this.draw();
  }

  private draw(): void {
    const range = this.range ?? { low: this.scale.low, high: this.scale.high };
    const ends = [this.y(range.low), this.y(range.high)];
    this.box.setAttribute("y", String(Math.min(...ends)));
    this.box.setAttribute("height", String(Math.max(2, Math.abs((ends[0] as number) - (ends[1] as number)))));
    this.box.classList.toggle("set", this.range !== undefined);
    for (const end of ["low", "high"] as const) {
      const handle = this.handles[end];
      const lower = (end === "low") !== this.scale.flipped; // which end of the range is lower on the page
      handle.setAttribute(
        "transform",
        `translate(0,${this.y(range[end])})${lower === (end === "low") ? "" : " scale(1,-1)"}`,
      );
      handle.classList.toggle("set", this.range !== undefined);
      handle.setAttribute("aria-valuenow", String(range[end]));
      const word = end === "low" ? "minimum" : "maximum";
      handle.setAttribute("aria-valuetext", this.range ? `${word} ${number(range[end], this.axis)}` : "no limit");
    }
  }
}
