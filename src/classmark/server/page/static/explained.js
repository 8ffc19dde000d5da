// Why: a text with the words behind a category marked, and two categories against each other, word by word.

import { bar, element, name, t, visible } from "./page.js";

const WORDS = 10;
const WORDS_OF_A_SIDE = 5;

/** Give a name that may be a path. */
export function nameOf(category) {
  return Array.isArray(category) ? category.join("/") : String(category);
}

/** Give the text, each piece marked by how much it speaks for the category or against it. */
export function markedText(explanation) {
  const pieces = explanation.pieces ?? [];
  const largest = Math.max(1e-9, ...pieces.map((piece) => Math.abs(piece.share)));
  const shown = element("div", { class: "document", tabindex: "0", role: "region", "aria-label": t("try.words") });
  for (const { text, share } of pieces) {
    const part = Math.abs(share) / largest;
    const seen = lines(text);
    if (part < 0.05) shown.append(seen);
    else shown.append(mark(seen, share > 0, part));
  }
  return shown;
}

function mark(text, speaksFor, part) {
  const strength = part < 0.2 ? 0 : part < 0.55 ? 1 : 2;
  return element("mark", { class: `${speaksFor ? "for" : "against"} s${strength}` }, text);
}

/** Give text as it was written, lines and all, with what cannot be seen written out. */
export function lines(text) {
  return text.replaceAll("\r\n", "\n").replaceAll("\t", " ").split("\n").map(visible).join("\n");
}

/** Give the words with the largest shares, as they are written in the text. */
export function words(terms, written = {}, absent = [], most = WORDS) {
  const shown = terms.filter((one) => Math.abs(one.share) >= 0.0005).slice(0, most);
  const largest = Math.max(1e-9, ...shown.map((one) => Math.abs(one.share)));
  return element(
    "ul",
    { class: "weights" },
    shown.map((one) => {
      const word = written[one.term] ?? one.term;
      const told = absent.includes(one.term) ? t("common.without", { word: visible(word) }) : word;
      const kind = one.share < 0 ? "against" : "for";
      return element("li", { class: kind }, name(told, 40), bar(Math.abs(one.share) / largest));
    }),
  );
}

/** Set a category against the one that a text got: what speaks for either, each with its words. */
export function contrast(explanation, ours, theirs) {
  const { why_not: other, written } = explanation;
  const sides = [
    [t("try.for", { name: visible(theirs) }), other.terms.filter((one) => one.share < 0)],
    [t("try.for", { name: visible(ours) }), other.terms.filter((one) => one.share > 0)],
  ];
  return element(
    "div",
    { class: "sides" },
    sides.map(([title, terms]) => {
      const none = element("p", { class: "quiet" }, t("try.no-words"));
      const shown = terms.map((one) => ({ ...one, share: Math.abs(one.share) }));
      return element("div", {}, element("h4", {}, element("bdi", {}, title)), shown.length ? words(shown, written, other.absent, WORDS_OF_A_SIDE) : none);
    }),
  );
}
