import { h } from "./dom";
export function cardsPage(): HTMLElement { return h("p", {}, "cards"); }
