// Review: one document after the other, one key for each verdict.

import { afterPause, ask, complain, data, element, name, ready, remember, say, t, visible, who } from "./page.js";
import { alike } from "./alike.js";
import { card } from "./review-card.js";
import { correcting } from "./correcting.js";
import { drawProgress } from "./review-progress.js";

const places = Object.fromEntries(["told", "naming", "person", "reviewing", "order", "others", "me", "about", "card", "verdicts", "after", "progress"].map((id) => [id, document.getElementById(id)]));
const KEYS = { a: "accept", c: "correct", r: "reject", s: "skip", u: "undo" };
const done = [];
let current = null;
let busy = false;
let turn = Promise.resolve();
let close = null;

/** Make what marks one verdict, so that sending it twice counts once. */
function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Do one thing after the other; meanwhile keys do nothing, so that nobody judges what is not before them yet. */
function inTurn(work) {
  busy = true;
  places.card.setAttribute("aria-busy", "true");
  turn = turn.then(work).catch((error) => complain(places.told, error)).finally(() => {
    busy = false;
    places.card.removeAttribute("aria-busy");
  });
  return turn;
}

/** Show the document that comes next. */
async function next() {
  close = null;
  try {
    const { documents } = await ask("review/claim", { body: { order: places.order.value, who: who() } });
    show(documents[0] ?? null);
  } catch (error) {
    complain(places.card, error);
  }
}

function show(found) {
  current = found;
  close = null;
  places.card.replaceChildren(...card(current));
  enable();
  document.getElementById("card-title").focus({ preventScroll: true });
  if (current === null) say(t("review.nothing"));
}

function enable() {
  for (const button of places.verdicts.children) button.disabled = button.dataset.verdict === "undo" ? false : current === null;
}

/** Keep a verdict, and go on; what somebody else was faster with is told. */
function judge(kind, labels, key = newKey()) {
  if (!busy && current !== null) inTurn(() => judgeCurrent(kind, labels, key));
}

async function judgeCurrent(kind, labels, key) {
  const judged = current;
  places.told.replaceChildren();
  try {
    const kept = await ask("review", { body: { document_id: judged.document_id, verdict: kind, labels, revision: judged.revision, key, who: who() } });
    remembered([judged.document_id], kind);
    places.after.replaceChildren();
    say(t(`review.done-${kind}`, { name: visible(judged.document_id) }));
    await next();
    if (kind !== "skip") after(judged, kind, kept.labels);
  } catch (error) {
    if (error.status === 409 || error.status === 404) {
      told(t("review.conflict", { why: error.message }));
      await next();
    } else again(error, () => judge(kind, labels, key));
  }
  progress();
}

function told(words) {
  places.told.replaceChildren(element("p", { class: "card warn", role: "alert" }, words));
}

function again(error, retry) {
  const button = element("button", { click: () => { places.told.replaceChildren(); retry(); } }, t("review.again"));
  places.told.replaceChildren(element("div", { class: "card" }, element("p", { class: "bad", role: "alert" }, t("common.failed", { why: error.message })), button));
}

function remembered(ids, kind) {
  done.push({ ids, kind });
}

/** Say what was done, and offer the same for documents that are like it. */
function after(judged, kind, labels) {
  alike(places.after, judged, kind, labels, (ids, conflicts) => {
    if (ids.length) remembered(ids, kind);
    if (conflicts.length) told(t("review.conflict", { why: conflicts.map((one) => one.detail).join("; ") }));
    progress();
    if (current !== null && ids.includes(current.document_id)) inTurn(next);
  });
}

/** Take back what was said last, in this visit or before. */
function undo() {
  if (!busy) inTurn(undoLast);
}

async function undoLast() {
  const last = done.pop();
  try {
    let id;
    if (last === undefined || last.ids.length === 1) {
      const kept = await ask("review", { body: { document_id: last?.ids[0], verdict: "undo", key: newKey(), who: who() } });
      id = kept.document_id;
    } else {
      const { kept, conflicts } = await ask("review/same", { body: { documents: last.ids.map((one) => ({ document_id: one })), verdict: "undo", who: who() } });
      if (conflicts.length) told(t("review.conflict", { why: conflicts[0].detail }));
      id = kept[0]?.document_id;
    }
    places.after.replaceChildren();
    if (id !== undefined) await lookAgain(id);
    say(t("review.done-undo", { name: visible(id ?? "") }));
  } catch (error) {
    told(error.status === 404 ? t("review.nothing-to-undo") : error.message);
  }
  progress();
}

