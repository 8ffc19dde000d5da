// A document before somebody: its text, what the model says of it, what it came with, and who has said what.

import { badge, OF_STATE } from "./badges.js";
import { ask, data, element, name, percent, t, visible } from "./page.js";
import { chance, pathLine } from "./places.js";

const moments = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });

/** Say when something was. */
export function when(moment) {
  return moments.format(new Date(moment));
}

/** Give a category by its name, in its place where the model has it. */
export function categoryLine(found, label) {
  const place = found.places[label];
  return place ? pathLine(place.path) : element("span", { class: "path" }, element("strong", {}, name(label)), " ", element("span", { class: "quiet" }, t("review.unknown")));
}

/** Give the contents of the card; where nothing waits, how documents get here. */
export function card(found) {
  if (found === null) return nothing();
  return [
    element("header", {}, element("h2", { id: "card-title", tabindex: "-1" }, name(found.document_id, 80)), badge(OF_STATE[found.state])),
    element("div", { class: "document", tabindex: "0", role: "region", "aria-label": t("review.text") }, found.text || element("span", { class: "quiet" }, t("review.no-text"))),
    said(found),
    element("div", { id: "correcting" }),
    history(found),
  ];
}

function nothing() {
  return [
    element("h2", { id: "card-title", tabindex: "-1" }, t("review.nothing")),
    element("p", {}, t("review.nothing-about")),
    element(
      "ul",
      {},
      element("li", {}, element("a", { href: `/projects/${encodeURIComponent(data.project)}/batch` }, t("review.from-batch"))),
      element("li", {}, t("review.from-store"), " ", element("code", {}, "classmark store add")),
      element("li", {}, t("review.from-programs"), " ", element("code", {}, `/v1/projects/${data.project}/review/add`)),
    ),
    element("div", { id: "correcting" }),
  ];
}

/** Give what the model says, what another says, and what the document came with. */
function said(found) {
  const model = found.said?.labels ?? null;
  const other = found.said?.other ?? null;
  const blocks = [];
  if (found.state !== "waiting" && found.labels) blocks.push(block(t("review.holds"), found.labels.map((label) => [label, null]), found));
  if (model) blocks.push(block(t("review.model-says"), model.map((label, place) => [label, found.said.chances?.[place] ?? null]), found));
  if (other) blocks.push(block(t("review.other-says", { other: visible(other.project) }), other.labels.map((label) => [label, null]), found, t("review.disagree", { share: percent(found.disagreement ?? 0) })));
  if (found.given) blocks.push(block(t("review.came-with"), found.given.map((label) => [label, null]), found, found.suspicion === null ? null : t("review.suspect", { share: percent(found.suspicion) })));
  return element("div", { class: "said" }, blocks);
}

function block(title, labels, found, note = null) {
  const lines = labels.length
    ? element("ul", {}, labels.map(([label, sure]) => element("li", {}, categoryLine(found, label), sure === null ? null : chance(sure))))
    : element("p", { class: "quiet" }, t("review.nowhere"));
  return element("section", {}, element("h3", {}, title), lines, note ? element("p", { class: "quiet small" }, note) : null);
}

/** Give who has said what, asked for when somebody looks. */
function history(found) {
  const place = element("div", {});
  const opened = async (event) => {
    if (!event.target.open || place.childElementCount) return;
    try {
      const { verdicts } = await ask(`review/history?${new URLSearchParams({ document_id: found.document_id })}`);
      const brought = element("li", {}, t("review.brought", { who: visible(found.by), when: when(found.added) }), found.version ? element("span", { class: "quiet" }, ` ${t("review.version", { version: found.version })}`) : null);
      place.replaceChildren(element("ol", { class: "history" }, brought, verdicts.map(past)));
    } catch (error) {
      place.replaceChildren(element("p", { class: "bad" }, error.message));
    }
  };
  return element("details", { toggle: opened }, element("summary", {}, t("review.history")), place);
}

function past(verdict) {
  const labels = verdict.labels?.length ? [": ", verdict.labels.flatMap((label, place) => [place ? ", " : "", name(label, 80)])] : null;
  const words = [t(`review.past-${verdict.verdict}`, { who: visible(verdict.who), when: when(verdict.at) }), labels];
  return element("li", {}, verdict.undone ? element("s", {}, words) : words, verdict.undone ? ` ${t("review.undone")}` : null);
}
