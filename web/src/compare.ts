import { h } from "./dom";
export function comparePage(): HTMLElement { return h("p", {}, "compare"); }
