// Batch: a table is brought, its texts are put into categories while one watches, and it is given back with the answers.

import { ask, bar, complain, data, element, name, ready, say, t, visible, who } from "./page.js";
import { preview, shownRow } from "./batch-rows.js";
import { shortened } from "./places.js";

const AGAIN = 700;
const ROWS = 30;
const places = Object.fromEntries(["told", "bring", "file", "limits", "sending", "batch", "earlier", "batches", "deleting"].map((id) => [id, document.getElementById(id)]));
const moments = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });
const sizes = new Intl.NumberFormat(data.language, { maximumFractionDigits: 1 });
let shown = null;
let timer;

const megabytes = (bytes) => sizes.format(bytes / 1e6);
const sized = (bytes) => (bytes < 1e6 ? t("batch.kilobytes", { size: sizes.format(bytes / 1e3) }) : t("batch.megabytes", { size: megabytes(bytes) }));
const address = (batch, path = "") => `batches/${encodeURIComponent(batch.batch_id)}${path}`;

/** Show why something did not work that an event has begun, instead of nothing. */
async function attempt(doing) {
  try {
    return await doing();
  } catch (error) {
    complain(places.told, error);
  }
}

/** Send a file as it is, and say how far it is. */
function send(file) {
  places.told.replaceChildren();
  if (file.size > data.upload) return complain(places.told, new Error(t("batch.too-large", { size: megabytes(file.size), most: megabytes(data.upload) })));
  const asked = new URLSearchParams({ name: file.name.slice(-300), ...(who() ? { who: who() } : {}) });
  const request = new XMLHttpRequest();
  const going = (part) => places.sending.replaceChildren(element("p", {}, t("batch.sending", { name: visible(file.name) })), bar(part));
  places.sending.hidden = false;
  going(0);
  say(t("batch.sending", { name: visible(file.name) }));
  request.upload.addEventListener("progress", (event) => going(event.lengthComputable ? event.loaded / event.total : 0));
  request.addEventListener("loadend", () => received(request));
  request.open("POST", `/v1/projects/${encodeURIComponent(data.project)}/batches?${asked}`);
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.send(file);
}

function received(request) {
  places.sending.hidden = true;
  places.file.value = "";
  let told = null;
  try {
    told = JSON.parse(request.responseText);
  } catch {
    told = null;
  }
  if (request.status === 201) {
    location.hash = told.batch_id;
    return;
  }
  complain(places.told, new Error(told?.detail ?? t(request.status ? "batch.not-taken" : "common.unreachable")));
}

/** Show the batch that the address names, or none, and all others below. */
async function route() {
  clearTimeout(timer);
  const id = location.hash.slice(1);
  shown = null;
  places.bring.classList.toggle("small-drop", Boolean(id));
  places.batch.replaceChildren();
  if (id) await look(id, true);
  await list();
}

async function list() {
  try {
    const { batches } = await ask("batches");
    const others = batches.filter((one) => one.batch_id !== shown?.batch_id);
    places.earlier.hidden = others.length === 0;
    places.batches.replaceChildren(...others.map(summary));
  } catch (error) {
    complain(places.told, error);
  }
}

function summary(one) {
  const by = t("batch.by", { who: visible(one.who), when: moments.format(new Date(one.added)) });
  return element("li", {}, element("a", { href: `#${one.batch_id}` }, element("strong", {}, name(one.name)), element("span", {}, inWords(one)), element("span", {}, by)));
}

function inWords(one) {
  return t(`batch.state-${one.state}`, { done: one.done, rows: one.rows });
}

/** Ask how a batch is, and draw what has changed; again and again as long as it goes. */
async function look(id, first = false) {
  try {
    const batch = await ask(address({ batch_id: id }));
    if (location.hash.slice(1) !== id) return;
    const before = shown;
    shown = batch;
    if (first || before?.state !== batch.state) draw(batch, first);
    else if (batch.state === "running") drawGoing(batch);
    if (batch.state === "running") timer = setTimeout(() => look(id), AGAIN);
    if (before?.state === "running" && batch.state !== "running") say(inWords(batch));
  } catch (error) {
    complain(places.batch, error);
    if (error.status === 0) timer = setTimeout(() => look(id, true), 3 * AGAIN);
  }
}

const DRAWN = { uploaded: choosing, running: going, done: results, stopped };

