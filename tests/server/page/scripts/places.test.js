import assert from "node:assert/strict";
import { test } from "node:test";
import { category } from "./browser.js";

const { withChoice } = await import("./static/places.js");
const { t } = await import("./static/page.js");
const places = {
  owl: { path: ["bird", "owl"] },
  "barn owl": { path: ["bird", "owl", "barn owl"] },
  gull: { path: ["bird", "gull"] },
};

test("a choice replaces the guess above or below it", () => {
  assert.deepEqual(withChoice(["owl", "gull"], category("bird", "owl", "barn owl"), places, false), ["gull", "barn owl"]);
  assert.deepEqual(withChoice(["barn owl", "gull"], category("bird", "owl"), places, false), ["gull", "owl"]);
});

test("a choice beside the guess is added where documents may have several categories", () => {
  assert.deepEqual(withChoice(["owl"], category("bird", "gull"), places, false), ["owl", "gull"]);
  assert.deepEqual(withChoice(["gone"], category("bird", "gull"), places, false), ["gone", "gull"]);
});

test("a choice replaces every guess where documents have one category", () => {
  assert.deepEqual(withChoice(["owl"], category("bird", "gull"), places, true), ["gull"]);
});

test("a choice that is there already stays there once", () => {
  assert.deepEqual(withChoice(["owl", "gull"], category("bird", "owl"), places, false), ["gull", "owl"]);
});

test("a text takes the plural form of its number", () => {
  assert.equal(t("batch.facts", { rows: 1, who: "Ada" }), "1 row, brought by Ada");
  assert.equal(t("batch.facts", { rows: 0, who: "Ada" }), "0 rows, brought by Ada");
  assert.equal(t("batch.facts", { rows: 1234, who: "Ada" }), "1,234 rows, brought by Ada");
});
