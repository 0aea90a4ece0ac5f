// Dialogues turn by turn: what a user wants, what each system said, understood, offered and gave, and the verdict.

import type { Data } from "./data";
import { button, h, select, table } from "./dom";
import { plural } from "./format";
import { type Place, go, here, link } from "./state";
import type { DialogueEntry, DialoguePage, DialogueSet, Offer, OverviewPage, TracedSystem, TracedTurn } from "./types";

const NONE =
  "These results hold no dialogues. assay analyze dialog --save FOLDER writes them: every dialogue of every system, turn by turn.";
const PAGE = 20;
const VERDICTS = { success: "success", inform: "inform only", neither: "neither" } as const;
const FILTERS = [
  ["", "all"],
  ["differ", "systems differ"],
  ["neither", "somebody fails to inform"],
  ["inform", "somebody informs without success"],
] as const;

export async function dialoguesPage(overview: OverviewPage, data: Data, place: Place): Promise<HTMLElement> {
  if (!overview.dialogues.length) return h("p", {}, NONE);
  const name = overview.dialogues.includes(place.get("set")) ? place.get("set") : (overview.dialogues[0] ?? "");
  const set = await data.dialogues(name);
  const asked = place.get("id");
  const one = asked ? await data.dialogue(name, asked).catch((error: unknown) => said(error)) : null;
  return h(
    "div",
    { class: "dialogues" },
    controls(overview, set, place),
    one === null ? null : one instanceof HTMLElement ? one : dialogue(one, set, place),
    list(set, place),
    setups(set),
  );
}

function said(error: unknown): HTMLElement {
  return h("p", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error));
}

const change = (name: string) => (value: string) => go(here().with({ [name]: value, offset: null }));

function controls(overview: OverviewPage, set: DialogueSet, place: Place): HTMLElement {
  const words = h("input", { type: "search", value: place.get("q"), id: "dialogue-q" });
  words.addEventListener("change", () => change("q")(words.value));
  const sets = overview.dialogues.map((name) => [name, name] as const);
  const systems = [["", "all, side by side"] as const, ...set.systems.map(({ name }) => [name, name] as const)];
  return h(
    "form",
    { class: "controls", submit: (event) => event.preventDefault() },
    sets.length > 1
      ? select("Set", sets, set.name, (value) => go(here().with({ set: value, id: null })), "dialogue-set")
      : null,
    select("System", systems, place.get("system"), change("system"), "dialogue-system"),
    select("Verdicts", FILTERS, place.get("verdict"), change("verdict"), "dialogue-verdict"),
    h("label", { class: "field" }, h("span", {}, "Id or domain"), words),
  );
}

