// One example on one card.

import { inkOf } from "./colours";
import { h } from "./dom";
import { number } from "./format";
import { expectedOf, inputOf, textBlock } from "./inputs";
import { link } from "./state";
import type { AxisColumn, OverviewPage, ExampleShown, Judgement, OutputShown } from "./types";
import { type Piece, against, closest, difference, sentencesOf, share } from "./words";

export interface ExampleView {
  overview: OverviewPage;
  systems: string[];
  /** What texts are compared with: reference, source, none, or system:NAME. */
  mark: string;
  metrics: AxisColumn[];
  /** Systems that come before the others: those that are asked about. */
  first?: string[];
  /** Printed next to the id, for example the difference of two systems. */
  note?: string;
}

/** Smallest cost of a word that is highlighted, and that is highlighted strongly. */
const FAINT = 0.02;
const STRONG = 0.08;

const ELEMENT = { new: "ins", gone: "del" } as const;

function marked(pieces: Piece[]): HTMLElement {
  return textBlock(
    pieces.reduce((sum, { text }) => sum + text.length, 0),
    {},
    ...pieces.map(({ text, change }) => (change === "same" ? text : h(ELEMENT[change], {}, text))),
  );
}

/** Return an output with its differences from the selected text. */
function textOf(output: OutputShown, example: ExampleShown, mark: string): HTMLElement {
  const text = output.text;
  if (text === null) {
    const scored = Object.values(output.scores).some((value) => value !== null);
    return h("p", { class: "soft" }, scored ? "text not in the folder" : "no output for this item");
  }
  if (!text) return h("p", { class: "soft" }, "(empty)");
  const plain = textBlock(text.length, { lang: example.language }, text);
  if (mark === "source") return example.source ? marked(against(example.source, text)) : plain;
  const other =
    mark === "reference"
      ? closest(example.references, text)
      : example.outputs.find((one) => `system:${one.system}` === mark)?.text;
  const pieces = other && other !== text ? difference(other, text) : null;
  return pieces ? marked(pieces) : plain;
}

/** Return what underlined and struck words mean; null where nothing is marked. */
export function markKey(mark: string, own = "the output"): HTMLElement | null {
  const other = mark === "reference" ? "the closest reference" : mark.startsWith("system:") ? mark.slice(7) : "";
  if (mark === "source") return h("p", { class: "mark-key" }, h("span", { class: "new" }, "not in the source"));
  return other
    ? h(
        "p",
        { class: "mark-key" },
        h("span", { class: "new" }, `only in ${own}`),
        " ",
        h("span", { class: "gone" }, `only in ${other}`),
      )
    : null;
}

/** Return a judgement with its annotator; means of annotators are rounded. */
function judgement({ value, annotator }: Judgement): string {
  return `${typeof value === "number" ? Number(value.toFixed(2)) : value} (${annotator})`;
}

function judged(judgements: Judgement[], system: string): HTMLElement | null {
  const own = judgements.filter((one) => one.system === system);
  if (!own.length) return null;
  const whole = own.filter((one) => !one.unit || one.unit === "summary");
  const criteria = [...new Set(whole.map((one) => one.criterion))];
  const judgementsOf = criteria.map((criterion) => {
    const values = whole.filter((one) => one.criterion === criterion);
    return h("li", {}, h("b", {}, criterion), " ", values.map(judgement).join(", "));
  });
  return judgementsOf.length
    ? h("ul", { class: "judged", "aria-label": `Human judgements of ${system}` }, ...judgementsOf)
    : null;
}

/** Return sentences with the annotators' votes and the share of words that occur in the source. */
function perSentence(output: OutputShown, example: ExampleShown): HTMLElement | null {
  if (!output.text || !example.source) return null;
  const votes = example.judgements.filter((one) => one.system === output.system && one.unit?.startsWith("sentence:"));
  const rows = sentencesOf(output.text).map((text, i) => {
    const own = votes.filter((one) => one.unit === `sentence:${i}`).map((one) => `${one.criterion} ${judgement(one)}`);
    const part = share(example.source ?? "", text);
    return h(
      "li",
      {},
      text.trim(),
      h(
        "span",
        { class: "soft" },
        ` · ${part === null ? "no words" : `${Math.round(part * 100)} % of its words are in the source`}`,
      ),
      own.length ? h("b", {}, ` · ${own.join(", ")}`) : null,
    );
  });
  return h(
    "details",
    { open: votes.length > 0 },
    h("summary", {}, "Sentence by sentence"),
    h("ol", { start: 0 }, ...rows),
  );
}

/** Return sentences with their faithfulness and the words that lower it. */
function wordCosts(output: OutputShown): HTMLElement | null {
  if (!output.faithful?.length) return null;
  const rows = output.faithful.map((sentence) =>
    h(
      "li",
      {},
      h("b", {}, `${sentence.value.toFixed(2)} `),
      ...sentence.pieces.map(({ text, cost }) =>
        cost < FAINT
          ? text
          : h(
              "mark",
              { class: cost < STRONG ? "faint" : "strong", title: `lowers the score by ${cost.toFixed(2)}` },
              text,
            ),
      ),
    ),
  );
  return h(
    "details",
    { open: true, class: "word-costs" },
    h("summary", {}, "Faithfulness by sentence (words that lower it are highlighted)"),
    h("ol", {}, ...rows),
  );
}

function outputOf(output: OutputShown, example: ExampleShown, view: ExampleView): HTMLElement {
  const name = h("h3", {}, output.system);
  name.style.borderLeftColor = inkOf(view.overview.systems, output.system).hue;
  const scores = view.metrics.flatMap((axis) => {
    const value = output.scores[axis.name];
    return value === undefined ? [] : [`${axis.label} ${value === null ? "–" : number(value, axis)}`];
  });
  return h(
    "section",
    { class: "output", "aria-label": `${output.system} on ${example.id}` },
    name,
    textOf(output, example, view.mark),
    scores.length && (output.text !== null || Object.values(output.scores).some((value) => value !== null))
      ? h("p", { class: "soft scores" }, scores.join(" · "))
      : null,
    judged(example.judgements, output.system),
    wordCosts(output),
    perSentence(output, example),
  );
}

export function exampleCard(example: ExampleShown, dataset: string, view: ExampleView): HTMLElement {
  const facts = [
    example.language,
    example.split,
    example.parent ? `original item: ${example.parent}` : null,
    ...Object.entries(example.tags).map(([key, value]) => `${key} ${value}`),
  ].filter(Boolean);
  const rank = ({ system }: OutputShown) => {
    const place = view.first?.indexOf(system) ?? -1;
    return place < 0 ? example.outputs.length : place;
  };
  const outputs = example.outputs
    .filter((output) => view.systems.includes(output.system))
    .sort((one, other) => rank(one) - rank(other));
  const input = inputOf(example);
  return h(
    "article",
    { class: "example", "data-id": example.id },
    h(
      "h2",
      {},
      h("a", { href: link("examples", { dataset, id: example.id }) }, example.id),
      view.note ? h("span", { class: "gap" }, view.note) : null,
    ),
    facts.length ? h("p", { class: "soft" }, facts.join(" · ")) : null,
    h(
      "div",
      { class: "sides" },
      h(
        "div",
        {},
        h("h3", {}, "Input"),
        input ?? h("p", { class: "soft" }, "none"),
        h("h3", {}, "References"),
        ...example.references.map((text) => textBlock(text.length, { lang: example.language }, text)),
        example.references.length ? null : h("p", { class: "soft" }, "none"),
        expectedOf(example),
      ),
      h("div", {}, ...outputs.map((output) => outputOf(output, example, view))),
    ),
  );
}
