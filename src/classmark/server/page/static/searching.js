// A field that finds categories while one types: a combobox with a list below it.

import { CategorySearch } from "./category-search.js";
import { element, percent, say, t } from "./page.js";
import { pathLine } from "./places.js";

/** Let a field find categories; `choose` is called with the one that is picked. `meant` also asks the model.
 *  The function that is returned closes the list and aborts the search. */
export function searching(field, list, choose, { meant = true } = {}) {
  const close = () => {
    search.stop();
    list.hidden = true;
    list.replaceChildren();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };

  const pick = (one) => {
    close();
    field.value = "";
    choose(one);
  };

  const mark = () => {
    const options = [...list.querySelectorAll("[role=option]")];
    options.forEach((option, at) => option.setAttribute("aria-selected", String(at === search.highlighted)));
    const marked = options[search.highlighted];
    marked?.scrollIntoView({ block: "nearest" });
    if (marked) field.setAttribute("aria-activedescendant", marked.id);
    else field.removeAttribute("aria-activedescendant");
  };

  const option = (one, place, beside) => element("li", {
    role: "option",
    id: `${list.id}-${place}`,
    "aria-selected": "false",
    mousedown: (event) => event.preventDefault(),
    click: () => pick(one),
  }, pathLine([...one.path, one.label]), beside ? element("span", { class: "quiet small" }, beside) : null);

  const open = (...lines) => {
    list.replaceChildren(...lines.filter(Boolean));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  };

  const show = (page, guessed) => {
    const options = page.categories.map((one, place) => option(one, place, one.notation ? one.notation : null));
    const more = page.total > page.categories.length ? element("li", { role: "presentation", class: "quiet small" }, t("common.more-found", { count: page.total - page.categories.length })) : null;
    const title = guessed.length ? element("li", { role: "presentation", class: "quiet small group" }, t("common.meant")) : null;
    const guesses = guessed.map((one, place) => option(one, page.categories.length + place, percent(one.chance)));
    const none = search.options.length ? null : element("li", { role: "option", "aria-disabled": "true", class: "quiet" }, t("common.none-found"));
    open(...options, more, title, ...guesses, none);
    say(t("common.count-found", { count: page.total }));
  };

  const fail = (error) => open(element("li", { role: "option", "aria-disabled": "true", class: "bad" }, error.message));

  const search = new CategorySearch(show, fail, { meant });
  field.addEventListener("input", () => {
    if (!field.value.trim()) return close();
    search.type(field.value);
    mark();
  });
  field.addEventListener("blur", () => setTimeout(close, 100));
  field.addEventListener("keydown", (event) => {
    const moves = { ArrowDown: 1, ArrowUp: -1 };
    if (event.key in moves && search.options.length) {
      event.preventDefault();
      search.move(moves[event.key]);
      mark();
    } else if (event.key === "Enter" && search.options.length) {
      event.preventDefault();
      const one = search.entered();
      if (one) return pick(one);
      // Nobody has chosen yet: show what the next Enter would take.
      search.move(1);
      mark();
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  return close;
}