/** Let somebody type the right categories. */
function correct() {
  if (current === null || close !== null) return;
  close = correcting(document.getElementById("correcting"), current, (labels, same) => (same ? judge("accept") : judge("correct", labels)), () => {
    close = null;
    document.getElementById("card-title").focus();
  });
}

/** Show a document again that has had its verdict. */
async function lookAgain(id) {
  try {
    show(await ask(`review/document?${new URLSearchParams({ document_id: id })}`));
  } catch (error) {
    complain(places.told, error);
  }
}

const VERDICTS = { accept: () => judge("accept"), correct, reject: () => judge("reject"), skip: () => judge("skip"), undo };

places.verdicts.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) VERDICTS[button.dataset.verdict]();
});
document.addEventListener("keydown", (event) => {
  if (places.reviewing.hidden || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  if (event.key.toLowerCase() === "l") return document.getElementById("alike")?.click();
  if (event.key in KEYS && !event.repeat) {
    event.preventDefault();
    VERDICTS[KEYS[event.key]]();
  }
});

const progress = afterPause(150, async () => {
  try {
    const found = await ask("review/progress");
    drawProgress(places.progress, found, done, (id) => inTurn(() => lookAgain(id)));
    drawOthers(found.others);
  } catch (error) {
    complain(places.progress, error);
  }
});

/** Where documents are ordered by disagreement, let somebody choose with whom, and find out. */
function drawOthers(others) {
  places.others.hidden = places.order.value !== "disagreement";
  if (places.others.childElementCount) return;
  if (!others.length) {
    places.others.replaceChildren(element("span", { class: "quiet small" }, t("review.no-others")));
    return;
  }
  const select = element("select", { id: "other" }, others.map((one) => element("option", { value: one }, one)));
  const said = element("span", { class: "quiet small", role: "status" });
  const compare = async () => {
    let [after, compared, differing, more] = [0, 0, 0, true];
    try {
      while (more) {
        const found = await ask("review/compare", { body: { other: select.value, after } });
        ({ after, more } = found);
        compared += found.compared;
        differing += found.differing;
        said.textContent = t("review.compared", { compared, differing });
      }
      await inTurn(begin);
    } catch (error) {
      complain(places.told, error);
    }
  };
  places.others.replaceChildren(element("label", { for: "other" }, t("review.other")), select, element("button", { id: "compare", click: compare }, t("review.compare")), said);
}

/** Begin with the first document of an order: what is held of another is given back. */
async function begin() {
  places.about.textContent = t(`review.about-${places.order.value}`);
  await ask("review/release", { body: { who: who() } });
  await next();
}

places.order.addEventListener("change", () => {
  localStorage.setItem("classmark-order", places.order.value);
  places.others.hidden = places.order.value !== "disagreement";
  inTurn(begin);
});

async function start() {
  places.naming.hidden = true;
  places.reviewing.hidden = false;
  const change = data.who ? null : element("button", { class: "link", click: askName }, t("review.change"));
  places.me.replaceChildren(t("review.as"), " ", name(who(), 60), " ", change ?? "");
  places.about.textContent = t(`review.about-${places.order.value}`);
  await inTurn(next);
  progress();
}

function askName() {
  places.reviewing.hidden = true;
  places.naming.hidden = false;
  places.person.value = who() ?? "";
  places.person.focus();
}

places.naming.addEventListener("submit", (event) => {
  event.preventDefault();
  const person = places.person.value.trim();
  if (!person) return;
  remember(person);
  done.length = 0;
  places.after.replaceChildren();
  start();
});
const kept = localStorage.getItem("classmark-order");
if (kept && places.order.querySelector(`option[value="${CSS.escape(kept)}"]`)) places.order.value = kept;
if (who()) await start();
else askName();
ready();
