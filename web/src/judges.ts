// Model judges: may they replace the annotators of these outputs?

import { type Bar, bars } from "./charts";
import { h, table } from "./dom";
import { exportButtons } from "./exports";
import { figure, plural } from "./format";
import type { HumanPage, JudgePage } from "./types";

export function judges(page: HumanPage): HTMLElement | null {
  if (!page.judges.length) return null;
  const rows = page.judges.map((one) => [
    one.judge,
    one.answer,
    figure(one.agreement),
    figure(one.human_agreement),
    figure(one.winning_rate),
    figure(one.advantage),
    one.n,
  ]);
  return h(
    "section",
    {},
    h("h2", {}, "Model judges"),
    table(
      `May a judge replace annotators on ${page.criterion}? Agreement is mean Krippendorff α with each annotator`,
      [
        "judge",
        "may replace annotators",
        "agreement",
        "annotators with each other",
        "winning rate",
        "advantage",
        "outputs",
      ],
      rows,
    ),
    ...page.judges.map(one),
  );
}

/** Return the evidence about one judge: reasons, biases, systems and calibration. */
function one(judge: JudgePage): HTMLElement {
  const biases: Bar[] = judge.biases.map((each) => ({
    label: `${each.name}${each.significant ? " *" : ""}`,
    value: each.value,
    low: each.low,
    high: each.high,
  }));
  const drawing = bars(biases, `Biases of ${judge.judge} with 95 % confidence intervals; * significant`, 2, true);
  return h(
    "details",
    {},
    h("summary", {}, `${judge.judge}: ${judge.answer}; ${judge.reasons.join("; ")} (${plural(judge.n, "output")})`),
    ...judge.notes.map((text) => h("p", { class: "problem" }, text)),
    biases.length
      ? h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Biases of ${judge.judge}` }, drawing)
      : null,
    biases.length ? exportButtons(`biases-${judge.judge}`, () => drawing) : null,
    table(
      "Biases: error of the judge, with 95 % confidence intervals",
      ["bias", "size", "from", "to", "significant", "meaning"],
      judge.biases.map((each) => [
        each.name,
        figure(each.value),
        figure(each.low),
        figure(each.high),
        each.significant ? "yes" : "no",
        each.about,
      ]),
    ),
    table(
      "Equal to the human majority, by system",
      ["system", "outputs", "equal", "from", "to", "mean error"],
      judge.systems.map((each) => [
        each.system,
        each.n,
        figure(each.equal),
        figure(each.low),
        figure(each.high),
        figure(each.mean_error),
      ]),
    ),
    judge.calibration.length
      ? table(
          "Calibration: mean human value by value of the judge",
          ["judge", "annotators", "outputs"],
          judge.calibration.map((each) => [figure(each.judge), figure(each.human), each.n]),
        )
      : null,
  );
}
