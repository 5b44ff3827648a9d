// SPDX-License-Identifier: BSL-1.0
// Copyright (c) 2026 the warpsafe authors
"use strict";

const root = document.documentElement;
const byId = (id) => document.getElementById(id);

// The theme: the system's, until the reader chooses the other one.
byId("theme").addEventListener("click", () => {
  const is_dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = is_dark ? "light" : "dark";
  try {
    localStorage.theme = root.dataset.theme;
  } catch {
    // A browser without storage forgets the choice.
  }
});

// The navigation: a drawer on a narrow page. Elsewhere it shows the entry of this page.
const navigation = byId("navigation");
function show_navigation(is_open) {
  navigation.classList.toggle("open", is_open);
  byId("menu").setAttribute("aria-expanded", is_open);
  show_current();
}
function show_current() {
  const current = navigation.querySelector("a.current");
  if (current && current.offsetTop > navigation.clientHeight - 80) {
    navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2;
  }
}
byId("menu").addEventListener("click", () => show_navigation(!navigation.classList.contains("open")));
byId("content").addEventListener("click", () => show_navigation(false));
show_current();

// Copy buttons. Of a console, only the commands are copied.
function text_to_copy(block) {
  if (!block.closest(".highlight-console")) return block.textContent.trimEnd();
  const lines = block.textContent.split("\n");
  const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  return (commands.length ? commands : lines).join("\n").trimEnd();
}
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea"); // a page without https
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}
for (const block of document.querySelectorAll("article .highlight > pre")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await copy(text_to_copy(block)).then(() => (button.textContent = "Copied"), () => (button.textContent = "Not copied"));
    button.classList.add("done");
    setTimeout(() => {
      button.textContent = "Copy";
      button.classList.remove("done");
    }, 1500);
  });
  block.parentElement.classList.add("copyable");
  block.parentElement.append(button);
}

// "On this page" marks the section that is in sight.
const entries = new Map();
for (const link of document.querySelectorAll("aside a[href^='#']")) {
  const section = link.hash && byId(decodeURIComponent(link.hash.slice(1)));
  if (section) entries.set(section, link);
}
const in_sight = () => {
  let here = null;
  for (const [section, link] of entries) {
    if (section.getBoundingClientRect().top < 120) here = link;
    link.classList.remove("here");
  }
  here?.classList.add("here");
};
addEventListener("scroll", in_sight, { passive: true });
in_sight();

// The search. Its index is a script, so that it works without a server, and is read when it is needed.
const field = byId("search");
const found = byId("found");
let index = null;
globalThis.warpsafe_search = (sections) => {
  index = sections.map(([title, page, url, is_symbol, text]) => ({
    title, page, url, is_symbol, text, words: `${title} ${page} ${text}`.toLowerCase(), name: title.toLowerCase(),
  }));
  search();
};
function load_index() {
  if (index || byId("search-index")) return;
  const script = document.createElement("script");
  script.id = "search-index";
  script.src = `${root.dataset.root}_static/search-index.js`;
  document.head.append(script);
}

// How well a section answers: a name before a title, a title before the text; 0 if a word is missing.
function score(section, whole, words) {
  if (!words.every((word) => section.words.includes(word))) return 0;
  const last = section.name.split("::").pop();
  let points = 1;
  if (section.name === whole) points += 100;
  else if (section.is_symbol && section.name.endsWith(`::${whole}`)) points += 90;
  else if (last.startsWith(whole)) points += 40 - Math.min(last.length - whole.length, 20);
  else if (section.name.includes(whole)) points += 15;
  if (section.text.toLowerCase().includes(whole)) points += 3;
  for (const word of words) {
    if (new RegExp(`(?<!\\w)${word.replace(/[^\w\s]/g, "\\$&")}`).test(section.name)) points += 8;
    else if (section.name.includes(word)) points += 3;
    if (section.page.toLowerCase().includes(word)) points += 2;
  }
  return points;
}

// A piece of the text around the first word, with the words marked.
function piece(text, words) {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const begin = Math.max(0, Math.min(...(places.length ? places : [0])) - 40);
  const element = document.createElement("p");
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\w\s]/g, "\\$&")).join("|")})`, "i");
  const parts = ((begin ? "…" : "") + text.slice(begin, begin + 150) + (text.length > begin + 150 ? "…" : "")).split(pattern);
  parts.forEach((part, number) => {
    const inner = document.createElement(number % 2 ? "mark" : "span");
    inner.textContent = part;
    element.append(inner);
  });
  return element;
}

function search() {
  const whole = field.value.trim().toLowerCase().replace(/^(ws|warpsafe)::|\(\)$/g, "");
  found.replaceChildren();
  found.hidden = !whole || !index;
  if (found.hidden) return;
  const words = whole.split(/\s+|::/).filter(Boolean);
  const best = index
    .map((section) => [score(section, whole, words), section])
    .filter(([points]) => points > 0)
    .sort(([a], [b]) => b - a)
    .slice(0, 15);
  for (const [, section] of best) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const title = document.createElement("b");
    const place = document.createElement("small");
    link.href = root.dataset.root + section.url;
    title.textContent = section.title;
    place.textContent = section.title === section.page ? "" : ` ${section.page}`;
    item.classList.toggle("symbol", !!section.is_symbol);
    link.append(title, place, piece(section.text, words));
    item.append(link);
    found.append(item);
  }
  if (!best.length) {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = "No page has these words.";
    found.append(item);
  }
  found.firstElementChild.classList.add("chosen");
}
field.addEventListener("focus", () => {
  load_index();
  search();
});
field.addEventListener("input", search);
field.addEventListener("keydown", (event) => {
  const items = [...found.children];
  const chosen = items.findIndex((item) => item.classList.contains("chosen"));
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && items.length) {
    event.preventDefault();
    items[chosen]?.classList.remove("chosen");
    const next = items[(chosen + step + items.length) % items.length];
    next.classList.add("chosen");
    next.scrollIntoView({ block: "nearest" });
  } else if (event.key === "Enter") {
    items[chosen]?.querySelector("a")?.click();
    found.hidden = true;
  } else if (event.key === "Escape") {
    field.blur();
    found.hidden = true;
  }
});
addEventListener("click", (event) => {
  if (!event.target.closest(".search")) found.hidden = true;
  else if (event.target.closest("#found a")) found.hidden = true;
});
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) return;
  event.preventDefault();
  field.focus();
});
