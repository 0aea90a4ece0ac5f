// Selecting runs by task, dataset, system, kind and language, and axes by category and metric.

import { button, h } from "./dom";
import { FACETS, type Facet, type Selection, valuesOf } from "./selection";
import type { AxisColumn, OverviewPage } from "./types";

const LABELS: Record<Facet, string> = {
  task: "Task",
  dataset: "Dataset",
  system: "System",
  kind: "Kind",
  language: "Language",
};

export function facetPanel(
  overview: OverviewPage,
  selection: Selection,
  changed: (facet: Facet, values: string[]) => void,
): HTMLElement {
  const groups = FACETS.map((facet) => {
    const values = valuesOf(overview, facet);
    if (values.length < 2) return null;
    const selected = new Set(selection.facets[facet] ?? []);
    const boxes = values.map(([value, n]) => {
      const box = h("input", { type: "checkbox", checked: selected.has(value), "data-facet": facet, value });
      box.addEventListener("change", () => {
        if (box.checked) selected.add(value);
        else selected.delete(value);
        changed(facet, [...selected]);
      });
      return h("label", {}, box, value || "(none)", h("span", { class: "soft" }, ` ${n}`));
    });
    return h("fieldset", {}, h("legend", {}, LABELS[facet]), h("div", { class: "boxes" }, ...boxes));
  });
  const open = FACETS.some((facet) => selection.facets[facet]?.length);
  return h(
    "details",
    { open },
    h("summary", {}, "Select runs by task, dataset, system, kind or language"),
    ...groups.filter((group) => group !== null),
  );
}

export function metricPanel(
  overview: OverviewPage,
  axes: AxisColumn[],
  changed: (names: string[]) => void,
): HTMLElement {
  const visible = axes.map((axis) => axis.name);
  const categories = [...new Set(overview.axes.map((axis) => axis.category))];
  const groups = categories.map((category) => {
    const members = overview.axes.filter((axis) => axis.category === category);
    const boxes = members.map((axis) => {
      const box = h("input", { type: "checkbox", checked: visible.includes(axis.name), "data-metric": axis.name });
      box.addEventListener("change", () =>
        changed(box.checked ? [...visible, axis.name] : visible.filter((name) => name !== axis.name)),
      );
      return h("label", { title: axis.about }, box, axis.label);
    });
    const only = button(
      "only these",
      () =>
        changed(members.filter((axis) => axis.shown || members.every((one) => !one.shown)).map((axis) => axis.name)),
      {
        "data-category": category,
        "aria-label": `only these: ${category} metrics`,
      },
    );
    return h("fieldset", {}, h("legend", {}, category, " ", only), h("div", { class: "boxes" }, ...boxes));
  });
  return h(
    "details",
    {},
    h("summary", {}, `Select metrics (${axes.length} of ${overview.axes.length} shown)`),
    ...groups,
  );
}
