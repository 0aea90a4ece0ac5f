// Dialogues turn by turn: the user goal, each system's responses, states, offers and provided slots, and the verdict.

import type { Data } from "./data";
import { button, h, select, table } from "./dom";
import { plural } from "./format";
import { loading, problem } from "./sections";
import { type Place, go, here, link } from "./state";
import type { DialogueEntry, DialoguePage, DialogueSet, Offer, OverviewPage, TracedSystem, TracedTurn } from "./types";

const NONE =
  "No dialogues in these results. Write them with assay analyze dialog --save FOLDER: every dialogue of every system, turn by turn.";
const PAGE = 20;
const VERDICTS = { success: "success", inform: "inform only", neither: "neither" } as const;
const FILTERS = [
  ["", "any"],
  ["differ", "systems differ"],
  ["neither", "inform fails for a system"],
  ["inform", "inform without success for a system"],
] as const;

export function dialoguesPage(overview: OverviewPage, data: Data, place: Place): HTMLElement {
  if (!overview.dialogues.length) return h("p", {}, NONE);
  return loading("dialogues", content(overview, data, place), (node) => node, 8);
}

async function content(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  const name = overview.dialogues.includes(place.get("set")) ? place.get("set") : (overview.dialogues[0] ?? "");
  const set = await data.dialogues(name);
  const id = place.get("id");
  const one = id ? await data.dialogue(name, id).catch(problem) : null;
  return h(
    "div",
    { class: "dialogues" },
    controls(overview, set, place),
    one === null ? null : one instanceof HTMLElement ? one : dialogue(one, set, place),
    list(set, place),
    setups(set),
  );
}

const change = (name: string) => (value: string) => go(here().with({ [name]: value, offset: null }));

function controls(overview: OverviewPage, set: DialogueSet, place: Place): HTMLElement {
  const words = h("input", { type: "search", value: place.get("q"), id: "dialogue-q" });
  words.addEventListener("change", () => change("q")(words.value));
  const sets = overview.dialogues.map((name) => [name, name] as const);
  const systems = [["", "all systems"] as const, ...set.systems.map(({ name }) => [name, name] as const)];
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    sets.length > 1
      ? select("Set", sets, set.name, (value) => go(here().with({ set: value, id: null })), "dialogue-set")
      : null,
    select("System", systems, place.get("system"), change("system"), "dialogue-system"),
    select("Verdict", FILTERS, place.get("verdict"), change("verdict"), "dialogue-verdict"),
    h("label", { class: "field" }, h("span", {}, "ID or domain"), words),
  );
}

/** Return the matching dialogues; with a selected system only its verdicts count. */
export function matching(set: DialogueSet, place: Place): DialogueEntry[] {
  const words = place.get("q").toLowerCase().split(/\s+/).filter(Boolean);
  const system = place.get("system");
  const verdict = place.get("verdict");
  return set.dialogues.filter((entry) => {
    if (!words.every((word) => entry.id.includes(word) || entry.domains.includes(word))) return false;
    const all = Object.entries(entry.verdicts);
    if (!verdict) return true;
    if (verdict === "differ") return new Set(all.map(([, one]) => one)).size > 1;
    return all.some(([name, one]) => one === verdict && (!system || name === system));
  });
}

function list(set: DialogueSet, place: Place): HTMLElement {
  const matches = matching(set, place);
  const from = Math.min(Math.max(0, Number(place.get("offset", "0")) || 0), Math.max(0, matches.length - 1));
  const shown = set.systems.filter(({ name }) => !place.get("system") || name === place.get("system"));
  const rows = matches
    .slice(from, from + PAGE)
    .map((entry) => [
      h("a", { href: here().with({ id: entry.id }).address }, entry.id),
      entry.turns,
      entry.domains.join(", ") || "no goal",
      ...shown.map(({ name }) => verdictOf(entry.verdicts[name] ?? null)),
    ]);
  const to = (offset: number) => () => go(here().with({ offset: offset || null }));
  const last = Math.min(matches.length, from + PAGE);
  return h(
    "section",
    {},
    h("h2", {}, "Dialogues"),
    h(
      "p",
      { class: "status", role: "status" },
      `${matches.length.toLocaleString("en")} of ${plural(set.dialogues.length, "dialogue")} match`,
    ),
    table("Verdicts by system", ["Dialogue", "Turns", "Goal", ...shown.map(({ name }) => name)], rows),
    h(
      "p",
      { class: "pager" },
      button("Previous", to(Math.max(0, from - PAGE)), { disabled: from === 0 }),
      ` ${matches.length ? from + 1 : 0} to ${last} `,
      button("Next", to(from + PAGE), { disabled: last >= matches.length }),
    ),
  );
}

function verdictOf(verdict: keyof typeof VERDICTS | null): HTMLElement {
  return h("span", { class: `verdict ${verdict ?? "open"}` }, verdict ? VERDICTS[verdict] : "not judged");
}

function dialogue(page: DialoguePage, set: DialogueSet, place: Place): HTMLElement {
  const wanted = place.get("system");
  const shown = page.systems.filter(({ system }) => !wanted || system === wanted);
  const missing = set.systems.filter(({ name }) => !page.systems.some(({ system }) => system === name));
  const turns = Math.max(0, ...shown.map((one) => one.turns.length));
  const alone = shown.length === 1 ? shown[0] : undefined;
  return h(
    "article",
    { class: "example dialogue", "aria-label": `Dialogue ${page.id}` },
    h("h2", {}, page.id),
    goals(page),
    verdicts(shown),
    missing.length
      ? h("p", { class: "soft" }, `Not predicted by ${missing.map(({ name }) => name).join(", ")}.`)
      : null,
    alone ? byTurn(alone, page) : null,
    ...(alone ? [] : [...Array(turns).keys()].map((turn) => bySystem(shown, page, turn))),
  );
}

