// The frame around every page: navigation, notes and caveats, and the page itself.

import "./style.css";
import { type Data, open } from "./data";
import { button, h, prose } from "./dom";
import { scoresPage } from "./overview";
import { resultsPage } from "./results";
import { comparePage } from "./compare";
import { examplesPage } from "./examples";
import { humanPage } from "./human";
import { cardsPage } from "./cards";
import { dialoguesPage } from "./dialogues";
import { remember, restore } from "./focus";
import { allLoaded, problem, skeleton } from "./sections";
import { type Place, here, link, store } from "./state";
import { applyTheme, nextTheme } from "./theme";
import type { OverviewPage } from "./types";

type Page = (overview: OverviewPage, data: Data, place: Place) => HTMLElement;

const SELECTING = ["sets", "q", "b", "axis", "colour", "scale", "x", "y", "task", "system", "kind", "language"];
const FEW = 3; // problems that are listed without a click
const PATIENCE = 400; // milliseconds for which the old content of a page stays in sight
let known: OverviewPage | null = null;

const PAGES: Record<string, [string, Page]> = {
  overview: ["Results", resultsPage],
  compare: ["Compare", comparePage],
  examples: ["Texts", examplesPage],
  correlation: ["Human correlation", humanPage],
  scores: ["All scores", scoresPage],
  dialogues: ["Dialogues", dialoguesPage],
  cards: ["Cards", cardsPage],
};

/** Return what an address asks about, in the words of another page: dataset, two systems, a metric. */
function context(place: Place, page: string): Record<string, string | null> {
  const dataset = place.get("dataset") || place.get("on") || null;
  const [a, b] = [place.get("a") || place.get("system") || null, place.get("b") || place.get("against") || null];
  const metric = place.get("metric") || null;
  if (page === "overview") return { on: dataset };
  if (page === "compare") return { dataset, a, b, metric };
  if (page === "examples")
    return a && b && metric ? { dataset, system: a, against: b, metric, order: "size" } : { dataset };
  return page === "correlation" ? { dataset, metric } : {};
}

/** List the dialogues page only if there are dialogues; its address works everywhere. */
function navigation(place: Place, overview: OverviewPage | null): HTMLElement {
  const named = Object.entries(PAGES).filter(([name]) => name !== "dialogues" || overview?.dialogues.length);
  const items = named.map(([name, [label]]) =>
    h(
      "li",
      {},
      h("a", { href: link(name, context(place, name)), "aria-current": name === place.page ? "page" : null }, label),
    ),
  );
  return h("nav", { "aria-label": "Pages" }, h("ul", {}, ...items));
}

/** Return the button that switches between the system's theme, dark and light; the choice is kept. */
function theme(): HTMLElement {
  return button("Theme", () => {
    nextTheme();
    void draw();
  });
}

/** Return the button that copies the address, which has the whole state of the page. */
function copyLink(): HTMLElement {
  const copy = button("Copy link", () => {
    void navigator.clipboard
      ?.writeText(location.href)
      .then(() => (copy.textContent = "Copied"))
      .catch(() => (copy.textContent = "Copy the address bar"));
  });
  return copy;
}

/** Return the menu of files with everything, which only a server has, and of the page on paper. */
function exportMenu(): HTMLElement {
  const files = data.served ? Object.entries({ csv: "CSV", parquet: "Parquet", tex: "LaTeX" }) : [];
  const links = files.map(([ending, name]) =>
    h("li", {}, h("a", { href: `api/export.${ending}` }, `All scores as ${name}`)),
  );
  const print_ = h(
    "li",
    {},
    button("Print, or save as PDF", () => print()),
  );
  return h("details", { class: "menu" }, h("summary", {}, "Export"), h("ul", {}, ...links, print_));
}

/** Return the way back to the benchmark or submission whose results a server shows here. */
function wayBack(): HTMLElement | null {
  const owner = /^(.*)\/explore\/$/.exec(location.pathname)?.[1];
  if (!owner || !location.protocol.startsWith("http")) return null;
  const name = owner.startsWith("/submissions/") ? "submission" : "benchmark";
  return h("a", { href: owner }, `← Back to the ${name}`);
}

/** Return the notes in the bar: what to know, but nothing that is wrong. */
function notes(overview: OverviewPage): HTMLElement | null {
  const heading = `Notes (${overview.notes.length})`;
  const listed = overview.notes.map((text) => h("li", {}, ...prose(text)));
  return listed.length ? folded("warnings menu", heading, listed, false) : null;
}

