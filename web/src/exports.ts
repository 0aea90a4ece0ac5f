// What a reader takes away: the table as CSV, a drawing as SVG or PNG.

import { button, h } from "./dom";

const STYLE = `text{font:11px system-ui,sans-serif;fill:#222}line,path{stroke-width:1.2}line{stroke:#888}
.zone,.brush,.hovered,.title rect{display:none}circle{stroke:none}.range{display:none}`;

export function save(name: string, type: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export function csv(rows: (string | number | null)[][]): string {
  const cell = (value: string | number | null) => {
    let text = value === null ? "" : String(value);
    if (typeof value === "string" && /^[=+@\t\r-]/.test(text)) text = `'${text}`; // a spreadsheet would run it
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

/** A drawing that carries its own style and opens anywhere. */
export function standalone(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = STYLE;
  copy.prepend(style);
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copy);
}

export function savePng(name: string, drawing: SVGSVGElement): void {
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
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(drawing))}`;
}

/** Buttons for a drawing and, where there is one, its table. */
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
      with_((drawn) => savePng(`${name}.png`, drawn)),
      { "aria-label": `${name} as PNG` },
    ),
  );
}
