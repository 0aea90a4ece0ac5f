// Pages of a study: drafts are saved automatically, keys select answers, time is measured.
"use strict";

const form = document.querySelector("form[data-work]");

// Fields that depend on another answer are shown only with that answer.
for (const part of document.querySelectorAll("[data-when]")) {
  const owners = document.querySelectorAll(`input[name="${part.dataset.when}"]`);
  const show = () => {
    const chosen = [...owners].find((each) => each.checked);
    part.hidden = !(chosen && chosen.value === part.dataset.is);
  };
  owners.forEach((each) => each.addEventListener("change", show));
  show();
}

// A slider has no initial value: its number is empty until it is moved.
for (const box of document.querySelectorAll("[data-slider]")) {
  const range = box.querySelector("input[type=range]");
  const number = box.querySelector("input[type=number]");
  range.hidden = false;
  if (number.value !== "") range.value = number.value;
  const take = () => {
    number.value = range.value;
  };
  range.addEventListener("input", take);
  range.addEventListener("click", take);
  range.addEventListener("keydown", (event) => {
    if (event.key === " ") {
      take();
      number.dispatchEvent(new Event("input", { bubbles: true }));
      event.preventDefault();
    }
  });
  number.addEventListener("input", () => {
    if (number.value !== "") range.value = number.value;
  });
}

// Seconds during which the page was visible.
let since = document.visibilityState === "visible" ? performance.now() : null;
const seconds = form && form.querySelector("input[name=seconds]");
function count() {
  if (seconds && since !== null) {
    const now = performance.now();
    seconds.value = (Number(seconds.value || 0) + (now - since) / 1000).toFixed(1);
    since = now;
  }
}
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") {
    since = performance.now();
  } else {
    count();
    since = null;
    leave();
  }
});

// Drafts.
const status = document.querySelector("[data-saved]");
let waiting = null;
let unsaved = false;
let sent = false;
let saving = null;
function fields() {
  count();
  return new URLSearchParams(new FormData(form));
}
async function save() {
  waiting = null;
  unsaved = false;
  try {
    saving = new AbortController();
    const { signal } = saving;
    const answer = await fetch(form.dataset.draft, { method: "POST", body: fields(), keepalive: true, signal });
    if (!answer.ok) throw new Error(String(answer.status));
    if (status) status.textContent = status.dataset.saySaved;
  } catch {
    unsaved = true;
    if (status && !sent) status.textContent = status.dataset.sayFailed;
  }
}
function leave() {
  if (form && form.dataset.draft && unsaved && !sent) {
    clearTimeout(waiting);
    unsaved = !navigator.sendBeacon(form.dataset.draft, fields());
  }
}
if (form && form.dataset.draft) {
  const changed = () => {
    unsaved = true;
    clearTimeout(waiting);
    waiting = setTimeout(save, 400);
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  addEventListener("pagehide", leave);
}
if (form) {
  form.addEventListener("submit", (event) => {
    if (sent) {
      event.preventDefault();
      return;
    }
    count();
    sent = true;
    clearTimeout(waiting);
    if (saving) saving.abort(); // a draft must not arrive after the submission
  });
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload(); // the server may have newer data
  });
}

// Keyboard shortcuts. They are off in text fields, with a modifier key, and if the annotator has disabled them.
const toggle = document.querySelector("[data-shortcuts]");
const KEY = "assay-shortcuts";
if (toggle) {
  toggle.checked = localStorage.getItem(KEY) !== "off";
  toggle.addEventListener("change", () => localStorage.setItem(KEY, toggle.checked ? "on" : "off"));
}
const WRITING = "textarea, select, input[type=text], input[type=search], input[type=number], input[type=email], [contenteditable]";
function answered(group) {
  return group.querySelector("input:checked") !== null;
}
function groupFor(key) {
  const having = [...document.querySelectorAll("fieldset")].filter(
    (each) => !each.closest("[hidden]") && own(each, key).length,
  );
  const here = document.activeElement && document.activeElement.closest("fieldset");
  for (let at = here; at; at = at.parentElement && at.parentElement.closest("fieldset")) {
    if (having.includes(at)) return at;
  }
  return having.find((each) => !answered(each)) || having.at(-1);
}
function own(group, key) {
  return [...group.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].filter((each) => each.closest("fieldset") === group);
}
/** Open or close the list of keys, which every page with questions has. */
function help() {
  const list = document.querySelector("details.keyboard");
  if (list) {
    list.open = !list.open;
    list.querySelector("summary").focus();
  }
  return Boolean(list);
}
for (const link of document.querySelectorAll("[data-help]")) {
  link.addEventListener("click", (event) => {
    if (help()) event.preventDefault();
  });
}
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (toggle && !toggle.checked) return;
  const target = event.target;
  if (target.matches && target.matches(WRITING)) return;
  if (event.key === "?") {
    if (help()) event.preventDefault();
    return;
  }
  if (event.key === "Enter") {
    const next = document.querySelector("[data-next]");
    if (next && !(target.closest && target.closest("button, a, summary, [data-words]"))) {
      event.preventDefault();
      next.click();
    }
    return;
  }
  const back = document.querySelector("[data-back]");
  if (back && event.key === back.dataset.back) {
    event.preventDefault();
    back.click();
    return;
  }
  if (event.key.length !== 1) return;
  const group = groupFor(event.key);
  const option = group && own(group, event.key)[0];
  if (option) {
    event.preventDefault();
    option.focus();
    option.click();
  }
});

const first = document.querySelector("[data-focus]") || document.querySelector("fieldset[aria-describedby$='-missing'] input");
if (first) first.focus();
document.documentElement.dataset.ready = "yes";