/** The dialogues that fit what is asked for; verdicts of one system alone where one is chosen. */
export function fitting(set: DialogueSet, place: Place): DialogueEntry[] {
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
  const found = fitting(set, place);
  const from = Math.min(Math.max(0, Number(place.get("offset", "0")) || 0), Math.max(0, found.length - 1));
  const shown = set.systems.filter(({ name }) => !place.get("system") || name === place.get("system"));
  const rows = found
    .slice(from, from + PAGE)
    .map((entry) => [
      h("a", { href: here().with({ id: entry.id }).address }, entry.id),
      entry.turns,
      entry.domains.join(", ") || "no goal",
      ...shown.map(({ name }) => verdictOf(entry.verdicts[name] ?? null)),
    ]);
  const to = (offset: number) => () => go(here().with({ offset: offset || null }));
  const last = Math.min(found.length, from + PAGE);
  return h(
    "section",
    {},
    h("h2", {}, "Dialogues"),
    h(
      "p",
      { class: "status", role: "status" },
      `${found.length.toLocaleString("en")} of ${plural(set.dialogues.length, "dialogue")} fit`,
    ),
    table("Verdicts by system", ["Dialogue", "Turns", "Goal", ...shown.map(({ name }) => name)], rows),
    h(
      "p",
      { class: "pager" },
      button("Previous", to(Math.max(0, from - PAGE)), { disabled: from === 0 }),
      ` ${found.length ? from + 1 : 0} to ${last} `,
      button("Next", to(from + PAGE), { disabled: last >= found.length }),
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
  if (!page.goals.length)
    return h("p", { class: "soft" }, "No goal is known here, so nothing is judged: this is what was said.");
  const rows = page.goals.map(({ domain, wanted, asked, fitting: count }) => [
    domain,
    wanted.map(([slot, value]) => `${slot} ${value}`).join(", ") || "anything",
    asked.join(", ") || "nothing",
    count,
  ]);
  return table("What the user wants", ["Domain", "Wanted", "To be told", "Venues or trains that fit"], rows);
}

/** Why it came out so: by domain, whether the offer fits and what was never given. */
function verdicts(systems: TracedSystem[]): HTMLElement {
  const rows = systems.flatMap((one) => {
    const domains = Object.keys(one.match);
    if (!domains.length) return [[one.system, verdictOf(one.verdict), "", "", ""]];
    return domains.map((domain, i) => [
      one.system,
      i ? "" : verdictOf(one.verdict),
      domain,
      one.match[domain] ? "fits" : "does not fit",
      one.untold[domain]?.length ? `never ${one.untold[domain].join(", ")}` : "all",
    ]);
  });
  return table("Verdicts", ["System", "Dialogue", "Domain", "Offer", "Told what was asked for"], rows);
}

const HEADINGS = ["Said", "Understood", "Offered", "Told so far"];

function cells(turn: TracedTurn | undefined): (HTMLElement | string)[] {
  if (!turn) return ["no such turn", "", "", ""];
  const state = turn.state.map(({ domain, slot, value, new: fresh }) =>
    h("li", {}, h(fresh ? "ins" : "span", {}, `${domain} ${slot} ${value}`)),
  );
  const active = turn.domains.length ? h("p", { class: "soft" }, `about ${turn.domains.join(", ")}`) : null;
  const told = turn.provided.map(([domain, slots]) => h("p", {}, `${domain}: ${slots.join(", ")}`));
  const parts = [
    [h("div", { class: "text" }, turn.response)],
    [h("ul", {}, ...state), active],
    turn.offers.map(offerOf),
    told,
  ];
  // On a phone a row stands upright, and each of its cells says what it is.
  return parts.map((inside, i) =>
    inside.length ? h("div", {}, h("span", { class: "of" }, HEADINGS[i]), ...inside) : "",
  );
}

function offerOf(offer: Offer): HTMLElement {
  const venues = offer.venues.map(({ id, name, fits }) =>
    h("li", { class: fits ? "fits" : "misfit" }, `${fits ? "✓" : "✗"} ${name || id}${name ? ` (${id})` : ""}`),
  );
  const rest = offer.total - offer.venues.length;
  const count = offer.total ? `${offer.fitting} of ${offer.total} fit the goal` : "nothing is found";
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
        h("summary", {}, `What people said (${style})`),
        h("ol", {}, ...texts.map((text) => h("li", {}, text))),
      ),
    ),
  );
}

function bySystem(systems: TracedSystem[], page: DialoguePage, turn: number): HTMLElement {
  const people = Object.entries(page.references).map(([style, texts]) => [
    `people (${style})`,
    h("div", { class: "text" }, texts[turn] ?? "no such turn"),
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
    table(label, ["System", ...HEADINGS], [...people, ...rows]),
  );
}

function setups(set: DialogueSet): HTMLElement {
  const choices = [...new Set(set.systems.flatMap(({ setup }) => setup.map(([key]) => key)))];
  const rows = set.systems.map(({ name, setup }) => {
    const found = new Map(setup);
    return [name, ...choices.map((key) => found.get(key) ?? "–")];
  });
  return h(
    "section",
    {},
    h("h2", {}, "How they were judged"),
    table("Numbers under different setups do not compare", ["System", ...choices], rows),
    h("p", {}, h("a", { href: link("overview", {}) }, "The numbers")),
  );
}