function goals(page: DialoguePage): HTMLElement {
  if (!page.goals.length) return h("p", { class: "soft" }, "No goal is known for this dialogue, so it has no verdict.");
  const rows = page.goals.map(({ domain, wanted, requested, fitting: count }) => [
    domain,
    wanted.map(([slot, value]) => `${slot} ${value}`).join(", ") || "any",
    requested.join(", ") || "none",
    count,
  ]);
  return table("User goal", ["Domain", "Constraints", "Requested slots", "Matching entities"], rows);
}

/** Return the reasons of verdicts: by domain, whether the offer matches and which requested slots are missing. */
function verdicts(systems: TracedSystem[]): HTMLElement {
  const rows = systems.flatMap((one) => {
    const domains = Object.keys(one.match);
    if (!domains.length) return [[one.system, verdictOf(one.verdict), "", "", ""]];
    return domains.map((domain, i) => [
      one.system,
      i ? "" : verdictOf(one.verdict),
      domain,
      one.match[domain] ? "matches" : "does not match",
      one.missing[domain]?.length ? `missing: ${one.missing[domain].join(", ")}` : "all",
    ]);
  });
  return table("Verdicts", ["System", "Verdict", "Domain", "Offer", "Requested slots provided"], rows);
}

const HEADINGS = ["Response", "Belief state", "Offers", "Slots provided so far"];

function cells(turn: TracedTurn | undefined): (HTMLElement | string)[] {
  if (!turn) return ["no turn", "", "", ""];
  const state = turn.state.map(({ domain, slot, value, new: fresh }) =>
    h("li", {}, h(fresh ? "ins" : "span", {}, `${domain} ${slot} ${value}`)),
  );
  const active = turn.domains.length ? h("p", { class: "soft" }, `active: ${turn.domains.join(", ")}`) : null;
  const provided = turn.provided.map(([domain, slots]) => h("p", {}, `${domain}: ${slots.join(", ")}`));
  const parts = [
    [h("div", { class: "text" }, turn.response)],
    [h("ul", {}, ...state), active],
    turn.offers.map(offerOf),
    provided,
  ];
  // On narrow screens cells are stacked, so each has its heading.
  return parts.map((inside, i) =>
    inside.length ? h("div", {}, h("span", { class: "of" }, HEADINGS[i]), ...inside) : "",
  );
}

function offerOf(offer: Offer): HTMLElement {
  const venues = offer.venues.map(({ id, name, fits }) =>
    h("li", { class: fits ? "fits" : "misfit" }, `${fits ? "✓" : "✗"} ${name || id}${name ? ` (${id})` : ""}`),
  );
  const rest = offer.total - offer.venues.length;
  const count = offer.total ? `${offer.fitting} of ${offer.total} match the goal` : "no matching entity";
  return h(
    "details",
    { open: offer.new },
    h("summary", {}, `${offer.domain}: ${count}`, offer.new ? h("b", {}, " · new offer") : null),
    h("ul", {}, ...venues, rest > 0 ? h("li", { class: "soft" }, `and ${rest} more`) : null),
  );
}

function byTurn(one: TracedSystem, page: DialoguePage): HTMLElement {
  const rows = one.turns.map((turn, i) => [i + 1, ...cells(turn)]);
  const end = h("div", {}, ...one.final.map(offerOf));
  if (one.final.length) rows.push(["end", "", "", end, ""]);
  return h(
    "section",
    { class: "trace" },
    table(`${one.system}, turn by turn`, ["Turn", ...HEADINGS], rows),
    ...Object.entries(page.references).map(([style, texts]) =>
      h(
        "details",
        {},
        h("summary", {}, `References (${style})`),
        h("ol", {}, ...texts.map((text) => h("li", {}, text))),
      ),
    ),
  );
}

function bySystem(systems: TracedSystem[], page: DialoguePage, turn: number): HTMLElement {
  const references = Object.entries(page.references).map(([style, texts]) => [
    `reference (${style})`,
    h("div", { class: "text" }, texts[turn] ?? "no turn"),
    "",
    "",
    "",
  ]);
  const rows = systems.map((one) => [
    h("a", { href: here().with({ system: one.system }).address }, one.system),
    ...cells(one.turns[turn]),
  ]);
  const label = `Turn ${turn + 1}`;
  return h(
    "section",
    { class: "trace" },
    h("h3", {}, label),
    table(label, ["System", ...HEADINGS], [...references, ...rows]),
  );
}

function setups(set: DialogueSet): HTMLElement {
  const choices = [...new Set(set.systems.flatMap(({ setup }) => setup.map(([key]) => key)))];
  const rows = set.systems.map(({ name, setup }) => {
    const values = new Map(setup);
    return [name, ...choices.map((key) => values.get(key) ?? "–")];
  });
  return h(
    "section",
    {},
    h("h2", {}, "Evaluation setup"),
    table("Scores of different setups are not comparable", ["System", ...choices], rows),
    h("p", {}, h("a", { href: link("overview", {}) }, "Scores")),
  );
}
