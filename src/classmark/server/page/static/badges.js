// Whose word labels are: a word and a shape each, so that no colour is needed to tell them apart.

import { drawn, element, t } from "./page.js";

const SHAPES = {
  machine: drawn("rect", { x: 2.5, y: 2.5, width: 11, height: 11, "stroke-dasharray": "2 2" }),
  reviewed: drawn("path", { d: "M2.5 8.5 6.5 12.5 13.5 4" }),
  human: drawn("g", {}, drawn("circle", { cx: 8, cy: 5, r: 2.8, class: "full" }), drawn("path", { class: "full", d: "M2.5 14.5 a5.5 5.5 0 0 1 11 0 z" })),
  rejected: drawn("path", { d: "M3.5 3.5 12.5 12.5 M12.5 3.5 3.5 12.5" }),
};

/** Give the sign of a state: `machine`, `reviewed`, `human` or `rejected`. */
export function badge(state) {
  const picture = drawn("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, SHAPES[state].cloneNode(true));
  return element("span", { class: `badge ${state}` }, picture, t(`common.state-${state}`));
}

export const OF_STATE = { waiting: "machine", reviewed: "reviewed", human: "human", rejected: "rejected" };
export const OF_WORD = { model: "machine", accepted: "reviewed", corrected: "human", rejected: "rejected" };
