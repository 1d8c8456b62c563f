// Search and keys. Everything on the page can be read without this script.
"use strict";

const checks = [...document.querySelectorAll("[data-check]")];
const groups = new Set(checks.map((check) => check.closest("section")));
const bars = new Map([...document.querySelectorAll("[data-of]")].map((bar) => [bar.dataset.of, bar]));
const search = document.getElementById("q");
const found = document.getElementById("found");
const keys = document.getElementById("keys");

document.getElementById("tools").hidden = false;

// Search: a check is shown if it has all words.

let texts = null; // Made when they are first needed, since a page may be long.

function filter() {
  texts ??= checks.map((check) => check.textContent.toLowerCase());
  const words = search.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
  let shown = 0;
  checks.forEach((check, index) => {
    check.hidden = !words.every((word) => texts[index].includes(word));
    const bar = bars.get(check.id);
    if (bar !== undefined) bar.hidden = check.hidden;
    if (!check.hidden) shown += 1;
  });
  for (const group of groups) group.hidden = group.querySelector("[data-check]:not([hidden])") === null;
  found.textContent = words.length === 0 ? "" : `${shown} of ${checks.length} checks`;
}

search.addEventListener("input", filter);

// Keys.

let current = null; // The check that the keys refer to: the last one that had the focus.

document.addEventListener("focusin", (event) => {
  current = event.target.closest("[data-check]") ?? current;
});

function go(by) {
  const shown = checks.filter((check) => !check.hidden);
  if (shown.length === 0) return;
  const here = shown.indexOf(current);
  const next = here < 0 ? 0 : Math.min(Math.max(here + by, 0), shown.length - 1);
  shown[next].tabIndex = -1;
  shown[next].focus({ preventScroll: true });
  shown[next].scrollIntoView({ block: "start" });
}

function toggle() {
  const details = current?.querySelector(":scope > details");
  if (details) details.open = !details.open;
}

function whileSearching(event) {
  if (event.key === "Escape") {
    search.value = "";
    filter();
    search.blur();
  } else if (event.key === "Enter") {
    current = null;
    go(1);
  }
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) return;
  if (event.target === search) {
    whileSearching(event);
    return;
  }
  if (event.key === "j") go(1);
  else if (event.key === "k") go(-1);
  else if (event.key === "o") toggle();
  else if (event.key === "?") keys.showModal();
  else if (event.key === "/") {
    event.preventDefault();
    search.focus();
    search.select();
  }
});

document.getElementById("help").addEventListener("click", () => keys.showModal());

// A link to a check opens it.
function reveal() {
  const check = document.getElementById(location.hash.slice(1));
  const details = check?.querySelector(":scope > details");
  if (!check?.matches("[data-check]")) return;
  current = check;
  if (details) details.open = true;
}

addEventListener("hashchange", reveal);
reveal();
