// The right categories, typed into the tree: those that are chosen stand before the field and can be taken out.

import { element, name, say, t, visible } from "./page.js";
import { categoryLine } from "./review-card.js";
import { searching } from "./searching.js";

/** Show the field; `save` gets the labels and whether they are the model's own, `leave` is called without a change. */
export function correcting(place, found, save, leave) {
  const said = found.said?.labels ?? found.given ?? [];
  const labels = [...(found.state === "waiting" ? said : (found.labels ?? said))];
  const chips = element("ul", { class: "chips", "aria-label": t("review.chosen") });
  const field = element("input", { id: "typing", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "categories", placeholder: t("review.type") });
  const list = element("ul", { id: "categories", role: "listbox", "aria-label": t("review.categories"), hidden: true });
  const keep = element("button", { class: "main", type: "button" });

  const redraw = () => {
    chips.replaceChildren(...labels.map(chip));
    if (!labels.length) chips.append(element("li", { class: "none quiet" }, t("review.nowhere")));
    keep.replaceChildren(t(labels.length ? "review.save" : "review.save-nowhere"), " ", element("kbd", {}, t("review.enter")));
  };
  const chip = (label) => {
    const gone = () => {
      labels.splice(labels.indexOf(label), 1);
      redraw();
      say(t("review.taken-out", { name: visible(label) }));
      field.focus();
    };
    return element("li", {}, categoryLine(found, label), element("button", { type: "button", "aria-label": t("review.take-out", { name: visible(label) }), click: gone }, "×"));
  };
  const end = () => {
    place.replaceChildren();
    leave();
  };
  const done = () => {
    const same = labels.length === said.length && labels.every((label) => said.includes(label)) && said.length > 0;
    save([...labels], same);
  };
  searching(field, list, (one) => {
    if (!labels.includes(one.name)) labels.push(one.name);
    found.places[one.name] = { label: one.label, path: [...one.path, one.label] };
    redraw();
    say(t("review.added", { name: visible(one.label) }));
  }, { meant: false });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || (!field.value.trim() && !event.defaultPrevented))) done();
    else if (event.key === "Escape" && !event.defaultPrevented) end();
    else if (event.key === "Backspace" && !field.value && labels.length) {
      labels.pop();
      redraw();
    }
  });
  keep.addEventListener("click", done);
  redraw();
  place.replaceChildren(
    element("h3", {}, element("label", { for: "typing" }, t("review.right"))),
    chips,
    element("div", { class: "searching" }, field, list),
    element("div", { class: "tools" }, keep, element("button", { type: "button", click: end }, t("review.leave"), " ", element("kbd", {}, t("review.escape")))),
    element("p", { class: "quiet small" }, t("review.typing-keys")),
  );
  field.focus();
  return end;
}
