import { h } from "./dom";
export function examplesPage(): HTMLElement { return h("p", {}, "examples"); }