function draw(batch, focused) {
  const inside = places.batch.contains(document.activeElement);
  const head = element(
    "div",
    { class: "batch-head" },
    element("h2", { id: "batch-title" }, name(batch.name)),
    element("span", { class: "quiet" }, t("batch.facts", { rows: batch.rows, size: sized(batch.bytes), who: visible(batch.who), when: moments.format(new Date(batch.added)) })),
  );
  places.batch.replaceChildren(element("article", { class: "card", "aria-labelledby": "batch-title" }, head, DRAWN[batch.state](batch)));
  if (batch.state === "done" || (batch.state === "running" && batch.done)) showRows(batch);
  if (focused || inside) places.batch.focus();
}

/** Let somebody choose which column has the texts. */
function choosing(batch) {
  const select = element("select", { id: "column" }, batch.columns.filter(Boolean).map((column) => element("option", { value: column, selected: column === batch.text_column }, visible(column).slice(0, 80))));
  const table = element("div", { class: "scroll preview", tabindex: "0", role: "region", "aria-label": t("batch.preview") });
  const redraw = () => table.replaceChildren(preview(batch, select.value));
  select.addEventListener("change", redraw);
  redraw();
  const start = () => attempt(async () => {
    await ask(address(batch, "/start"), { body: { text_column: select.value } });
    await look(batch.batch_id, true);
  });
  return [
    element("p", {}, t("batch.choose")),
    table,
    element("div", { class: "choose" }, element("label", { for: "column" }, t("batch.column")), select, element("button", { class: "main", click: start }, t("batch.start")), remove(batch)),
  ];
}

function going(batch) {
  const place = element("div", { class: "going", id: "going" });
  queueMicrotask(() => drawGoing(batch));
  return [place, element("p", { class: "quiet small" }, t("batch.leave")), element("div", { id: "rows" })];
}

function drawGoing(batch) {
  document.getElementById("going")?.replaceChildren(element("p", { class: "number" }, inWords(batch)), bar(batch.rows ? batch.done / batch.rows : 0));
  const rows = document.getElementById("rows");
  // What is shown of the rows is drawn anew now and then, unless somebody is using it.
  if (rows && batch.done >= 2 * Number(rows.dataset.done ?? 0) && batch.done && !rows.contains(document.activeElement)) showRows(batch);
}

function stopped(batch) {
  const again = () => attempt(async () => {
    await ask(address(batch, "/start"), { body: { text_column: batch.text_column } });
    await look(batch.batch_id, true);
  });
  return [
    element("p", { class: "bad", role: "alert" }, t("batch.stopped", { done: batch.done, rows: batch.rows, why: visible(batch.problem ?? "") })),
    element("div", { class: "tools" }, element("button", { class: "main", click: again }, t("batch.go-on")), remove(batch)),
  ];
}

function results(batch) {
  const count = element("input", { id: "review-count", class: "count", type: "number", min: 1, max: 10000, value: Math.min(100, batch.rows) });
  const which = element("select", { id: "review-which" }, ["doubt", "random"].map((order) => element("option", { value: order }, t(`batch.review-${order}`))));
  const told = element("p", { role: "status" });
  const review = async () => {
    try {
      const { added } = await ask(address(batch, "/review"), { body: { count: Number(count.value) || 1, order: which.value, who: who() ?? undefined } });
      told.replaceChildren(t("batch.sent", { count: added }), " ", element("a", { href: `/projects/${encodeURIComponent(data.project)}/review` }, t("batch.to-review")));
    } catch (error) {
      complain(told, error);
    }
  };
  return [
    element("p", {}, inWords(batch), batch.problems ? [" ", element("strong", { class: "warn" }, t("batch.unread", { count: batch.problems }))] : null),
    element(
      "div",
      { class: "tools" },
      element("a", { class: "button main", id: "download", href: `/v1/projects/${encodeURIComponent(data.project)}/${address(batch, "/result")}`, download: true }, t("batch.download")),
      remove(batch),
    ),
    element(
      "div",
      { class: "tools" },
      element("label", { for: "review-count" }, t("batch.review")),
      count,
      element("label", { for: "review-which", class: "hidden" }, t("batch.review-which")),
      which,
      element("button", { id: "review", click: review }, t("batch.review-go")),
    ),
    told,
    element("p", { class: "quiet small" }, t("batch.added-columns")),
    element("div", { id: "rows" }),
  ];
}

