// Human correlation: metrics and human judgements, systems ranked by judgements, inter-annotator agreement.

import { collapsedCard } from "./cards";
import { ablation, correlations, scatterSection, williams } from "./correlations";
import type { Data } from "./data";
import { h, prose, select } from "./dom";
import { agreement, confusion, ranked } from "./judgements";
import { judges } from "./judges";
import { correlationAnswer, rankedCorrelations } from "./rankedr";
import { loading } from "./sections";
import { type Place, go, here } from "./state";
import type { OverviewPage, HumanPage } from "./types";

const NO_JUDGEMENTS =
  "No human judgements of these outputs. " +
  "Add them as DATASET/judgements.jsonl: id, system, annotator, criterion, value.";
const FEW = 2; // notes that are shown at once; more are folded
const SYNTHETIC = "These judgements are synthetic, written by a script to show the page; they are no evidence.";

export function humanPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  if (!overview.judged.length) return h("p", {}, NO_JUDGEMENTS);
  const dataset = overview.judged.includes(place.get("dataset")) ? place.get("dataset") : (overview.judged[0] ?? "");
  const page = data.correlation(dataset, place.get("criterion"));
  const heading = h("h1", { class: "headline" }, "Human correlation");
  const part = loading(
    "human correlation",
    page,
    (value) => {
      heading.textContent = correlationAnswer(overview, value) || "Human correlation";
      return content(overview, data, place, value);
    },
    8,
  );
  return h("div", {}, heading, part);
}

function content(overview: OverviewPage, data: Data, place: Place, page: HumanPage): HTMLElement {
  const metric = page.metrics.includes(place.get("metric")) ? place.get("metric") : (page.metrics[0] ?? "");
  return h(
    "div",
    {},
    controls(overview, page, metric),
    page.synthetic ? h("p", { class: "problem" }, SYNTHETIC) : null,
    rankedCorrelations(overview, page),
    notes(page),
    h("div", { class: "columns" }, metric ? scatterSection(overview, page, metric) : null, correlations(page)),
    metric ? collapsedCard(data, "metric", metric) : null,
    williams(page),
    ablation(page),
    ranked(overview, page),
    ...page.confusions.map(confusion),
    judges(page),
    page.agreement ? agreement(page.agreement, page.criterion) : null,
  );
}

function notes(page: HumanPage): HTMLElement | null {
  if (page.warnings.length <= FEW)
    return h("div", {}, ...page.warnings.map((text) => h("p", { class: "notice" }, ...prose(text))));
  return h(
    "details",
    {},
    h("summary", {}, `Notes on these correlations (${page.warnings.length})`),
    h("ul", {}, ...page.warnings.map((text) => h("li", {}, text))),
  );
}

function controls(overview: OverviewPage, page: HumanPage, metric: string): HTMLElement {
  const choice = (
    label: string,
    names: string[],
    now: string,
    changed: (value: string) => Record<string, string | null>,
  ) =>
    names.length
      ? select(
          label,
          names.map((name) => [name, name] as const),
          now,
          (value) => go(here().with(changed(value))),
          `correlation-${Object.keys(changed(""))[0]}`,
        )
      : null;
  return h(
    "form",
    { class: "controls context", submit: (event) => event.preventDefault() },
    choice("Dataset", overview.judged, page.dataset, (dataset) => ({ dataset, criterion: null, metric: null })),
    choice("Criterion", page.criteria, page.criterion, (criterion) => ({ criterion })),
    choice("Metric", page.metrics, metric, (value) => ({ metric: value })),
  );
}
