// A field that finds categories while one types: a combobox with a list below it.

import { afterPause, ask, element, name, percent, say, t } from "./page.js";
import { pathLine } from "./places.js";

const SHOWN = 12;
const PAUSE = 120;
const MEANT = 3;
const LEAST_CHANCE = 0.1;

/** Let a field find categories; `choose` is called with the one that is picked. `meant` also asks the model. */
export function searching(field, list, choose, { meant = true } = {}) {
  let under;
  let found = [];
  let active = -1;

  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
    found = [];
    active = -1;
  };

  const pick = (one) => {
    close();
    field.value = "";
    choose(one);
  };

  const mark = (place) => {
    active = place;
    const options = [...list.querySelectorAll("[role=option]")];
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === place)));
    options[place]?.scrollIntoView({ block: "nearest" });
    if (options[place]) field.setAttribute("aria-activedescendant", options[place].id);
  };

  const option = (one, place, beside) => element("li", {
    role: "option",
    id: `${list.id}-${place}`,
    "aria-selected": "false",
    mousedown: (event) => event.preventDefault(),
    click: () => pick(one),
  }, pathLine([...one.path, one.label]), beside ? element("span", { class: "quiet small" }, beside) : null);

  const show = (page, guessed) => {
    found = [...page.categories, ...guessed];
    const options = page.categories.map((one, place) => option(one, place, one.notation ? one.notation : null));
    const more = page.total > page.categories.length ? element("li", { role: "presentation", class: "quiet small" }, t("common.more-found", { count: page.total - page.categories.length })) : null;
    const title = guessed.length ? element("li", { role: "presentation", class: "quiet small group" }, t("common.meant")) : null;
    const guesses = guessed.map((one, place) => option(one, page.categories.length + place, percent(one.chance)));
    const none = found.length ? null : element("li", { role: "option", "aria-disabled": "true", class: "quiet" }, t("common.none-found"));
    list.replaceChildren(...[...options, more, title, ...guesses, none].filter(Boolean));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    active = -1;
    say(t("common.count-found", { count: page.total }));
  };

  const look = afterPause(PAUSE, async () => {
    const words = field.value.trim();
    under?.abort();
    if (!words) return close();
    under = new AbortController();
    const { signal } = under;
    try {
      const page = await ask(`taxonomy?${new URLSearchParams({ q: words.slice(0, 200), limit: SHOWN })}`, { signal });
      show(page, []);
      if (meant && words.includes(" ")) show(page, await guess(words, page.categories, signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      list.replaceChildren(element("li", { role: "option", "aria-disabled": "true", class: "bad" }, error.message));
      list.hidden = false;
    }
  });

  field.addEventListener("input", look);
  field.addEventListener("blur", () => setTimeout(close, 100));
  field.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves && found.length) {
      event.preventDefault();
      mark((active + moves[event.key] + found.length) % found.length);
    } else if (event.key === "Enter" && found.length) {
      event.preventDefault();
      pick(found[Math.max(0, active)]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  return close;
}

/** Ask the model where a text with these words would belong: a search by what a category is about. */
async function guess(words, there, signal) {
  const [{ near }, { documents }] = await Promise.all([
    ask("explain", { body: { text: words, near: MEANT, top: 1 }, signal }),
    ask("classify", { body: { documents: [{ text: words }] }, signal }),
  ]);
  const known = new Set(there.map((one) => one.uri));
  return [...documents[0].own, ...near]
    .filter((one) => one.chance >= LEAST_CHANCE && !known.has(one.uri))
    .slice(0, MEANT)
    .map((one) => ({ ...one, path: one.path.slice(0, -1) }));
}
