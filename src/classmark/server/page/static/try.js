// Try: a text is pasted, dropped or opened; where it belongs, how sure that is, why, and what nearly made it.

import { ask, complain, data, element, name, percent, ready, say, t } from "./page.js";
import { contrast, markedText, nameOf, words } from "./explained.js";
import { aboutChances, chance, pathLine, placesTree, shortened } from "./places.js";

const NEAR = 5;
const LONGEST_LINK = 1_000_000;
const form = document.getElementById("ask");
const field = document.getElementById("text");
const file = document.getElementById("file");
const results = document.getElementById("results");
const why = document.getElementById("why");
const linked = document.getElementById("linked");
let under;

/** Write a text into the part of an address that no server gets to see. */
function encoded(text) {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function decoded(fragment) {
  const bytes = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

function tooLong(text) {
  return text.length > data.longest;
}

async function submit() {
  const text = field.value;
  linked.replaceChildren();
  why.replaceChildren();
  under?.abort();
  if (!text.trim() || tooLong(text)) {
    const told = text.trim() ? t("try.too-long", { count: text.length, most: data.longest }) : t("try.empty");
    results.replaceChildren(element("p", { class: "card quiet", role: "alert" }, told));
    if (!text.trim()) field.focus();
    return;
  }
  keepInAddress(text);
  under = new AbortController();
  const { signal } = under;
  results.setAttribute("aria-busy", "true");
  results.replaceChildren(element("p", { class: "card quiet" }, t("common.waiting")));
  try {
    const told = { text, marked: true, why_not: true, near: NEAR, top: 20 };
    const [classified, explained] = await Promise.all([
      ask("classify", { body: { documents: [{ text }] }, signal }),
      ask("explain", { body: told, signal }).catch(withoutExplanation),
    ]);
    show(text, classified.documents[0], explained);
  } catch (error) {
    if (error.name === "AbortError") return;
    complain(results, error);
  }
  results.removeAttribute("aria-busy");
}

/** A text that is too long to be explained is classified nevertheless. */
function withoutExplanation(error) {
  if (error.status !== 413) throw error;
  return { near: [], explanations: [], problem: error.message };
}

function show(text, answer, explained) {
  const { own } = answer;
  const nowhere = t(answer.no_known_terms ? "try.no-known-terms" : "try.nowhere");
  const isExplained = !answer.no_known_terms && !explained.problem;
  results.replaceChildren(belongs(own, nowhere), ...(isExplained ? [nearly(text, own, explained)] : []));
  why.replaceChildren(...(answer.no_known_terms ? [] : behind(own, explained)));
  const first = own.map((one) => `${shortened(one.path).join(", ")}: ${percent(one.chance)}`).join("; ");
  say(own.length ? t("try.said", { places: first }) : nowhere);
}

function belongs(own, nowhere) {
  const tree = own.length ? placesTree(own) : element("p", {}, nowhere);
  return element("section", { class: "card", "aria-labelledby": "belongs" }, element("h2", { id: "belongs" }, t("try.belongs")), tree, aboutChances());
}

function nearly(text, own, { near, explanations }) {
  const ours = own[0] ?? near[0];
  const others = [...(own.length ? near : near.slice(1))].sort((one, other) => other.chance - one.chance);
  const items = others.map((one) => nearlyOne(text, ours, one, explanations));
  const body = items.length ? element("ul", { class: "near" }, items) : element("p", { class: "quiet" }, t("try.none-near"));
  const title = element("h2", { id: "nearly" }, t("try.nearly"));
  return element("section", { class: "card", "aria-labelledby": "nearly" }, title, body);
}

function nearlyOne(text, ours, one, explanations) {
  const body = element("div", { class: "reasons" });
  const known = explanations.find((each) => nameOf(each.category) === ours.name && nameOf(each.why_not?.category) === one.name);
  const [here, there] = [shortened(ours.path).at(-1), shortened(one.path).at(-1)];
  const opened = async () => {
    if (!box.open || body.childElementCount) return;
    try {
      const asked = { text, categories: [ours.uri], why_not: one.uri, marked: true, top: 20 };
      const found = known ?? (await ask("explain", { body: asked })).explanations[0];
      body.replaceChildren(contrast(found, here, there));
    } catch (error) {
      complain(body, error);
    }
  };
  const head = element("summary", {}, pathLine(one.path), chance(one.chance));
  const box = element("details", { toggle: opened }, head, element("p", { class: "quiet" }, t("try.why-not")), body);
  return element("li", {}, box);
}

function behind(own, { explanations, decision, problem }) {
  const title = element("h2", { id: "behind" }, t("try.behind"));
  if (problem) return [element("section", { class: "card", "aria-labelledby": "behind" }, title, element("p", {}, problem))];
  const place = element("div", {});
  const choices = explanations.map((one) => choice(own, one, place));
  if (choices.length) choices[0].click();
  const key = element("p", { class: "quiet small" }, element("mark", { class: "for s1" }, t("try.mark-for")), " ", element("mark", { class: "against s1" }, t("try.mark-against")));
  const decided = element("p", { class: "quiet small" }, t("try.decided", { decision }));
  const shown = choices.length > 1 ? element("div", { class: "choices", role: "group", "aria-label": t("try.which") }, choices) : null;
  return [element("section", { class: "card", "aria-labelledby": "behind" }, title, shown, key, place, decided)];
}

function choice(own, explanation, place) {
  const found = own.find((one) => one.name === nameOf(explanation.category));
  const label = found ? shortened(found.path).at(-1) : explanation.path.at(-1);
  const button = element("button", { type: "button", "aria-pressed": "false", click: () => {
    for (const other of button.parentElement?.children ?? []) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    place.replaceChildren(...reasons(explanation));
  } }, name(label, 60));
  return button;
}

function reasons(explanation) {
  const { terms, written, absent, neighbours = [] } = explanation;
  const cut = explanation.cut ? element("p", { class: "quiet small" }, t("try.cut")) : null;
  const near = neighbours.slice(0, 5).map((one) => element("li", {}, name(one.id ?? one.document), " ", element("span", { class: "quiet" }, name(one.labels.join(", ")))));
  return [
    explanation.pieces?.length ? markedText(explanation) : element("p", { class: "quiet" }, t("try.no-marks")),
    cut,
    terms.length ? element("details", {}, element("summary", {}, t("try.weights")), words(terms, written, absent)) : null,
    near.length ? element("details", { open: true }, element("summary", {}, t("try.neighbours")), element("ul", {}, near)) : null,
  ].filter(Boolean);
}

function keepInAddress(text) {
  const fragment = `#text=${encoded(text)}`;
  if (fragment.length <= LONGEST_LINK) history.replaceState(null, "", location.pathname + location.search + fragment);
}

async function copyLink() {
  const text = field.value;
  if (!text.trim()) return linked.replaceChildren(element("p", { class: "quiet" }, t("try.empty")));
  keepInAddress(text);
  if (!location.hash.startsWith("#text=") || decoded(location.hash.slice(6)) !== text)
    return linked.replaceChildren(element("p", { class: "bad" }, t("try.link-too-long")));
  const address = element("input", { type: "text", readonly: true, value: location.href, "aria-label": t("try.link") });
  let told = t("try.link-shown");
  try {
    await navigator.clipboard.writeText(location.href);
    told = t("try.link-copied");
  } catch { /* Where a browser does not let a page write to the clipboard, the person copies it. */ }
  linked.replaceChildren(element("p", { class: "quiet small" }, told), address);
  address.focus();
  address.select();
  say(told);
}

async function take(chosen) {
  if (!chosen) return;
  if (chosen.size > 4 * data.longest) {
    field.value = "";
    return complain(results, new Error(t("try.file-too-large", { name: chosen.name, most: data.longest })));
  }
  try {
    field.value = new TextDecoder("utf-8", { fatal: true }).decode(await chosen.arrayBuffer());
  } catch {
    field.value = "";
    return complain(results, new Error(t("try.not-text", { name: chosen.name })));
  }
  submit();
}

function takeFromAddress() {
  if (!location.hash.startsWith("#text=")) return;
  try {
    field.value = decoded(location.hash.slice(6));
  } catch {
    return complain(results, new Error(t("try.link-broken")));
  }
  submit();
}

form.addEventListener("submit", (event) => { event.preventDefault(); submit(); });
field.addEventListener("paste", () => setTimeout(submit));
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); submit(); }
});
file.addEventListener("change", () => { take(file.files[0]); file.value = ""; });
document.getElementById("copy").addEventListener("click", copyLink);
document.getElementById("clear").addEventListener("click", () => {
  field.value = "";
  under?.abort();
  for (const place of [results, why, linked]) place.replaceChildren();
  history.replaceState(null, "", location.pathname + location.search);
  field.focus();
});
for (const kind of ["dragover", "dragleave", "drop"])
  document.addEventListener(kind, (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    form.classList.toggle("over", kind === "dragover");
    if (kind === "drop") take(event.dataTransfer.files[0]);
  });
addEventListener("hashchange", takeFromAddress);
takeFromAddress();
ready();
