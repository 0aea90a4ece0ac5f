// Sentences about the differences of two systems over the selected runs.

import type { Data } from "./data";
import { h, select } from "./dom";
import { datasetOf, systemOf } from "./format";
import { type Place, here, link, store } from "./state";
import { pairs, state } from "./statement";
import type { AxisColumn, OverviewPage, ComparisonPage } from "./types";

const TESTS = 12; // datasets whose paired tests are fetched at once

export interface StatementPanel {
  node: HTMLElement;
  show(selected: Uint8Array, over: string): void;
}

/** Return the two systems with the most runs, as the default selection. */
function defaultPair(overview: OverviewPage): [string, string] {
  const sets = new Map<string, number>();
  overview.runs.system.forEach((_, run) =>
    sets.set(systemOf(overview, run), (sets.get(systemOf(overview, run)) ?? 0) + 1),
  );
  const [first = "", second = ""] = [...sets].sort((x, y) => y[1] - x[1]).map(([name]) => name);
  return [first, second];
}

/** Return why there is nothing to compare. */
export function withItself(system: string): string {
  return `${system} is compared with itself. Choose another system.`;
}

export async function testsOf(
  overview: OverviewPage,
  data: Data,
  matched: [number, number][],
  a: string,
  b: string,
): Promise<Map<string, ComparisonPage>> {
  const datasets = [
    ...new Set(matched.filter(([run]) => overview.runs.subset[run] === "").map(([run]) => datasetOf(overview, run))),
  ]
    .filter((dataset) => overview.stored.includes(dataset))
    .slice(0, TESTS);
  const comparisons = await Promise.all(datasets.map((dataset) => data.compare(dataset, a, b).catch(() => null)));
  return new Map(comparisons.flatMap((one, i) => (one ? [[datasets[i] as string, one]] : [])));
}

export function statementPanel(overview: OverviewPage, data: Data, axes: AxisColumn[], place: Place): StatementPanel {
  const [first, second] = defaultPair(overview);
  const names = overview.systems.map((name) => [name, name] as const);
  const known = (name: string, fallback: string) => (overview.systems.includes(name) ? name : fallback);
  let a = known(place.get("a"), first);
  let b = known(place.get("b"), a === second ? first : second);
  let last: [Uint8Array, string] | null = null;
  let latest = 0;
  const sentencesNode = h("div", { "aria-live": "polite", class: "sentences" });
  const show = (selected: Uint8Array, over: string) => {
    last = [selected, over];
    const request = ++latest;
    if (a === b) {
      sentencesNode.replaceChildren(h("p", { class: "empty" }, withItself(a)));
      return;
    }
    void testsOf(overview, data, pairs(overview, selected, a, b), a, b).then((tests) => {
      if (request !== latest) return; // the selection has changed since
      const { sentences, basis } = state(overview, axes, selected, a, b, tests, over);
      sentencesNode.replaceChildren(
        ...sentences.map((sentence) => h("p", { class: "sentence" }, sentence)),
        h("p", { class: "soft" }, basis),
      );
    });
  };
  const again = () => {
    store(here().with({ a, b }));
    compare.setAttribute("href", link("compare", { a, b }));
    if (last) show(...last);
  };
  const compare = h("a", { href: link("compare", { a, b }) }, "Compare in detail");
  const node = h(
    "section",
    { class: "statement" },
    h("h2", {}, "Differences between two systems"),
    h(
      "div",
      { class: "controls" },
      select("System", names, a, (value) => ((a = value), again()), "statement-a"),
      select("Compared with", names, b, (value) => ((b = value), again()), "statement-b"),
      compare,
    ),
    sentencesNode,
  );
  return { node: overview.systems.length > 1 ? node : h("div"), show };
}
