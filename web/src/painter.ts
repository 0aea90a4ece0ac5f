// Thousands of lines on a canvas without blocking interaction: as many per frame as time allows, the rest in the next
// frames. The order is shuffled once, so that the lines drawn first are a random sample and do not flicker.

import type { Ink } from "./colours";

export interface Geometry {
  /** Positions of the axes, left to right. */
  xs: number[];
  /** For each axis the y position of every line; NaN for missing scores. */
  ys: Float32Array[];
}

const BUDGET = 9; // milliseconds of drawing per frame; the rest is for interaction
const CHUNK = 120; // lines between two readings of the clock

export class Painter {
  private queue: Int32Array = new Int32Array(0);
  private next = 0;
  private pending = 0;
  private readonly order: Int32Array;
  /** Frames painted and lines left, for measurements. */
  readonly seen = { frames: 0, left: 0 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    lines: number,
    private readonly ink: (line: number) => Ink,
  ) {
    this.order = shuffled(lines);
  }

  size(width: number, height: number, ratio: number): void {
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.context().setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** Start to paint these lines. */
  paint(geometry: Geometry, wanted: Uint8Array, faded: string | null): void {
    this.queue = this.order.filter((line) => wanted[line] === 1);
    this.next = 0;
    const context = this.context();
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const many = this.queue.length > 400;
    context.lineWidth = faded || many ? 1 : 1.8;
    context.setLineDash([]);
    context.globalAlpha = faded ? 1 : many ? Math.max(0.35, 1 - this.queue.length / 8000) : 0.9;
    cancelAnimationFrame(this.pending);
    const step = () => {
      this.some(context, geometry, faded, many);
      if (this.next < this.queue.length) this.pending = requestAnimationFrame(step);
    };
    step();
  }

  private context(): CanvasRenderingContext2D {
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context) throw new Error("This browser does not support canvas drawing.");
    return context;
  }

  private some(context: CanvasRenderingContext2D, geometry: Geometry, faded: string | null, many: boolean): void {
    const end = performance.now() + BUDGET;
    while (this.next < this.queue.length && performance.now() < end) {
      const until = Math.min(this.queue.length, this.next + CHUNK);
      for (; this.next < until; this.next++) {
        const line = this.queue[this.next] as number;
        const { hue, dash } = this.ink(line);
        context.strokeStyle = faded ?? hue;
        context.fillStyle = faded ?? hue;
        if (!many && !faded) context.setLineDash(dash ? dash.split(" ").map(Number) : []);
        stroke(context, geometry, line);
      }
      // Browsers defer drawing until pixels are read; without this the time limit has no effect.
      context.getImageData(0, 0, 1, 1);
    }
    this.seen.frames++;
    this.seen.left = this.queue.length - this.next;
  }
}

/** Draw one line; a missing score is a gap, and a score between two gaps a dot. */
function stroke(context: CanvasRenderingContext2D, { xs, ys }: Geometry, line: number): void {
  let open = false;
  context.beginPath();
  for (let i = 0; i < xs.length; i++) {
    const y = ys[i]?.[line] ?? NaN;
    if (Number.isNaN(y)) {
      open = false;
      continue;
    }
    const x = xs[i] as number;
    if (open) context.lineTo(x, y);
    else {
      const after = ys[i + 1]?.[line];
      if (after === undefined || Number.isNaN(after)) context.fillRect(x - 2, y - 2, 4, 4);
      context.moveTo(x, y);
    }
    open = true;
  }
  context.stroke();
}

/** Return a shuffled order with a fixed random seed, so that drawings are reproducible. */
function shuffled(n: number): Int32Array {
  const order = Int32Array.from({ length: n }, (_, i) => i);
  let seed = 1;
  for (let i = n - 1; i > 0; i--) {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    const j = seed % (i + 1);
    const swapped = order[i] as number;
    order[i] = order[j] as number;
    order[j] = swapped;
  }
  return order;
}

/** Return the line whose path is closest to a point, or -1 if none is within `reach` pixels. */
export function nearest({ xs, ys }: Geometry, lines: Uint8Array, x: number, y: number, reach = 8): number {
  let best = -1;
  let least = reach;
  const right = xs.findIndex((axis) => axis >= x);
  const i = right <= 0 ? (right === 0 ? 0 : xs.length - 1) : right - 1;
  const j = Math.min(xs.length - 1, right < 0 ? i : Math.max(right, 0));
  const span = (xs[j] as number) - (xs[i] as number);
  const share = span > 0 ? (x - (xs[i] as number)) / span : 0;
  for (let line = 0; line < lines.length; line++) {
    if (!lines[line]) continue;
    const from = ys[i]?.[line] ?? NaN;
    const to = ys[j]?.[line] ?? NaN;
    let there = from + (to - from) * share;
    if (Number.isNaN(there)) there = share < 0.15 ? from : share > 0.85 ? to : NaN;
    const away = Math.abs(there - y);
    if (away < least) {
      least = away;
      best = line;
    }
  }
  return best;
}
