// Models: what is served, how good it is, its versions, and training it again from corrections.

import { ask, bar, complain, data, element, name, percent, ready, say, t, who } from "./page.js";

const SECONDS_BETWEEN_LOOKS = 1.5;
const USUAL = 0.9;
const STEPS = ["reading", "without", "with", "everything"];
const place = document.getElementById("model");
const training = document.getElementById("training");
const moments = new Intl.DateTimeFormat(data.language, { dateStyle: "medium", timeStyle: "short" });
let timer;
let current = data.version;

function when(moment) {
  return moment ? moments.format(new Date(moment)) : "–";
}

function fact(key, ...value) {
  return element("div", {}, element("dt", {}, t(`models.${key}`)), element("dd", {}, value));
}

function about(model) {
  return element(
    "section",
    { class: "card", "aria-labelledby": "served-title" },
    element("h2", { id: "served-title" }, name(model.name)),
    model.problem ? problem(model) : null,
    figures(model),
    element("dl", { class: "facts" },
      fact("method", name(model.backend.backend_id)),
      fact("categories", t("models.count", { count: model.vocab.size })),
      fact("trained", when(model.modification_time)),
      fact("decision", name(model.decision)),
      fact("chances", t(`models.chances-${model.chances}`)),
      fact("version", element("code", {}, model.version)),
    ),
    more(model),
    versions(model),
  );
}

function problem(model) {
  return element("div", { class: "refused", role: "alert" },
    element("p", {}, element("strong", {}, t("models.refused"))),
    element("p", {}, name(model.problem, 1000)),
    element("p", { class: "quiet" }, t("models.refused-meanwhile", { version: model.version })));
}

function figures(model) {
  const found = model.figures;
  const promised = model.promises.find((one) => Math.abs(one.confidence - USUAL) < 1e-9);
  const shown = !found ? [element("p", { class: "quiet" }, t("models.no-figures"))] : [
    element("dl", { class: "quality" }, ["hf", "micro_f1", "macro_f1"].filter((key) => found[key] !== null).map((key) =>
      element("div", {}, element("dt", {}, t(`models.${key}`)), element("dd", {}, element("span", { class: "number" }, percent(found[key], 1)), bar(found[key]))))),
    element("p", { class: "quiet small" }, t("models.measured-on", { count: found.documents }), " ",
      found.seen_in_training ? t("models.seen", { count: found.seen_in_training }) : null, " ",
      found.version === model.version ? null : t("models.other-version", { version: found.version })),
  ];
  return [
    ...shown,
    model.expected ? element("p", {}, t("models.expected"), " ", model.expected) : null,
    promised ? element("p", {}, t("models.promised", {
      right: percent(promised.right), share: percent(promised.in_full), part: percent(promised.in_part), without: percent(promised.without),
    })) : null,
    model.report ? element("p", {}, element("a", { class: "button", href: `/projects/${encodeURIComponent(data.project)}/report` }, t("models.report"))) : null,
  ];
}

function more(model) {
  const settings = Object.entries(model.settings).map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(", ");
  const rows = [
    ["hierarchy", model.hierarchy], ["settings", settings || t("models.defaults")], ["selection", model.selection], ["because", model.because],
    ["parts", model.parts], ["terms", t("models.count", { count: model.terms })], ["seed", model.seed], ["language", model.language],
    ["bytes", model.bytes === null ? null : t("models.kilobytes", { count: Math.round(model.bytes / 1024) })],
    ["learning", t(`models.learning-${model.learning.replaceAll(" ", "-")}`)],
  ].filter(([, value]) => value !== null && value !== undefined);
  return element("details", {}, element("summary", {}, t("models.more")), element("dl", { class: "facts" }, rows.map(([key, value]) => fact(key, name(value, 300)))));
}

function versions(model) {
  if (data.live) return element("p", { class: "quiet" }, t("models.live"));
  const possible = model.previous || model.problem;
  const place = element("div", {});
  const back = () => act(place, async () => {
    const now = await ask("back", { method: "POST" });
    say(t("models.went-back", { version: now.version }));
    await load();
    await look();
    document.getElementById("back")?.focus();
  });
  const words = model.problem ? t("models.restore") : t("models.back");
  return element("div", { class: "versions" },
    element("h3", {}, t("models.versions")),
    element("p", {}, t("models.now", { version: model.version }), " ", model.previous ? t("models.before", { version: model.previous }) : t("models.none-before")),
    possible ? element("button", { type: "button", id: "back", click: back }, words) : null,
    place);
}

async function act(where, doing) {
  where.replaceChildren();
  try {
    await doing();
  } catch (error) {
    complain(where, error);
  }
}

