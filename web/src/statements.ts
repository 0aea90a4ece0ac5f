// The sentence builder on the overview: pick two systems, read what differs over the chosen lines.

import type { Data } from "./data";
import { h, select } from "./dom";
import { datasetOf, systemOf } from "./format";
import { type Place, here, link, note } from "./state";
import { pairs, state } from "./statement";
import type { AxisColumn, OverviewPage, ComparisonPage } from "./types";

const TESTS = 12; // datasets whose paired tests are fetched at once

export interface StatementPanel {
  node: HTMLElement;
  show(chosen: Uint8Array, over: string): void;
}

/** Two systems that share the most sets, so that the first sentence says something. */
function likely(overview: OverviewPage): [string, string] {
  const sets = new Map<string, number>();
  overview.lines.system.forEach((_, line) =>
    sets.set(systemOf(overview, line), (sets.get(systemOf(overview, line)) ?? 0) + 1),
  );
  const [first = "", second = ""] = [...sets].sort((x, y) => y[1] - x[1]).map(([name]) => name);
  return [first, second];
}

export async function testsOf(
  overview: OverviewPage,
  data: Data,
  matched: [number, number][],
  a: string,
  b: string,
): Promise<Map<string, ComparisonPage>> {
  const datasets = [
    ...new Set(
      matched.filter(([line]) => overview.lines.subset[line] === "").map(([line]) => datasetOf(overview, line)),
    ),
  ]
    .filter((dataset) => overview.stored.includes(dataset))
    .slice(0, TESTS);
  const found = await Promise.all(datasets.map((dataset) => data.compare(dataset, a, b).catch(() => null)));
  return new Map(found.flatMap((one, i) => (one ? [[datasets[i] as string, one]] : [])));
}

export function statementPanel(overview: OverviewPage, data: Data, axes: AxisColumn[], place: Place): StatementPanel {
  const [first, second] = likely(overview);
  const names = overview.systems.map((name) => [name, name] as const);
  let a = place.get("a", first);
  let b = place.get("b", second);
  let last: [Uint8Array, string] | null = null;
  let asked = 0;
  const said = h("div", { "aria-live": "polite", class: "said" });
  const show = (chosen: Uint8Array, over: string) => {
    last = [chosen, over];
    const turn = ++asked;
    void testsOf(overview, data, pairs(overview, chosen, a, b), a, b).then((tests) => {
      if (turn !== asked) return; // a later choice has overtaken this one
      const { sentences, basis } = state(overview, axes, chosen, a, b, tests, over);
      said.replaceChildren(
        ...sentences.map((sentence) => h("p", { class: "sentence" }, sentence)),
        h("p", { class: "soft" }, basis),
      );
    });
  };
  const again = () => {
    note(here().with({ a, b }));
    compare.setAttribute("href", link("compare", { a, b }));
    if (last) show(...last);
  };
  const compare = h("a", { href: link("compare", { a, b }) }, "Compare them side by side");
  const node = h(
    "section",
    { class: "statement" },
    h("h2", {}, "What differs"),
    h(
      "div",
      { class: "controls" },
      select("System", names, a, (value) => ((a = value), again()), "statement-a"),
      select("against", names, b, (value) => ((b = value), again()), "statement-b"),
      compare,
    ),
    said,
  );
  return { node: overview.systems.length > 1 ? node : h("div"), show };
}
