// How far reviewing is, what it has shown, and whether more of it would change anything.

import { badge, OF_STATE } from "./badges.js";
import { drawn, element, name, percent, t, visible } from "./page.js";

const SHOWN = 5;
const OF_KIND = { accept: "reviewed", correct: "human", reject: "rejected", skip: "machine" };
const STATES = ["reviewed", "human", "rejected", "waiting"];

/** Draw everything beside the document. */
export function drawProgress(place, found, done, look) {
  const sections = [states(found), share(found), branches(found), latest(done, look), people(found)];
  place.replaceChildren(element("h2", {}, t("review.progress")), ...sections.filter(Boolean));
}

function parts(counts) {
  const all = STATES.reduce((sum, state) => sum + counts[state], 0) || 1;
  let from = 0;
  const pieces = STATES.filter((state) => counts[state]).map((state) => {
    const width = (100 * counts[state]) / all;
    const piece = drawn("rect", { class: `part-${state}`, x: from.toFixed(2), width: width.toFixed(2), height: 1 });
    from += width;
    return piece;
  });
  return drawn("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, pieces);
}

function states(found) {
  const lines = STATES.map((state) => element("div", {}, element("dt", {}, badge(OF_STATE[state])), element("dd", { class: "number" }, t("review.number", { count: found[state] }), state === "waiting" && found.claimed ? element("span", { class: "quiet small" }, ` ${t("review.claimed", { count: found.claimed })}`) : null)));
  return element("section", {}, parts(found), element("dl", { class: "states" }, lines));
}

/** Give the accepted share with its interval, and the rule by which it is good enough. */
function share(found) {
  const { accepted, of, share: part, low, high } = found.share;
  const title = element("h3", {}, t("review.share"));
  if (!of) return element("section", {}, title, element("p", { class: "quiet small" }, t("review.share-none")));
  const x = (value) => (100 * value).toFixed(2);
  const picture = drawn(
    "svg",
    { class: "interval", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    drawn("rect", { class: "rail", y: 4, width: 100, height: 2 }),
    drawn("rect", { class: "range", x: x(low), y: 2.5, width: x(high - low), height: 5 }),
    drawn("rect", { class: "point", x: Math.max(0, Number(x(part)) - 0.6), y: 0, width: 1.2, height: 10 }),
  );
  return element(
    "section",
    {},
    title,
    element("p", { class: "figure" }, element("strong", { class: "number" }, percent(part)), " ", element("span", { class: "quiet" }, t("review.share-between", { low: percent(low), high: percent(high) }))),
    picture,
    element("p", { class: "quiet small" }, t("review.share-of", { accepted, of })),
    found.enough
      ? element("p", { class: "enough" }, element("strong", {}, t("review.enough")), " ", t(`review.enough-${found.enough}`))
      : element("p", { class: "quiet small" }, t("review.rule")),
  );
}

function branches(found) {
  const rows = found.branches.map((one) => {
    const said = one.reviewed + one.human + one.rejected;
    const label = one.name === null ? t("review.no-branch") : name(one.label, 60);
    return element("li", {}, element("span", {}, label), element("span", { class: "number quiet" }, t("review.of", { count: said, all: said + one.waiting })), parts(one));
  });
  if (!rows.length) return null;
  return element("section", {}, element("h3", {}, t("review.branches")), element("ul", { class: "by-branch" }, rows));
}

/** Give what this person has said last, to be looked at again. */
function latest(done, look) {
  const rows = done.flatMap(({ ids, kind }) => ids.map((id) => [id, kind])).slice(-SHOWN).reverse();
  if (!rows.length) return null;
  const lines = rows.map(([id, kind]) => element("li", {}, element("button", { class: "link", click: () => look(id) }, name(id, 40)), badge(OF_KIND[kind])));
  return element("section", {}, element("h3", {}, t("review.latest")), element("ul", { class: "latest" }, lines));
}

function people(found) {
  const rows = Object.entries(found.people).map(([person, kinds]) => {
    const words = Object.entries(kinds).filter(([kind]) => kind !== "learn").map(([kind, count]) => t(`review.count-${kind}`, { count }));
    return element("li", {}, element("bdi", {}, visible(person)), element("span", { class: "quiet" }, ` ${words.join(", ")}`));
  });
  if (!rows.length) return null;
  return element("section", {}, element("h3", {}, t("review.people")), element("ul", { class: "people" }, rows));
}
