// Search in the article: every match is highlighted, Enter goes to the next. Without this script the browser's search does.
"use strict";

const article = document.querySelector("[data-article]");
const LONG = 400; // letters from which searching is faster than reading

if (article && CSS.highlights && article.textContent.length > LONG) {
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = article.dataset.article;
  field.setAttribute("aria-label", article.dataset.article);
  const status = document.createElement("span");
  status.className = "hint";
  status.setAttribute("role", "status");
  const line = document.createElement("p");
  line.className = "find";
  line.append(field, " ", status);
  article.before(line);

  let found = [];
  let at = -1;
  const nodes = [];
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);

  const show = () => {
    const now = found[at];
    CSS.highlights.set("found", new Highlight(...found));
    CSS.highlights.set("found-now", new Highlight(...(now ? [now] : [])));
    status.textContent = field.value ? `${found.length ? at + 1 : 0} / ${found.length}` : "";
    const box = now && now.getBoundingClientRect();
    const view = article.closest(".article");
    if (box && view) view.scrollTop += box.top - view.getBoundingClientRect().top - view.clientHeight / 3;
  };
  field.addEventListener("input", (event) => {
    event.stopPropagation();
    const wanted = field.value.toLowerCase();
    found = [];
    for (const node of wanted ? nodes : []) {
      const text = node.data.toLowerCase();
      // A letter whose lower case is longer would shift the places: such a text is searched as it is written.
      const where = text.length === node.data.length ? text : node.data;
      for (let place = where.indexOf(wanted); place >= 0; place = where.indexOf(wanted, place + wanted.length)) {
        const range = new Range();
        range.setStart(node, place);
        range.setEnd(node, place + wanted.length);
        found.push(range);
      }
    }
    at = found.length ? 0 : -1;
    show();
  });
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (found.length) at = (at + (event.shiftKey ? found.length - 1 : 1)) % found.length;
    show();
  });
}