/** Return what is wrong with the results: on the page, and open if it is short. */
function warnings(overview: OverviewPage): HTMLElement {
  const { alarms, problems } = overview;
  const heading = problems.length
    ? `${problems.length} could not be read; the rest is shown`
    : `Check these scores (${alarms.length})`;
  const listed = [
    ...alarms.map((text) => h("li", { class: "problem alarm" }, ...prose(text))),
    ...problems.map((text) => h("li", { class: "problem" }, ...prose(text))),
  ];
  return folded("warnings", heading, listed, listed.length <= FEW);
}

function folded(kind: string, heading: string, listed: HTMLElement[], open: boolean): HTMLElement {
  return h(
    "details",
    { class: kind, open },
    h("summary", {}, heading),
    h("ul", { tabindex: 0, "aria-label": heading }, ...listed),
  );
}

function urgent(overview: OverviewPage): boolean {
  return overview.problems.length + overview.alarms.length > 0;
}

const data = open();
const overviewReady = data.overview();
let latest = 0;
let shown = "";

/** Return the header and an empty page, which are there before any data. */
function frame(place: Place, overview: OverviewPage | null, ...content: (HTMLElement | null)[]): void {
  const label = PAGES[place.page]?.[0] ?? "Results";
  const titled = content.some((one) => one?.querySelector("h1"));
  const main = h("main", { id: "main", tabindex: -1 }, titled ? null : h("h1", {}, label));
  for (const one of content) if (one) main.append(one);
  document.title = [label, overview?.title, "assay"].filter(Boolean).join(" · ");
  document
    .getElementById("app")
    ?.replaceChildren(
      h(
        "a",
        { class: "skip", href: "#main", click: (event) => (event.preventDefault(), main.focus()) },
        "Skip to content",
      ),
      h(
        "header",
        { class: "bar-top" },
        h("a", { class: "logo", href: "#/overview" }, "assay"),
        navigation(place, overview),
        h(
          "div",
          { class: "tools" },
          wayBack(),
          h("span", { class: "soft title" }, overview?.title ?? ""),
          overview ? notes(overview) : null,
          exportMenu(),
          copyLink(),
          theme(),
        ),
      ),
      main,
      h(
        "footer",
        { class: "soft" },
        overview
          ? `Written by assay ${overview.version}. Scores of different metrics are not combined into a ranking.`
          : "",
      ),
    );
  document.documentElement.dataset["page"] = place.page;
}

/** Return the place of an address; the results with a selection of runs are under All scores. */
function resolved(place: Place): Place {
  const moved = place.page === "overview" && SELECTING.some((name) => place.query.has(name));
  if (!moved) return place;
  const scores = place.with({}, "scores");
  store(scores);
  return scores;
}

/** Draw the page of the current address. Another page is shown at once; the same page when its data are there. */
async function draw(): Promise<void> {
  const drawing = ++latest;
  const place = resolved(here());
  const same = shown === place.page;
  delete document.documentElement.dataset["ready"];
  if (!same) {
    shown = place.page;
    frame(place, known, skeleton("the page", 8));
    scrollTo(0, 0);
  }
  const kept = same ? remember() : null;
  try {
    known = await overviewReady;
  } catch (error) {
    if (drawing === latest) frame(place, null, problem(error));
    return;
  }
  if (drawing !== latest) return;
  const page = PAGES[place.page]?.[1] ?? resultsPage;
  const content = attempt(() => page(known as OverviewPage, data, place));
  // A change on the same page keeps the old one in sight for a moment, so that nothing flickers.
  if (same) await Promise.race([allLoaded(), new Promise((done) => setTimeout(done, PATIENCE))]);
  if (drawing !== latest) return;
  const height = document.documentElement.scrollHeight;
  if (same) document.body.style.minHeight = `${height}px`; // the scroll position survives shorter content
  frame(place, known, urgent(known) ? warnings(known) : null, content);
  restore(kept);
  await allLoaded();
  if (drawing !== latest) return;
  document.body.style.minHeight = "";
  restore(kept);
  document.documentElement.dataset["ready"] = place.page;
}

function attempt(make: () => HTMLElement): HTMLElement {
  try {
    return make();
  } catch (error) {
    return problem(error);
  }
}

// A menu closes when something else is clicked, or with Escape.
const closeMenus = (except: Node | null) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (!except || !menu.contains(except)) menu.open = false;
};
addEventListener("click", (event) => closeMenus(event.target as Node));
addEventListener("keydown", (event) => event.key === "Escape" && closeMenus(null));
addEventListener("hashchange", () => void draw());
applyTheme();
void draw();
