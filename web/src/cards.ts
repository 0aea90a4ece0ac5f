// Cards: what a dataset, a system or a metric is, and what to keep in mind when reading its numbers.

import type { Data } from "./data";
import { h } from "./dom";
import { type Place, go, here, link } from "./state";
import type { OverviewPage, Card } from "./types";

const KINDS = [
  ["dataset", "Datasets"],
  ["system", "Systems"],
  ["metric", "Metrics"],
] as const;

export async function cardsPage(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  const cards = await data.cards();
  const kind = place.get("kind");
  const wanted = place.get("name");
  const shownMetrics = new Set(overview.axes.filter((axis) => axis.shown).map((axis) => axis.name));
  const words = h("input", { type: "search", value: place.get("q") });
  words.addEventListener("change", () => go(here().with({ q: words.value, name: null })));
  const fits = (card: Card) => {
    if (wanted) return card.name === wanted && (!kind || card.kind === kind);
    if (place.get("q")) return card.name.toLowerCase().includes(place.get("q").toLowerCase());
    return card.kind !== "metric" || shownMetrics.has(card.name);
  };
  const groups = KINDS.filter(([key]) => !kind || key === kind).map(([key, heading]) => {
    const members = cards.filter((card) => card.kind === key && fits(card));
    return members.length
      ? h("section", {}, h("h2", {}, heading), h("div", { class: "cards" }, ...members.map(drawn)))
      : null;
  });
  return h(
    "div",
    {},
    h(
      "div",
      { class: "controls" },
      h("label", { class: "field" }, h("span", {}, "Search cards"), words),
      wanted || kind ? h("a", { href: link("cards", {}) }, "All cards") : null,
    ),
    ...groups,
    groups.every((group) => group === null) ? h("p", {}, "No card fits.") : null,
  );
}

export function drawn(card: Card): HTMLElement {
  const facts = card.facts.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]);
  return h(
    "article",
    { class: "card" },
    h("h3", {}, h("a", { href: link("cards", { kind: card.kind, name: card.name }) }, card.name)),
    card.lead ? h("p", {}, card.lead) : null,
    ...card.sections.flatMap(({ heading, text }) => [h("h4", {}, heading), h("p", {}, text)]),
    h("dl", { class: "pairs" }, ...facts),
  );
}

/** A card folded up beside the numbers it explains. */
export async function cardBeside(data: Data, kind: Card["kind"], name: string): Promise<HTMLElement | null> {
  const card = (await data.cards().catch(() => [])).find((one) => one.kind === kind && one.name === name);
  return card ? h("details", { class: "beside" }, h("summary", {}, `About ${name}`), drawn(card)) : null;
}
