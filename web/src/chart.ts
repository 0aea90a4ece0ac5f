// The frame of a chart: its caption, values under the pointer or by keyboard, and files of it.

import { h } from "./dom";
import { exportButtons } from "./exports";

const MARKS = "[data-tip]";

export interface ChartOptions {
  /** Name of the exported files. */
  name: string;
  rows: () => (string | number | null)[][];
  legend?: HTMLElement | null;
  more?: HTMLElement[];
  /** What Enter or space does with the mark that the arrow keys have reached; with Shift it extends a selection. */
  pick?: (mark: SVGGraphicsElement, extend: boolean) => void;
}

/** Return a figure with a drawing that is made again for every width. Elements with `data-tip` show it. */
export function chart(draw: (width: number) => SVGSVGElement, options: ChartOptions): HTMLElement {
  const tip = h("div", { class: "tip small", hidden: true, role: "status" });
  const stage = h("div", { class: "stage" });
  const figure = h("figure", { class: "chart" });
  let drawing = draw(960);
  let at = -1;
  const marks = () => [...drawing.querySelectorAll<SVGGraphicsElement>(MARKS)];
  const show = (mark: SVGGraphicsElement | null) => {
    for (const one of drawing.querySelectorAll(".pointed")) one.classList.remove("pointed");
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("pointed");
    tip.textContent = mark.dataset["tip"] ?? "";
    const [box, frame] = [mark.getBoundingClientRect(), stage.getBoundingClientRect()];
    const left = box.left - frame.left + box.width / 2 - tip.offsetWidth / 2;
    tip.style.left = `${Math.max(0, Math.min(left, frame.width - tip.offsetWidth))}px`;
    tip.style.top = `${Math.max(0, box.top - frame.top - tip.offsetHeight - 6)}px`;
  };
  const place = (width: number) => {
    drawing = draw(width);
    drawing.addEventListener("pointermove", (event) => show((event.target as Element).closest(MARKS)));
    drawing.addEventListener("pointerleave", () => show(null));
    stage.replaceChildren(drawing, tip);
  };
  stage.tabIndex = 0;
  stage.setAttribute("role", "group");
  stage.setAttribute("aria-label", "Chart; left and right arrow keys read its values");
  stage.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = marks();
    if (event.key === "Escape") show(null);
    const mark = all[at];
    if (options.pick && mark && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      options.pick(mark, event.shiftKey);
      return;
    }
    if (!step || !all.length) return;
    event.preventDefault();
    at = (at + step + all.length) % all.length;
    show(all[at] ?? null);
  });
  stage.addEventListener("blur", () => show(null));
  place(Math.min(1116, Math.max(300, document.documentElement.clientWidth - 40)));
  let last = 0;
  new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width && Math.abs(width - last) > 4) place((last = width));
  }).observe(stage);
  const files = exportButtons(options.name, () => drawing, options.rows);
  figure.append(stage, h("div", { class: "under" }, options.legend ?? "", ...(options.more ?? []), files));
  return figure;
}
