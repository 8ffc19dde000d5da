// What the scripts of all flows share: texts, asking the server, making elements (of text alone, never of markup).

export const data = JSON.parse(document.getElementById("page-data").textContent);

const numbers = new Intl.NumberFormat(data.language);
const HIDDEN = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const plurals = new Intl.PluralRules(data.language);
const FORMS = plurals.resolvedOptions().pluralCategories;

/** Return a text of the catalogue with its values filled in: `{rows}` by a number in the form of the language or by a
 *  text, `{rows:row|rows}` by the form that goes with the number, in the order of the language's plural categories. */
export function t(key, values = {}) {
  const text = data.words[key] ?? key;
  return text.replace(/\{(\w+)(?::([^}]*))?\}/g, (whole, name, forms) => {
    if (!(name in values)) return whole;
    if (forms !== undefined) return forms.split("|")[FORMS.indexOf(plurals.select(values[name]))];
    return typeof values[name] === "number" ? numbers.format(values[name]) : values[name];
  });
}

/** Write out what cannot be seen in a name, or would turn the direction of what stands around it. */
export function visible(text) {
  return String(text).replace(HIDDEN, (found) => {
    const code = found.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** Make an element: attributes (a function is a listener, null and false are left out), and children that are
 *  elements or texts. */
export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an element of a drawing. */
export function drawn(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A name that somebody gave, in whatever direction it is written. */
export function name(text, longest = 200) {
  const shown = visible(text);
  return element("bdi", shown.length > longest ? { title: shown.slice(0, 2000) } : {}, shown.length > longest ? `${shown.slice(0, longest)}…` : shown || "–");
}

/** A bar that shows a part of the whole; the number or the words stand beside it. */
export function bar(part) {
  const width = Math.max(0, Math.min(1, Number(part) || 0)) * 100;
  return drawn(
    "svg",
    { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    drawn("rect", { class: "rail", width: 100, height: 1 }),
    drawn("rect", { class: "fill", width: width.toFixed(1), height: 1 }),
  );
}

/** Give a chance as a share of a hundred. */
export function percent(part, digits = 0) {
  const options = { style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(data.language, options).format(part);
}

const STEPS = [0.1, 0.4, 0.6, 0.85, 0.97];

/** Give a chance in words. */
export function inWords(chance) {
  return t(`common.chance.${STEPS.filter((step) => chance >= step).length}`);
}

/** What the server refused, in its own words. */
export class Refused extends Error {
  constructor(status, told, more) {
    super(told);
    this.status = status;
    this.more = more;
  }
}

/** Ask the server: a path below the project's, and what is sent, if anything, as JSON. */
export async function ask(path, { method, body, signal } = {}) {
  const address = path.startsWith("/") ? path : `/v1/projects/${encodeURIComponent(data.project)}/${path}`;
  const headers = body === undefined ? {} : { "Content-Type": "application/json" };
  let answer;
  try {
    answer = await fetch(address, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      credentials: "same-origin",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, t("common.unreachable"));
  }
  const isJson = (answer.headers.get("Content-Type") ?? "").includes("json");
  const said = isJson ? await answer.json() : null;
  if (!answer.ok) throw new Refused(answer.status, said?.detail ?? answer.statusText, said);
  return said;
}

/** Say something to whoever listens instead of looking. */
export function say(text) {
  document.getElementById("live").textContent = text;
}

/** Show in an element why something did not work, and say it. */
export function complain(place, error) {
  const told = t("common.failed", { why: error.message });
  place.replaceChildren(element("p", { class: "bad", role: "alert" }, told));
}

/** Who is asking: as the token says, or as the person has said once. */
export function who() {
  return data.who ?? localStorage.getItem("classmark-who");
}

/** Remember what a person is called. */
export function remember(person) {
  localStorage.setItem("classmark-who", person);
}

/** Call a function once nothing has happened for a while. */
export function afterPause(milliseconds, called) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => called(...values), milliseconds);
  };
}

// What is kept behind the # of an address, a text or a category, goes along to another language or project.
for (const link of document.querySelectorAll(".languages a, .menu a"))
  link.addEventListener("click", () => { link.hash = location.hash; });

/** Mark the page as ready, which tests wait for. */
export function ready() {
  document.documentElement.dataset.ready = "";
}