function remove(batch) {
  const asked = () => {
    places.deleting.returnValue = "";
    places.deleting.showModal();
    places.deleting.onclose = () => attempt(async () => {
      if (places.deleting.returnValue !== "delete") return;
      const keep = document.getElementById("keep-judged").checked;
      await ask(address(batch, `?keep_judged=${keep}`), { method: "DELETE" });
      say(t("batch.deleted", { name: visible(batch.name) }));
      history.replaceState(null, "", location.pathname);
      await route();
      places.told.replaceChildren(element("p", { role: "status" }, t("batch.deleted", { name: visible(batch.name) })));
      places.file.focus();
    });
  };
  return element("button", { class: "delete", click: asked }, t("batch.delete"));
}

/** Show rows with their answers, the doubtful ones first, and the branches to filter them by. */
function showRows(batch) {
  const list = element("ol", { class: "row-list", id: "row-list" });
  const more = element("button", {}, t("batch.more"));
  const order = element("select", { id: "order" }, ["doubt", "file", "unread"].filter((one) => one !== "unread" || batch.problems).map((one) => element("option", { value: one }, t(`batch.order-${one}`))));
  const tree = element("ul", { class: "branches" });
  const state = { category: null, offset: 0 };

  const fill = async (from) => {
    const asked = new URLSearchParams({ limit: ROWS, offset: from });
    if (order.value === "unread") asked.set("unread", "true");
    else asked.set("order", order.value);
    if (state.category && order.value !== "unread") asked.set("category", state.category);
    const { rows } = await ask(address(batch, `/rows?${asked}`));
    if (from === 0) list.replaceChildren();
    list.append(...rows.map(shownRow));
    state.offset = from + rows.length;
    more.hidden = rows.length < ROWS;
    if (from === 0 && !rows.length) list.append(element("li", { class: "quiet" }, t("batch.no-rows")));
  };
  const filter = (category) => {
    state.category = category;
    for (const button of tree.querySelectorAll("button")) button.setAttribute("aria-pressed", String((button.dataset.category || null) === category));
    return fill(0);
  };
  more.addEventListener("click", () => attempt(() => fill(state.offset)));
  order.addEventListener("change", () => attempt(() => fill(0)));
  attempt(() => branches(batch, tree, filter));
  attempt(() => fill(0));
  document.getElementById("rows").dataset.done = batch.done;
  document.getElementById("rows").replaceChildren(
    element(
      "div",
      { class: "answers" },
      element("section", { "aria-labelledby": "branches-title" }, element("h3", { id: "branches-title" }, t("batch.branches")), tree),
      element("section", { "aria-labelledby": "rows-title" }, element("h3", { id: "rows-title" }, t("batch.rows")), element("div", { class: "tools" }, element("label", { for: "order" }, t("batch.order")), order), list, more),
    ),
  );
}

async function branches(batch, tree, filter) {
  const draw = async (place, above) => {
    const asked = above === null ? "" : `?${new URLSearchParams({ parent: above.name })}`;
    const found = (await ask(address(batch, `/branches${asked}`))).branches;
    const most = Math.max(1, ...found.map((one) => one.documents));
    place.append(...found.map((one) => branch(one, above, most)));
  };
  const branch = (one, above, most) => {
    const item = element("li", {});
    const open = async () => {
      await filter(one.name);
      if (one.children && !item.querySelector("ul")) {
        const below = element("ul", {});
        await draw(below, one);
        if (!item.querySelector("ul")) item.append(below);
      }
    };
    const label = shortened([above?.label ?? "", one.label]).at(-1);
    item.append(element("button", { "aria-pressed": "false", "data-category": one.name, click: () => attempt(open) }, name(label, 80), element("span", { class: "number quiet" }, t("batch.number", { count: one.documents })), bar(one.documents / most)));
    return item;
  };
  tree.append(element("li", {}, element("button", { "aria-pressed": "true", "data-category": "", click: () => attempt(() => filter(null)) }, t("batch.all"), element("span", { class: "number quiet" }, t("batch.number", { count: batch.done })))));
  await draw(tree, null);
}

places.limits.textContent = t("batch.limits", { most: megabytes(data.upload) });
places.file.addEventListener("change", () => places.file.files.length && send(places.file.files[0]));
for (const kind of ["dragover", "dragleave", "drop"])
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    document.body.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
  });
addEventListener("hashchange", route);
await route();
ready();
