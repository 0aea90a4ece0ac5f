// Exports: tables as CSV, plots as SVG or PNG.

import { button, h } from "./dom";

const STYLE = ".zone,.brush,.hovered,.handle,.title rect,.range{display:none}";
const LOOKS = ["fill", "stroke", "stroke-width", "opacity", "font-family", "font-size", "font-weight"] as const;

export function save(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function csv(rows: (string | number | null)[][]): string {
  const cell = (value: string | number | null) => {
    let text = value === null ? "" : String(value);
    if (typeof value === "string" && /^[=+@\t\r-]/.test(text)) text = `'${text}`; // a spreadsheet would evaluate it
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** Return a computed colour in the old notation, which every program that reads SVG knows. */
function plainColour(value: string): string {
  const mixed = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)\)$/.exec(value);
  return mixed
    ? `rgb(${mixed
        .slice(1)
        .map((part) => Math.round(Number(part) * 255))
        .join(", ")})`
    : value;
}

/** Return a self-contained SVG that looks as on the page: the style sheet is not in the file, so looks are copied. */
export function standalone(drawing: SVGSVGElement, letters = ""): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const drawn = [drawing, ...drawing.querySelectorAll<SVGElement>("*")];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  drawn.forEach((one, i) => {
    const looks = getComputedStyle(one);
    for (const name of LOOKS) copies[i]?.style.setProperty(name, plainColour(looks.getPropertyValue(name)));
  });
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const side of ["width", "height"]) paper.setAttribute(side, "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = letters + STYLE;
  copy.prepend(style);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

let face: Promise<string> | null = null;

/** Return the style sheet's font with its data inside: a picture loads no file. */
async function fontFace(): Promise<string> {
  const rules = [...document.styleSheets].flatMap((one) => [...one.cssRules]);
  const rule = rules.find((one) => one instanceof CSSFontFaceRule);
  const address = rule && /url\("?([^")]+)/.exec(rule.cssText)?.[1];
  if (!rule || !address || address.startsWith("data:")) return rule?.cssText ?? "";
  const content = await (await fetch(new URL(address, rule.parentStyleSheet?.href ?? location.href))).blob();
  const inside = await new Promise<string>((done) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.readAsDataURL(content);
  });
  return rule.cssText.replace(address, inside);
}

export async function savePng(name: string, drawing: SVGSVGElement): Promise<void> {
  face ??= fontFace().catch(() => "");
  const letters = await face;
  const [width, height] = [Number(drawing.getAttribute("width")), Number(drawing.getAttribute("height"))];
  const image = new Image(width, height);
  image.onload = () => {
    const canvas = h("canvas", { width: width * 2, height: height * 2 });
    const context = canvas.getContext("2d");
    if (!context) return;
    context.fillStyle = "#ffffff";
    context.fillRect(0, 0, width * 2, height * 2);
    context.drawImage(image, 0, 0, width * 2, height * 2);
    canvas.toBlob((blob) => blob && save(name, "image/png", blob));
  };
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(drawing, letters))}`;
}

/** Return export buttons of a plot and, if there is one, its table. */
export function exportButtons(
  name: string,
  drawing: () => SVGSVGElement | null,
  rows?: () => (string | number | null)[][],
): HTMLElement {
  const with_ = (use: (drawing: SVGSVGElement) => void) => () => {
    const drawn = drawing();
    if (drawn) use(drawn);
  };
  return h(
    "div",
    { class: "exports", role: "group", "aria-label": `Save ${name}` },
    h("span", { class: "soft" }, "Save"),
    rows ? button("CSV", () => save(`${name}.csv`, "text/csv", csv(rows())), { "aria-label": `${name} as CSV` }) : null,
    button(
      "SVG",
      with_((drawn) => save(`${name}.svg`, "image/svg+xml", standalone(drawn))),
      { "aria-label": `${name} as SVG` },
    ),
    button(
      "PNG",
      with_((drawn) => void savePng(`${name}.png`, drawn)),
      { "aria-label": `${name} as PNG` },
    ),
  );
}
