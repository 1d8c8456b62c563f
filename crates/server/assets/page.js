// Progressive enhancement of the pages: live updates and keyboard shortcuts. Without this script everything
// still works, and it only shows what the server rendered.
"use strict";

const status = document.getElementById("live");

// Keys.

const rows = () => [...document.querySelectorAll("[data-row]")].filter((row) => row.offsetParent !== null);

function step(by) {
  const all = rows();
  if (all.length === 0) return;
  const here = all.indexOf(document.activeElement);
  const next = here < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(here + by, 0), all.length - 1);
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const keys = document.getElementById("keys");
  if (keys?.open) return;
  if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "/") {
    const search = document.getElementById("q");
    if (search === null) return;
    event.preventDefault();
    search.focus();
    search.select();
  } else if (event.key === "?") keys?.showModal();
});

// Live updates: after an event the same page is requested again, and the sections that differ are replaced.

const QUIET = 250; // Milliseconds that are waited for more to happen.
const PATIENCE = [1000, 2000, 5000, 10000, 30000]; // Milliseconds until it is tried again.

const sections = () => [...document.querySelectorAll("[data-live][id]")];
const sent = new Map(sections().map((section) => [section.id, section.innerHTML]));

let timer = 0;
let isAsking = false;
let isStale = false;
let failures = 0; // Of the stream, in a row.
let refusals = 0; // Of the page, in a row.

function say(kind, text) {
  if (status === null || (status.textContent === text && status.classList.contains(kind))) return;
  status.className = "live " + kind;
  status.textContent = text;
}

function clock() {
  return new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

// The state of a section that a person changed: open details, typed text, focus.
function state(section) {
  const open = new Map([...section.querySelectorAll("details[id]")].map((one) => [one.id, one.open]));
  const typed = [];
  for (const field of section.querySelectorAll("input, textarea")) {
    const isBox = field.type === "checkbox" || field.type === "radio";
    const isTouched = isBox ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
    if (isTouched && field.type !== "hidden") typed.push([key(field), isBox ? field.checked : field.value, isBox]);
  }
  const focus = section.contains(document.activeElement) ? document.activeElement : null;
  const place = focus === null ? null : { key: key(focus), start: focus.selectionStart, end: focus.selectionEnd };
  const scrolled = [...section.querySelectorAll(".log, pre")].map((one) => one.scrollTop);
  return { open, typed, place, scrolled };
}

function key(element) {
  if (element.id !== "") return "#" + CSS.escape(element.id);
  const form = element.closest("form");
  const name = element.getAttribute("name");
  if (form !== null && name !== null) {
    const value = element.type === "checkbox" || element.type === "radio" ? `[value="${CSS.escape(element.value)}"]` : "";
    return `form[action="${CSS.escape(form.getAttribute("action"))}"] [name="${CSS.escape(name)}"]${value}`;
  }
  const href = element.getAttribute("href");
  return href === null ? null : `${element.tagName.toLowerCase()}[href="${CSS.escape(href)}"]`;
}

function find(section, selector) {
  return selector === null ? null : section.querySelector(selector);
}

function restore(section, { open, typed, place, scrolled }) {
  for (const details of section.querySelectorAll("details[id]")) {
    if (open.has(details.id)) details.open = open.get(details.id);
  }
  for (const [selector, value, isBox] of typed) {
    const field = find(section, selector);
    if (field === null) continue;
    if (isBox) field.checked = value;
    else field.value = value;
  }
  [...section.querySelectorAll(".log, pre")].forEach((one, index) => { one.scrollTop = scrolled[index] ?? 0; });
  const focus = place === null ? null : find(section, place.key);
  if (focus === null) return;
  focus.focus({ preventScroll: true });
  if (typeof place.start === "number" && typeof focus.setSelectionRange === "function") {
    try { focus.setSelectionRange(place.start, place.end); } catch { /* A field without a place in its text. */ }
  }
}

function take(fresh) {
  let changed = 0;
  const known = new Set(sections().map((section) => section.id));
  const offered = [...fresh.querySelectorAll("[data-live][id]")];
  // If a section was added or removed, the layout around it changes, so the whole main part is replaced.
  if (offered.length !== known.size || offered.some((section) => !known.has(section.id))) {
    const main = document.getElementById("main");
    const kept = state(main);
    main.replaceChildren(...document.importNode(fresh.getElementById("main"), true).childNodes);
    restore(main, kept);
    sent.clear();
    offered.forEach((section) => sent.set(section.id, section.innerHTML));
    return 1;
  }
  for (const section of offered) {
    if (sent.get(section.id) === section.innerHTML) continue;
    const old = document.getElementById(section.id);
    const kept = state(old);
    sent.set(section.id, section.innerHTML);
    old.replaceChildren(...document.importNode(section, true).childNodes);
    restore(old, kept);
    changed += 1;
  }
  return changed;
}

async function ask() {
  if (isAsking) { soon(); return; }
  isAsking = true;
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { accept: "text/html" }, redirect: "error" });
    if (!answer.ok) throw new Error(String(answer.status));
    const changed = take(new DOMParser().parseFromString(await answer.text(), "text/html"));
    isStale = false;
    refusals = 0;
    say("on", changed > 0 ? `Updated ${clock()}` : "Live");
  } catch {
    stale();
    // No other event may follow, so it is asked again without one.
    soon(patience(refusals));
    refusals += 1;
  } finally {
    isAsking = false;
  }
}

function soon(delay = QUIET) {
  clearTimeout(timer);
  timer = setTimeout(ask, delay);
}

function patience(times) {
  return PATIENCE[Math.min(times, PATIENCE.length - 1)];
}

function stale() {
  if (!isStale) say("stale", `Stale since ${clock()}`);
  isStale = true;
}

function follow() {
  const source = new EventSource("/api/events");
  source.onopen = () => {
    failures = 0;
    if (!isStale) say("on", "Live");
    // The stream begins after the page was rendered: what happened in between is in no event.
    soon();
  };
  for (const name of ["message", "incident", "reset"]) source.addEventListener(name, () => soon());
  source.onerror = () => {
    stale();
    // The browser reconnects by itself, unless the server refused.
    if (source.readyState !== EventSource.CLOSED) return;
    setTimeout(follow, patience(failures));
    failures += 1;
  };
}

// A message that was shown once is not shown again when the page is reloaded.
if (new URLSearchParams(location.search).has("done")) history.replaceState(null, "", location.pathname + location.hash);

if (status !== null && document.querySelector("[data-live]") !== null) follow();