function again(state) {
  const told = element("div", {});
  const button = (id, key, doing, kind = "") => element("button", { type: "button", id, class: kind, click: () => act(told, doing) }, t(key));
  const start = (key) => button("train", key, async () => watch(await ask("retrain", { body: { who: who() } })), "main");
  const drop = (key) => button("drop", key, async () => watch(await ask("retrain", { method: "DELETE" })));
  const states = {
    none: () => [start("models.train")],
    running: () => [progress(state), drop("models.stop")],
    failed: () => [element("p", { class: "bad" }, t("models.failed", { why: state.told ?? "" })), start("models.train")],
    ready: () => [gain(state), element("div", { class: "tools" }, button("take-up", "models.take-up", takeUp, "main"), drop("models.dismiss"))],
    "taken-up": () => [takenUp(state), gain(state), start("models.train-again")],
    dismissed: () => [element("p", { class: "quiet" }, t("models.dismissed")), start("models.train-again")],
  };
  if (!state.possible && state.state !== "running")
    return [element("p", { class: "quiet" }, t(data.live ? "models.learns-at-once" : "models.how-to-turn-on")), data.live ? null : element("pre", { tabindex: "0" }, t("models.example", { project: data.project }))];
  return [...states[state.state](), told];
}

function takenUp(state) {
  const answers = state.version === current;
  return element("p", { class: answers ? "good" : "quiet" }, t(answers ? "models.taken-up" : "models.taken-up-before", { version: state.version ?? "" }));
}

async function takeUp() {
  const state = await ask("retrain/take-up", { method: "POST" });
  await load();
  watch(state);
  say(t("models.taken-up", { version: state.version }));
}

function progress(state) {
  const step = Math.max(0, STEPS.indexOf(state.step));
  return element("div", { class: "going", role: "group", "aria-label": t("models.again") },
    element("p", {}, t(`models.step-${STEPS[step]}`)), bar((step + 0.5) / STEPS.length),
    element("p", { class: "quiet small" }, t("models.begun", { who: state.who ?? "", when: when(state.started) })));
}

function gain(state) {
  if (!state.figures) return null;
  const hf = state.figures.find((one) => one.name === "hf") ?? state.figures[0];
  const sure = hf.p_value < 0.05 ? (hf.difference > 0 ? "better" : "worse") : "same";
  const rows = state.figures.map((one) => element("tr", {},
    element("th", { scope: "row" }, t(`models.${one.name}`)), element("td", { class: "number" }, percent(one.first, 1)),
    element("td", { class: "number" }, percent(one.second, 1)), element("td", { class: "number" }, signed(one.difference))));
  const header = ["models.figure", "models.without", "models.with", "models.gain"].map((key, at) => element("th", { scope: "col", class: at ? "number" : null }, t(key)));
  return element("div", { class: "gain" },
    element("p", { class: `verdict ${sure}` }, t(`models.${sure}`, { gain: signed(hf.difference), low: signed(hf.low), high: signed(hf.high) })),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("models.expected-gain") }, element("table", {}, element("thead", {}, element("tr", {}, header)), element("tbody", {}, rows))),
    element("p", { class: "quiet small" }, t("models.gain-measured", { count: state.documents ?? 0, corrections: state.corrections ?? 0 }), " ", t(`models.against-${state.against ?? "without"}`)));
}

function signed(difference) {
  const points = new Intl.NumberFormat(data.language, { maximumFractionDigits: 1, minimumFractionDigits: 1, signDisplay: "exceptZero" });
  return points.format(100 * difference);
}

function watch(state, before = null) {
  clearTimeout(timer);
  const focused = training.contains(document.activeElement);
  training.replaceChildren(...again(state).filter(Boolean));
  if (focused) training.querySelector("button")?.focus();
  if (before && before !== state.state) say(training.textContent);
  if (state.state === "running") timer = setTimeout(() => look(state.state), 1000 * SECONDS_BETWEEN_LOOKS);
}

async function look(before = null) {
  try {
    watch(await ask("retrain"), before);
  } catch (error) {
    if (error.status === 401) training.replaceChildren(element("p", { class: "quiet" }, t("models.hidden")));
    else complain(training, error);
  }
}

async function load() {
  try {
    const model = await ask("model");
    current = model.version;
    place.replaceChildren(about(model));
    const { projects } = await ask("/v1/projects");
    if (projects.length > 1) list(projects);
  } catch (error) {
    complain(place, error);
  }
}

function list(projects) {
  const rows = projects.map((one) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: `/projects/${encodeURIComponent(one.project_id)}/models` }, name(one.name))),
    element("td", {}, name(one.backend.backend_id)), element("td", { class: "number" }, t("models.count", { count: one.vocab.size })),
    element("td", {}, when(one.modification_time)), element("td", {}, one.problem ? element("span", { class: "bad" }, t("models.file-refused")) : t("models.well"))));
  const header = ["models.name", "models.method", "models.categories", "models.trained", "models.state"].map((key) => element("th", { scope: "col", class: key === "models.categories" ? "number" : null }, t(key)));
  document.getElementById("projects").replaceChildren(element("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": "others-title" }, element("table", {}, element("thead", {}, element("tr", {}, header)), element("tbody", {}, rows))));
  document.getElementById("others").hidden = false;
}

await load();
await look();
ready();
