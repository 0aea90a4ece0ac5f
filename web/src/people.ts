import { h } from "./dom";
export function peoplePage(): HTMLElement { return h("p", {}, "people"); }
