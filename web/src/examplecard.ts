// One example on one card.

import { ink } from "./colours";
import { h } from "./dom";
import { number } from "./format";
import { inputOf } from "./inputs";
import { link } from "./state";
import type { AxisColumn, OverviewPage, ExampleShown, Judgement, OutputShown } from "./types";
import { type Piece, against, closest, difference, sentencesOf, share } from "./words";

export interface Reading {
  overview: OverviewPage;
  systems: string[];
  /** What is marked: reference, source, none, or system:NAME. */
  mark: string;
  metrics: AxisColumn[];
}

/** From what cost on a word of a sentence is marked, and marked as one of those that decide. */
const FAINT = 0.02;
const STRONG = 0.08;

const ELEMENT = { new: "ins", gone: "del" } as const;

function marked(pieces: Piece[]): HTMLElement {
  return h(
    "p",
    { class: "text" },
    ...pieces.map(({ text, change }) => (change === "same" ? text : h(ELEMENT[change], {}, text))),
  );
}

/** The output with its differences from whatever the reader chose. */
function textOf(output: OutputShown, example: ExampleShown, mark: string): HTMLElement {
  const text = output.text;
  if (text === null) return h("p", { class: "soft" }, "its text is not in the folder");
  if (!text) return h("p", { class: "soft" }, "(empty)");
  const plain = h("p", { class: "text", lang: example.language }, text);
  if (mark === "source") return example.source ? marked(against(example.source, text)) : plain;
  const other =
    mark === "reference"
      ? closest(example.references, text)
      : example.outputs.find((one) => `system:${one.system}` === mark)?.text;
  const pieces = other && other !== text ? difference(other, text) : null;
  return pieces ? marked(pieces) : plain;
}

function judged(judgements: Judgement[], system: string): HTMLElement | null {
  const own = judgements.filter((one) => one.system === system);
  if (!own.length) return null;
  const whole = own.filter((one) => !one.unit || one.unit === "summary");
  const criteria = [...new Set(whole.map((one) => one.criterion))];
  const said = criteria.map((criterion) => {
    const given = whole.filter((one) => one.criterion === criterion);
    return h("li", {}, h("b", {}, criterion), " ", given.map((one) => `${one.value} (${one.annotator})`).join(", "));
  });
  return said.length ? h("ul", { class: "judged", "aria-label": `What people said about ${system}` }, ...said) : null;
}

/** Sentence by sentence: what people voted, and how many of its words stand in the source. */
function perSentence(output: OutputShown, example: ExampleShown): HTMLElement | null {
  if (!output.text || !example.source) return null;
  const votes = example.judgements.filter((one) => one.system === output.system && one.unit?.startsWith("sentence:"));
  const rows = sentencesOf(output.text).map((text, i) => {
    const own = votes
      .filter((one) => one.unit === `sentence:${i}`)
      .map((one) => `${one.criterion} ${one.value} (${one.annotator})`);
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

/** How far the source supports each sentence, with the words that cost it. */
function weighed(output: OutputShown): HTMLElement | null {
  if (!output.faithful?.length) return null;
  const rows = output.faithful.map((sentence) =>
    h(
      "li",
      {},
      h("b", {}, `${sentence.value.toFixed(2)} `),
      ...sentence.pieces.map(({ text, cost }) =>
        cost < FAINT
          ? text
          : h("mark", { class: cost < STRONG ? "faint" : "strong", title: `costs ${cost.toFixed(2)}` }, text),
      ),
    ),
  );
  return h(
    "details",
    { open: true, class: "weighed" },
    h("summary", {}, "Supported by the source, sentence by sentence (words that cost it are marked)"),
    h("ol", {}, ...rows),
  );
}

function outputOf(output: OutputShown, example: ExampleShown, reading: Reading): HTMLElement {
  const place = reading.overview.systems.indexOf(output.system);
  const name = h("h3", {}, output.system);
  name.style.borderLeftColor = ink(place < 0 ? 0 : place).hue;
  const scores = reading.metrics.flatMap((axis) => {
    const value = output.scores[axis.name];
    return value === undefined ? [] : [`${axis.label} ${value === null ? "–" : number(value, axis)}`];
  });
  return h(
    "section",
    { class: "output", "aria-label": `${output.system} on ${example.id}` },
    name,
    textOf(output, example, reading.mark),
    scores.length ? h("p", { class: "soft scores" }, scores.join(" · ")) : null,
    judged(example.judgements, output.system),
    weighed(output),
    perSentence(output, example),
  );
}

export function exampleCard(example: ExampleShown, dataset: string, reading: Reading): HTMLElement {
  const facts = [
    example.language,
    example.split,
    example.parent ? `made from ${example.parent}` : null,
    ...Object.entries(example.tags).map(([key, value]) => `${key} ${value}`),
  ].filter(Boolean);
  const outputs = example.outputs.filter((output) => reading.systems.includes(output.system));
  const input = inputOf(example);
  return h(
    "article",
    { class: "example", "data-id": example.id },
    h("h2", {}, h("a", { href: link("examples", { dataset, id: example.id }) }, example.id)),
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
        ...example.references.map((text) => h("p", { class: "text", lang: example.language }, text)),
        example.references.length ? null : h("p", { class: "soft" }, "none"),
      ),
      h("div", {}, ...outputs.map((output) => outputOf(output, example, reading))),
    ),
  );
}
