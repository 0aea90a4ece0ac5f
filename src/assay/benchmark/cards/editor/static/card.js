// Saves the card automatically, shows its findings, and never overwrites changes of another tab.
"use strict";

(() => {
  const form = document.getElementById("card");
  if (!form) return;
  const WAIT = 1200;
  const state = document.getElementById("state");
  const words = state.dataset; // not the form's: a field of it is called "dataset"
  const place = `assay-card-${words.id}`;
  const version = form.elements.namedItem("version");
  let timer = 0;
  let sending = false;
  let dirty = false;
  let stopped = Boolean(words.stale);

  const fields = () => [...form.querySelectorAll("textarea[name], input[name^='front-']")];
  const texts = () => Object.fromEntries(fields().map((field) => [field.name, field.value]));
  const first = texts();

  function say(text, wrong = false) {
    state.textContent = text;
    state.className = wrong ? "problem" : "soft";
  }

  // Unsaved text is also kept in this browser, in case the tab or the machine fails.
  function keepHere() {
    try {
      localStorage.setItem(place, JSON.stringify({ version: version.value, texts: texts() }));
    } catch {
      // private windows may not store anything; the server saves it all the same
    }
  }
  function forget() {
    try {
      localStorage.removeItem(place);
    } catch {
      // as above
    }
  }

  function showFindings(answer) {
    document.getElementById("share").value = answer.share;
    document.getElementById("percent").textContent = `${answer.share} %`;
    const lacking = new Map(answer.findings.filter((each) => each.key).map((each) => [each.key, each.problem]));
    for (const field of form.querySelectorAll("textarea[data-key]")) {
      const line = document.getElementById(`p-${field.name}`);
      if (line) line.textContent = (field.dataset.key && lacking.get(field.dataset.key)) || "";
    }
    const box = document.getElementById("findings");
    box.querySelector("summary").textContent = answer.findings.length
      ? words.found.replace("#", answer.findings.length)
      : words.nothing;
    box.querySelector("ul").replaceChildren(
      ...answer.findings.map((each) => {
        const line = document.createElement("li");
        const name = document.createElement("b");
        const remedy = document.createElement("span");
        name.textContent = each.section;
        remedy.className = "soft";
        remedy.textContent = each.remedy;
        if (!each.grave) line.className = "soft";
        line.append(name, `: ${each.problem}. `, remedy);
        return line;
      }),
    );
  }

  function bodyOf() {
    const body = new FormData();
    for (const field of fields()) body.append(field.name, field.value);
    for (const name of ["csrf", "version"]) body.append(name, form.elements.namedItem(name).value);
    return body;
  }

  async function save(keepalive = false) {
    if (sending || stopped || !dirty) return;
    sending = true;
    dirty = false;
    say(words.saving);
    try {
      const sent = await fetch(`${form.getAttribute("action")}/autosave`, { method: "POST", body: bodyOf(), keepalive });
      const answer = await sent.json().catch(() => ({}));
      if (sent.ok) {
        version.value = answer.version;
        showFindings(answer);
        if (!dirty) forget();
        say(words.saved);
      } else if (sent.status === 409 && answer.conflict) {
        stopped = true;
        dirty = true;
        showFindings(answer);
        keepHere();
        say(words.conflict, true);
      } else {
        dirty = true;
        keepHere();
        say(`${words.refused} ${answer.error ?? sent.status}`, true);
        if (sent.status === 429 || sent.status >= 500) later(5000);
      }
    } catch {
      dirty = true;
      keepHere();
      say(words.kept, true);
      later(5000);
    } finally {
      sending = false;
      if (dirty && !stopped && !timer) later(WAIT);
    }
  }

  function later(wait) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = 0;
      void save();
    }, wait);
  }

  form.addEventListener("input", (event) => {
    if (!event.target.name || event.target.closest(".prefill")) return;
    dirty = true;
    keepHere();
    if (!stopped) later(WAIT);
  });
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    stopped = true;
    dirty = false;
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") void save(JSON.stringify(texts()).length < 50_000); // limit of browsers for requests after the page is closed
  });
  addEventListener("beforeunload", (event) => {
    if (dirty) event.preventDefault();
  });

  // Unsaved text of an earlier visit is offered, not restored automatically.
  try {
    const left = JSON.parse(localStorage.getItem(place) ?? "null");
    const unlike = left && Object.entries(left.texts).some(([name, text]) => name in first && first[name] !== text);
    if (unlike && !words.stale) {
      const offer = document.getElementById("restore");
      offer.hidden = false;
      document.getElementById("take").addEventListener("click", () => {
        for (const field of fields()) if (field.name in left.texts) field.value = left.texts[field.name];
        offer.hidden = true;
        dirty = true;
        void save();
      });
      document.getElementById("drop").addEventListener("click", () => {
        offer.hidden = true;
        forget();
      });
    } else if (left && !words.stale) forget();
  } catch {
    forget();
  }
})();
