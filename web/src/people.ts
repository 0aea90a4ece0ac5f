// Metrics and people: how far a metric may be trusted here, who was better by judgement, and whether judges agreed.

import { cardBeside } from "./cards";
import { ablation, correlations, scatterSection, williams } from "./correlations";
import type { Data } from "./data";
import { h, select } from "./dom";
import { agreement, confusion, ranked } from "./judgements";
import { type Place, go, here } from "./state";
import type { OverviewPage, PeoplePage } from "./types";

const NOBODY =
  "Nobody judged these outputs. " +
  "Judgements stand in DATASET/judgements.jsonl: id, system, annotator, criterion, value.";
const MADE_UP = "These judgements were made up by a script: they show the page and are evidence of nothing.";

export async function peoplePage(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  if (!overview.people.length) return h("p", {}, NOBODY);
  const dataset = overview.people.includes(place.get("dataset")) ? place.get("dataset") : (overview.people[0] ?? "");
  const found = await data.people(dataset, place.get("criterion"));
  const metric = found.metrics.includes(place.get("metric")) ? place.get("metric") : (found.metrics[0] ?? "");
  return h(
    "div",
    {},
    controls(overview, found, metric),
    found.made_up ? h("p", { class: "problem" }, MADE_UP) : null,
    ...found.warnings.map((text) => h("p", { class: "problem" }, text)),
    metric ? scatterSection(overview, found, metric) : null,
    metric ? await cardBeside(data, "metric", metric) : null,
    correlations(found),
    williams(found),
    ablation(found),
    ranked(overview, found),
    ...found.confusions.map(confusion),
    found.agreement ? agreement(found.agreement, found.criterion) : null,
  );
}

function controls(overview: OverviewPage, found: PeoplePage, metric: string): HTMLElement {
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
          `people-${Object.keys(changed(""))[0]}`,
        )
      : null;
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    choice("Dataset", overview.people, found.dataset, (dataset) => ({ dataset, criterion: null, metric: null })),
    choice("People judged", found.criteria, found.criterion, (criterion) => ({ criterion })),
    choice("Metric", found.metrics, metric, (value) => ({ metric: value })),
  );
}
