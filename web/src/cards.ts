// Cards: what a dataset, a system or a metric is, and what to keep in mind when reading its scores.

import type { Data } from "./data";
import { h, prose } from "./dom";
import { loading } from "./sections";
import { type Place, go, here, link } from "./state";
import type { OverviewPage, Card } from "./types";

const KINDS = [
  ["dataset", "Datasets"],
  ["system", "Systems"],
  ["metric", "Metrics"],
] as const;

export function cardsPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  return loading("cards", data.cards(), (cards) => cardList(overview, cards, place), 8);
}

function cardList(overview: OverviewPage, cards: Card[], place: Place): HTMLElement {
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
    groups.every((group) => group === null) ? h("p", {}, "No matching cards.") : null,
  );
}

export function drawn(card: Card): HTMLElement {
  const facts = card.facts.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]);
  return h(
    "article",
    { class: "card" },
    h("h3", {}, h("a", { href: link("cards", { kind: card.kind, name: card.name }) }, card.name)),
    card.lead ? h("p", {}, ...prose(card.lead)) : null,
    ...card.sections.flatMap(({ heading, text }) => [h("h4", {}, heading), h("p", {}, ...prose(text))]),
    h("dl", { class: "pairs" }, ...facts),
  );
}

/** Return a collapsed card, for the page that shows the scores it explains; its text is loaded when it is opened. */
export function collapsedCard(data: Data, kind: Card["kind"], name: string): HTMLElement {
  const node = h("details", { class: "collapsed" }, h("summary", {}, `About ${name}`));
  node.addEventListener(
    "toggle",
    () => {
      const content = loading(`the card of ${name}`, data.cards(), (cards) => {
        const card = cards.find((one) => one.kind === kind && one.name === name);
        return card ? drawn(card) : h("p", { class: "soft" }, "No card.");
      });
      node.append(content);
    },
    { once: true },
  );
  return node;
}
