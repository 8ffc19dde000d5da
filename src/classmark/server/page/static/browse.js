// Browse: the categories as a tree, a search while one types, and what is known of a category.

import { ask, bar, complain, data, element, name, percent, ready, say, t, visible } from "./page.js";
import { lines } from "./explained.js";
import { addressOf, pathLine, shortened } from "./places.js";
import { searching } from "./searching.js";
import { Tree } from "./tree.js";

const BEGINNING = 280;
const pane = document.getElementById("node");
const field = document.getElementById("search");
const tree = new Tree(document.getElementById("tree"), (category) => go(category.uri, true));
let shown = null;

function go(uri, fromTree = false) {
  if (shown?.uri === uri) return pane.scrollIntoView({ block: "nearest" });
  shown = { uri, fromTree };
  location.hash = encodeURIComponent(uri);
  return show(uri, !fromTree);
}

async function show(uri, revealing) {
  pane.setAttribute("aria-busy", "true");
  try {
    const node = await ask(`node?${new URLSearchParams({ uri })}`);
    if (shown?.uri !== uri) return;
    pane.replaceChildren(details(node));
    say(t("browse.shown", { name: visible(node.label) }));
    if (revealing) await tree.reveal(node.way);
    if (innerWidth < 960) pane.scrollIntoView({ block: "start" });
    await documents(node);
  } catch (error) {
    complain(pane, error);
  }
  pane.removeAttribute("aria-busy");
}

function link(one, label = one.label) {
  return element("a", { href: addressOf(one.uri) }, name(label));
}

function details(node) {
  const labels = shortened(node.way.map((one) => one.label));
  const way = node.way.slice(0, -1).map((one, place) => element("li", {}, link(one, labels[place])));
  return element(
    "article",
    { class: "card", "aria-labelledby": "node-title" },
    way.length ? element("nav", { "aria-label": t("browse.way") }, element("ol", { class: "crumbs" }, way)) : null,
    element("h2", { id: "node-title" }, name(labels.at(-1))),
    node.description ? element("p", { dir: "auto" }, visible(node.description)) : null,
    element("p", { class: "quiet small" }, element("code", {}, name(node.uri)), node.notation ? [" · ", name(node.notation)] : null),
    element("p", {}, sentence(node)),
    node.parents.length > 1 ? element("p", {}, t("browse.parents"), " ", node.parents.flatMap((one) => [link(one), " "])) : null,
    quality(node.figures),
    wordsOf(node),
    nearest(node),
    element("section", { id: "documents" }),
  );
}

function sentence(node) {
  const below = node.children ? t("browse.has-below", { children: node.children, below: node.below }) : t("browse.leaf");
  const from = node.learned_from !== null ? t("browse.learned-from", { count: node.learned_from }) : t(node.learned ? "browse.learned" : "browse.not-learned");
  return `${below} ${from}`;
}

function quality(figures) {
  const title = element("h3", {}, t("browse.quality"));
  if (!figures) return [title, element("p", { class: "quiet" }, t("browse.no-figures"))];
  const rows = ["precision", "recall", "f1"].map((key) =>
    element("div", {}, element("dt", {}, t(`browse.${key}`)), element("dd", {}, element("span", { class: "number" }, percent(figures[key])), bar(figures[key]))));
  const instead = figures.instead.map((one) => element("li", {}, link(one), " ", element("span", { class: "quiet number" }, t("browse.times", { count: one.documents }))));
  return [
    title,
    element("p", { class: "quiet" }, t("browse.measured", { documents: figures.documents, predicted: figures.predicted })),
    element("dl", { class: "quality" }, rows),
    instead.length ? [element("p", {}, t("browse.instead")), element("ul", {}, instead)] : null,
  ];
}

function wordsOf(node) {
  const title = element("h3", {}, t("browse.words"));
  if (!node.words) return [title, element("p", { class: "quiet" }, node.no_words ?? t("browse.no-words"))];
  const largest = Math.max(1e-9, ...[...node.words.for, ...node.words.against].map((one) => Math.abs(one.weight)));
  const side = (key, kind, list) => element("div", {}, element("h4", {}, t(key)), list.length
    ? element("ul", { class: "weights" }, list.map((one) => element("li", { class: kind }, name(one.word, 40), bar(Math.abs(one.weight) / largest))))
    : element("p", { class: "quiet" }, t("browse.none")));
  return [title, element("div", { class: "sides" }, side("browse.for", "for", node.words.for), side("browse.against", "against", node.words.against))];
}

function nearest(node) {
  if (!node.nearest.length) return null;
  const items = node.nearest.slice(0, 6).map((one) => element("li", {}, pathLine(one.path, one.uri)));
  return [element("h3", {}, t("browse.nearest")), element("ul", { class: "plain" }, items)];
}

async function documents(node, offset = 0) {
  const place = document.getElementById("documents");
  if (!place) return;
  let found;
  try {
    found = await ask(`node/documents?${new URLSearchParams({ uri: node.uri, offset })}`);
  } catch (error) {
    if (error.status !== 401 && error.status !== 403) throw error;
    place.replaceChildren(element("h3", {}, t("browse.documents")), element("p", { class: "quiet" }, t("browse.documents-hidden")));
    return;
  }
  const items = found.documents.map((one) => element("li", {}, element("p", { class: "small" },
    element("span", { class: `state ${one.state}` }, t(`browse.state-${one.state}`)), " ", element("strong", {}, name(one.document_id, 60))),
  element("p", { dir: "auto", class: "beginning" }, beginning(one.text))));
  const ids = found.indexed.map((id) => element("li", {}, name(id, 60)));
  const more = found.more || found.indexed_total > offset + found.indexed.length;
  const nothing = !items.length && !ids.length && !offset;
  const parts = [
    element("h3", {}, t("browse.documents")),
    nothing ? element("p", { class: "quiet" }, t("browse.no-documents")) : null,
    items.length ? element("ul", { class: "plain documents" }, items) : null,
    ids.length ? [element("p", {}, t("browse.indexed", { count: found.indexed_total })), element("ul", { class: "ids" }, ids)] : null,
    element("div", { class: "tools" },
      offset ? element("button", { type: "button", click: () => documents(node, Math.max(0, offset - 10)) }, t("browse.documents-before")) : null,
      more ? element("button", { type: "button", click: () => documents(node, offset + 10) }, t("browse.documents-after")) : null),
  ];
  place.replaceChildren(...parts.flat().filter(Boolean));
}

function beginning(text) {
  const whole = lines(text.slice(0, BEGINNING)).replaceAll("\n", " ");
  return text.length > BEGINNING ? `${whole}…` : whole || t("browse.empty-text");
}

function fromAddress() {
  let uri = "";
  try {
    uri = decodeURIComponent(location.hash.slice(1));
  } catch { /* An address that nobody here has made shows nothing. */ }
  if (!uri || uri.startsWith("text=") || shown?.uri === uri) return;
  shown = { uri };
  show(uri, true);
}

document.getElementById("size").textContent = t("browse.size", { count: data.categories });
searching(field, document.getElementById("found"), (one) => go(one.uri));
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /input|textarea|select/i.test(event.target.tagName)) return;
  event.preventDefault();
  field.focus();
});
addEventListener("hashchange", fromAddress);
try {
  await tree.start();
} catch (error) {
  complain(pane, error);
}
fromAddress();
ready();
