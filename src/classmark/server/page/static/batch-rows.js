// Rows of a batch: the first ones, before anything is done, and each with its answer.

import { badge, OF_WORD } from "./badges.js";
import { element, name, t, visible } from "./page.js";
import { chance, pathLine } from "./places.js";

/** Give the first rows as a table, the chosen column set off. */
export function preview(batch, chosen) {
  const kind = (column) => (column === chosen ? "chosen" : null);
  const head = batch.columns.map((column) => element("th", { scope: "col", class: kind(column) }, name(column, 60)));
  const rows = batch.sample.map((row) => element("tr", {}, row.map((cell, place) => element("td", { class: kind(batch.columns[place]) }, element("bdi", {}, visible(cell))))));
  return element("table", {}, element("caption", { class: "hidden" }, t("batch.preview")), element("thead", {}, element("tr", {}, head)), element("tbody", {}, rows));
}

/** Give a row and what is said of it. */
export function shownRow(row) {
  const where = element("p", { class: "where" }, t("batch.line", { line: row.line }), row.by ? badge(OF_WORD[row.by]) : null);
  const text = row.problem ? element("p", { class: "bad" }, t("batch.row-problem", { why: visible(row.problem) })) : element("p", { class: "text" }, row.text || element("span", { class: "quiet" }, t("batch.no-text")));
  return element("li", {}, element("div", {}, where, text), answer(row));
}

function answer(row) {
  if (row.by === "rejected") return element("p", { class: "quiet" }, t("batch.rejected"));
  if (!row.own) return null;
  if (!row.own.length) return element("p", { class: "quiet" }, t("batch.nowhere"));
  return element("ul", { class: "own" }, row.own.map((one) => element("li", {}, pathLine(one.path), one.chance === null ? null : chance(one.chance))));
}
