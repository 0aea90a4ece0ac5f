// The frame around every page: where one is, where one can go, what could not be read.

import "./style.css";
import { type Data, open } from "./data";
import { button, h } from "./dom";
import { overviewPage } from "./overview";
import { comparePage } from "./compare";
import { examplesPage } from "./examples";
import { peoplePage } from "./people";
import { cardsPage } from "./cards";
import { dialoguesPage } from "./dialogues";
import { type Place, here } from "./state";
import type { OverviewPage } from "./types";

type Page = (overview: OverviewPage, data: Data, place: Place) => HTMLElement | Promise<HTMLElement>;

const PAGES: Record<string, [string, Page]> = {
  overview: ["Overview", overviewPage],
  compare: ["Compare", comparePage],
  examples: ["Examples", examplesPage],
  people: ["Metrics and people", peoplePage],
  dialogues: ["Dialogues", dialoguesPage],
  cards: ["Cards", cardsPage],
};

/** Few results are dialogues: the page is named where some are, and answers everywhere. */
function navigation(place: Place, overview: OverviewPage): HTMLElement {
  const named = Object.entries(PAGES).filter(([name]) => name !== "dialogues" || overview.dialogues.length);
  const items = named.map(([name, [label]]) =>
    h("li", {}, h("a", { href: `#/${name}`, "aria-current": name === place.page ? "page" : null }, label)),
  );
  return h("nav", { "aria-label": "Pages" }, h("ul", {}, ...items));
}

function theme(): HTMLElement {
  const next = { "": "dark", dark: "light", light: "" } as const;
  const root = document.documentElement;
  return button("Light or dark", () => {
    const now = (root.dataset["theme"] ?? "") as keyof typeof next;
    if (next[now]) root.dataset["theme"] = next[now];
    else delete root.dataset["theme"];
    void draw();
  });
}

function warnings(overview: OverviewPage): HTMLElement | null {
  const lines = [
    ...overview.alarms.map((text) => h("li", { class: "problem alarm" }, text)),
    ...overview.problems.map((text) => h("li", { class: "problem" }, text)),
    ...overview.notes.map((text) => h("li", {}, text)),
  ];
  if (!lines.length) return null;
  const words = overview.problems.length
    ? `${overview.problems.length} could not be read; what is left is shown`
    : overview.alarms.length
      ? "Something is wrong with these values"
      : "Read this first";
  return h(
    "details",
    { class: "warnings", open: overview.problems.length + overview.alarms.length > 0 },
    h("summary", {}, words),
    h("ul", { tabindex: 0, "aria-label": words }, ...lines),
  );
}

const data = open();
const overviewReady = data.overview();
let turn = 0;

async function draw(): Promise<void> {
  const mine = ++turn;
  const app = document.getElementById("app");
  if (!app) return;
  try {
    const overview = await overviewReady;
    const place = here();
    const [label, page] = PAGES[place.page] ?? ["Overview", overviewPage];
    document.title = `${label} · ${overview.title} · assay`;
    let made: HTMLElement;
    try {
      made = await page(overview, data, place);
    } catch (error) {
      made = h("p", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error));
    }
    if (mine !== turn) return;
    const main = h("main", { id: "main", tabindex: -1 }, h("h1", {}, label), warnings(overview), made);
    app.replaceChildren(
      h(
        "a",
        { class: "skip", href: "#main", click: (event) => (event.preventDefault(), main.focus()) },
        "Skip to the page",
      ),
      h(
        "header",
        {},
        h("a", { class: "name", href: "#/overview" }, "assay"),
        h("span", { class: "soft title" }, overview.title),
        navigation(place, overview),
        theme(),
      ),
      main,
      h("footer", { class: "soft" }, `Written by assay ${overview.version}. No number here is a ranking.`),
    );
    document.documentElement.dataset["ready"] = place.page;
  } catch (error) {
    app.replaceChildren(
      h(
        "main",
        {},
        h("h1", {}, "assay"),
        h("p", { class: "problem", role: "alert" }, error instanceof Error ? error.message : String(error)),
      ),
    );
  }
}

addEventListener("hashchange", () => void draw());
void draw();
