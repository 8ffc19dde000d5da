// The same for documents that are like one: shown first, each with a box to tick, and done only then.

import { ask, element, name, percent, say, t, visible, who } from "./page.js";
import { categoryLine } from "./review-card.js";

const SURE = 0.6;
const LEAST = 0.5;
const BEGINNING = 240;

/** Say what was done with a document, and offer the same for others; `ended` gets those done and what went wrong. */
export async function alike(place, judged, kind, labels, ended) {
  const line = element("p", { class: "last" }, t(`review.done-${kind}`, { name: visible(judged.document_id) }), " ");
  place.replaceChildren(line);
  let documents = [];
  try {
    ({ documents } = await ask(`review/like?${new URLSearchParams({ document_id: judged.document_id, who: who(), least: LEAST })}`));
  } catch {
    return;
  }
  if (!documents.length || !line.isConnected) return;
  const button = element("button", { id: "alike", "aria-expanded": "false", "aria-keyshortcuts": "L", "aria-controls": "alike-list" }, t("review.alike", { count: documents.length }), " ", element("kbd", {}, "L"));
  const panel = element("div", { id: "alike-list", class: "card", hidden: true });
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) panel.querySelector("input")?.focus();
  });
  line.append(button);
  place.append(panel);
  fill(panel, documents, kind, labels, (kept, conflicts) => {
    place.replaceChildren(element("p", { class: "last" }, t("review.same-done", { count: kept.length })));
    say(t("review.same-done", { count: kept.length }));
    ended(kept, conflicts);
  });
}

function fill(panel, documents, kind, labels, ended) {
  const go = element("button", { class: "main", type: "button" });
  const boxes = documents.map((one) => box(one, kind, labels));
  const chosen = () => documents.filter((_, place) => boxes[place].querySelector("input").checked);
  const count = () => {
    go.textContent = t("review.same", { count: chosen().length });
    go.disabled = chosen().length === 0;
  };
  panel.addEventListener("change", count);
  go.addEventListener("click", async () => {
    go.disabled = true;
    try {
      const kept = [];
      const conflicts = [];
      for (const [verdict, some] of sorted(chosen(), kind, labels)) {
        const body = { documents: some.map(({ document_id, revision }) => ({ document_id, revision })), verdict, who: who() };
        const found = await ask("review/same", { body: verdict === "correct" ? { ...body, labels } : body });
        kept.push(...found.kept.map((one) => one.document_id));
        conflicts.push(...found.conflicts);
      }
      ended(kept, conflicts);
    } catch (error) {
      panel.append(element("p", { class: "bad", role: "alert" }, t("common.failed", { why: error.message })));
    }
  });
  count();
  panel.replaceChildren(element("h3", {}, t(`review.same-title-${kind}`)), element("ul", { class: "alike" }, boxes), go);
}

const sameLabels = (one, labels) => {
  const said = one.said?.labels ?? [];
  return said.length === labels.length && labels.every((label) => said.includes(label));
};

/** Give the documents by verdict: where the model says the same, it is accepted, otherwise corrected. */
function sorted(documents, kind, labels) {
  if (kind === "reject") return documents.length ? [["reject", documents]] : [];
  const accepted = documents.filter((one) => sameLabels(one, labels));
  const corrected = documents.filter((one) => !sameLabels(one, labels));
  return [["accept", accepted], ["correct", corrected]].filter(([, some]) => some.length);
}

function box(one, kind, labels) {
  const ticked = one.likeness >= SURE && (kind === "reject" || sameLabels(one, labels));
  const id = `like-${one.document_id}`;
  const says = (one.said?.labels ?? []).map((label) => categoryLine(one, label));
  const text = one.text.length > BEGINNING ? `${one.text.slice(0, BEGINNING)}…` : one.text;
  return element(
    "li",
    {},
    element("input", { type: "checkbox", id, checked: ticked }),
    element("label", { for: id }, element("span", { class: "text" }, text || t("review.no-text")), element("span", { class: "quiet small" }, name(one.document_id, 60), " · ", t("review.likeness", { share: percent(one.likeness) }), " · ", t("review.model-says"), ": ", says)),
  );
}
