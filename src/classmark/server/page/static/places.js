// Categories in their places: a path in a line, and several paths as one small tree.

import { bar, data, element, inWords, name, percent, t } from "./page.js";

/** Give the labels of a path, each without what the one before it says already ("billing", "billing/refund"). */
export function shortened(path) {
  return path.map((label, place) => {
    const above = place > 0 ? `${path[place - 1]}/` : "";
    return above && label.startsWith(above) && label.length > above.length ? label.slice(above.length) : label;
  });
}

/** Give the address of the page that shows a category. */
export function addressOf(uri) {
  return `/projects/${encodeURIComponent(data.project)}/browse#${encodeURIComponent(uri)}`;
}

/** Give a path in a line, its last step set off, and leading to its page where an address is given. */
export function pathLine(path, uri = null) {
  const labels = shortened(path);
  const last = element("strong", {}, name(labels.at(-1) ?? ""));
  const end = uri === null ? last : element("a", { href: addressOf(uri) }, last);
  return element("span", { class: "path" }, labels.slice(0, -1).map((step) => element("span", { class: "step" }, name(step))), end);
}

/** Give a chance as words, a number and a bar; a score that is no probability as a number and a bar. */
export function chance(value) {
  const words = data.chances === "squashed" ? null : element("span", { class: "chance-words" }, inWords(value));
  return element("span", { class: "chance" }, words, " ", element("span", { class: "number quiet" }, percent(value)), bar(value));
}

/** Give places (`path`, `uri`, `chance`) as one tree: what they share stands once. */
export function placesTree(places) {
  const top = { children: new Map() };
  for (const place of places) {
    let node = top;
    shortened(place.path).forEach((label, depth) => {
      const key = place.path[depth];
      if (!node.children.has(key)) node.children.set(key, { label, children: new Map() });
      node = node.children.get(key);
    });
    node.place = place;
  }
  return element("ul", { class: "places" }, branches(top));
}

function branches(node) {
  return [...node.children.values()].map((child) => {
    const shown = child.place
      ? element("a", { class: "place", href: addressOf(child.place.uri) }, name(child.label))
      : element("span", { class: "step" }, name(child.label));
    const line = element("div", { class: child.place ? "line own" : "line" }, shown, child.place ? chance(child.place.chance) : null);
    return element("li", {}, line, child.children.size ? element("ul", {}, branches(child)) : null);
  });
}

/** Return the labels after one is chosen. It replaces those on its own path, and all if documents have `oneLabel`. */
export function withChoice(labels, one, places, oneLabel) {
  const path = [...one.path, one.label];
  const onePath = (label) => {
    const other = places[label]?.path ?? [];
    const shorter = Math.min(path.length, other.length);
    return shorter > 0 && path.slice(0, shorter).every((step, depth) => step === other[depth]);
  };
  return [...(oneLabel ? [] : labels.filter((label) => label !== one.name && !onePath(label))), one.name];
}

/** Say that chances are no probabilities, where they are not. */
export function aboutChances() {
  return data.chances === "squashed" ? element("p", { class: "quiet small" }, t("common.squashed")) : null;
}
