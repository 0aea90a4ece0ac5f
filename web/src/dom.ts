// Elements from plain values. Text always becomes a text node, never markup.

export type Child = Node | string | number | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

const SVG = "http://www.w3.org/2000/svg";

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  add(element, ...children);
}

export function add(element: Element, ...children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Create an HTML element; functions among the attributes are listeners named by their event. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/** Return the parts of a message; commands between backticks are set as code. */
export function prose(text: string): Child[] {
  return text.split(/`([^`]+)`/).map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/** Create an SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  fill(element, attributes, children);
  return element;
}

/** Create a labelled drop-down list. */
export function select(
  label: string,
  options: readonly (readonly [string, string])[],
  value: string,
  change: (value: string) => void,
  id?: string,
): HTMLElement {
  const list = h("select", { id: id ?? null, change: () => change(list.value) });
  for (const [key, text] of options) list.append(h("option", { value: key, selected: key === value }, text));
  list.value = value;
  return h("label", { class: "field" }, h("span", {}, label), list);
}

export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return h("button", { type: "button", click, ...attributes }, text);
}

export function table(caption: string, headings: Child[], rows: Child[][], rowHeading = true): HTMLElement {
  const head = h("tr", {}, ...headings.map((text) => h("th", { scope: "col" }, text)));
  const body = rows.map((cells) =>
    h(
      "tr",
      {},
      ...cells.map((cell, i) => (i === 0 && rowHeading ? h("th", { scope: "row" }, cell) : h("td", {}, cell))),
    ),
  );
  const made = h("table", {}, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, ...body));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}
