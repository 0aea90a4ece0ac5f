// Span annotation: by mouse, by touch (first word, last word), or by keyboard.
"use strict";

for (const box of document.querySelectorAll("[data-spans]")) {
  const text = box.querySelector("[data-words]");
  const field = box.querySelector("input[type=hidden]");
  const list = box.querySelector("[data-marks]");
  const status = box.querySelector("[data-said]");
  const labels = [...box.querySelectorAll("[data-label]")];
  const names = labels.map((each) => each.dataset.label);
  const whole = text.textContent;
  // Python counts code points, JavaScript UTF-16 units: offsets are converted before they are sent.
  const points = [0];
  for (const character of whole) points.push(points.at(-1) + character.length);
  const toPoint = (place) => points.findIndex((each) => each >= place);
  let marks = JSON.parse(field.value || "[]").map((each) => ({ ...each, start: points[each.start], end: points[each.end] }));

  text.textContent = "";
  const words = [];
  let place = 0;
  for (const piece of whole.match(/\s+|[^\s]+/gu) || []) {
    const start = place;
    place += piece.length;
    if (/^\s/u.test(piece)) {
      text.append(piece);
      continue;
    }
    const span = document.createElement("span");
    span.textContent = piece;
    text.append(span);
    words.push({ span, start, end: place });
  }
  let anchor = null;
  let at = 0;
  let tapped = false;

  const speak = (template, values) => {
    status.textContent = template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  };
  const chosen = () => (anchor === null ? [at, at] : [Math.min(anchor, at), Math.max(anchor, at)]);
  function draw() {
    const [low, high] = chosen();
    words.forEach((word, number) => {
      const own = marks.find((each) => word.start < each.end && word.end > each.start);
      word.span.className = own ? `mark-${names.indexOf(own.label) % 8}` : "";
      word.span.classList.toggle("chosen", anchor !== null && number >= low && number <= high);
      word.span.classList.toggle("at", number === at && document.activeElement === text);
    });
  }
  function write() {
    field.value = JSON.stringify(marks.map((each) => ({ ...each, start: toPoint(each.start), end: toPoint(each.end) })));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  function show() {
    list.textContent = "";
    marks.sort((a, b) => a.start - b.start || a.end - b.end);
    for (const mark of marks) {
      const item = document.createElement("li");
      item.className = `mark-${names.indexOf(mark.label) % 8}`;
      const strong = document.createElement("strong");
      strong.textContent = mark.label;
      const quote = document.createElement("q");
      quote.textContent = whole.slice(mark.start, mark.end);
      quote.lang = text.lang;
      item.append(strong, quote);
      if (box.dataset.comments) {
        const comment = document.createElement("input");
        comment.type = "text";
        comment.value = mark.comment || "";
        comment.maxLength = 2000;
        comment.placeholder = box.dataset.sayComment;
        comment.setAttribute("aria-label", `${box.dataset.sayComment}: ${mark.label}, ${quote.textContent}`);
        comment.addEventListener("input", () => {
          mark.comment = comment.value;
          write();
        });
        item.append(comment);
      }
      const remove = document.createElement("button");
      remove.type = "button";
      remove.textContent = box.dataset.sayRemove;
      remove.setAttribute("aria-label", `${box.dataset.sayRemove}: ${mark.label}, ${quote.textContent}`);
      remove.addEventListener("click", () => {
        marks = marks.filter((each) => each !== mark);
        write();
        show();
        speak(box.dataset.sayRemoved, { label: mark.label, text: quote.textContent });
        text.focus();
      });
      item.append(remove);
      list.append(item);
    }
    if (!marks.length) {
      const item = document.createElement("li");
      item.textContent = box.dataset.sayNone;
      list.append(item);
    }
    draw();
  }
  function put(label) {
    if (!words.length) return;
    const [low, high] = chosen();
    const start = words[low].start;
    const end = words[high].end;
    // One stretch may have several labels; the same label again only selects it.
    const known = marks.find((each) => each.start === start && each.end === end && each.label === label);
    marks = marks.filter((each) => each !== known);
    marks.push({ start, end, label, comment: known ? known.comment : "" });
    anchor = null;
    tapped = false;
    write();
    show();
    speak(box.dataset.sayMarked, { label, text: whole.slice(start, end) });
  }
  for (const button of labels) button.addEventListener("click", () => put(button.dataset.label));
  function move(to, extend) {
    if (extend && anchor === null) anchor = at;
    if (!extend) anchor = null;
    at = Math.max(0, Math.min(words.length - 1, to));
    const [low, high] = chosen();
    draw();
    words[at].span.scrollIntoView({ block: "nearest" });
    status.textContent = whole.slice(words[low].start, words[high].end);
  }
  text.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !words.length) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -10, ArrowDown: 10 };
    if (event.key in steps) {
      move(at + steps[event.key], event.shiftKey);
    } else if (event.key === "Home") {
      move(0, event.shiftKey);
    } else if (event.key === "End") {
      move(words.length - 1, event.shiftKey);
    } else if (event.key === "Escape") {
      move(at, false);
    } else {
      const button = labels.find((each) => each.dataset.key === event.key);
      if (!button) return;
      put(button.dataset.label);
    }
    event.preventDefault();
  });
  text.addEventListener("focus", draw);
  text.addEventListener("blur", draw);
  text.addEventListener("click", (event) => {
    const number = words.findIndex((word) => word.span === event.target);
    const selection = getSelection();
    if (selection && !selection.isCollapsed && text.contains(selection.anchorNode)) {
      const touched = words.map((word, place) => (selection.containsNode(word.span, true) ? place : -1)).filter((place) => place >= 0);
      if (touched.length) {
        anchor = touched[0];
        at = touched.at(-1);
        tapped = false;
        selection.removeAllRanges();
        move(at, true);
        return;
      }
    }
    if (number < 0) return;
    if (tapped) {
      tapped = false;
      move(number, true);
    } else {
      anchor = at = number;
      tapped = true;
      draw();
      speak(box.dataset.sayFirst, { text: words[number].span.textContent });
    }
  });
  show();
}
