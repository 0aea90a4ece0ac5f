// Parts of a page that load by themselves: a skeleton at once, the content when it is there, or the reason why not.

import { type Child, add, h } from "./dom";

let waiting = 0;
let settled: (() => void)[] = [];

/** Return a part of a page that is filled when its data have arrived. */
export function loading<T>(label: string, data: Promise<T>, draw: (value: T) => Child, lines = 3): HTMLElement {
  const node = h("div", { class: "part", "data-part": label }, skeleton(label, lines));
  node.setAttribute("aria-busy", "true");
  fill(node, data, draw);
  return node;
}

/** Fill a node that shows something already, for example scores whose tests are still running. */
export function fill<T>(node: HTMLElement, data: Promise<T>, draw: (value: T) => Child): void {
  waiting++;
  void data
    .then((value) => {
      const content = draw(value);
      node.replaceChildren();
      add(node, content);
    })
    .catch((error: unknown) => node.replaceChildren(problem(error)))
    .finally(() => {
      node.removeAttribute("aria-busy");
      waiting--;
      // Drawing may have started further parts.
      if (!waiting) for (const done of settled.splice(0)) done();
    });
}

/** Wait until every part of the page is filled. */
export function allLoaded(): Promise<void> {
  return waiting ? new Promise((done) => settled.push(done)) : Promise.resolve();
}

/** Return grey lines in place of content; its label is for screen readers. */
export function skeleton(label: string, lines = 3): HTMLElement {
  const bars = Array.from({ length: lines }, () => h("span", { class: "bar" }));
  return h("div", { class: "skeleton", role: "status" }, h("span", { class: "unseen" }, `Loading ${label}`), ...bars);
}

export function problem(error: unknown): HTMLElement {
  return h("p", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error));
}
