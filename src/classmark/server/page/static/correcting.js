// The right categories, typed into the tree: the guess stands before the field, to be replaced or taken out.

import { data, element, say, t, visible } from "./page.js";
import { withChoice } from "./places.js";
import { categoryLine } from "./review-card.js";
import { searching } from "./searching.js";

/** Show the field; `save` gets the labels and whether they are the model's own, `leave` is called without a change. */
export function correcting(place, found, save, leave) {
  const said = found.said?.labels ?? found.given ?? [];
  let labels = [...(found.state === "waiting" ? said : (found.labels ?? said))];
  const chips = element("ul", { class: "chips", "aria-label": t("review.chosen") });
  const field = element("input", { id: "typing", type: "text", role: "combobox", autocomplete: "off", spellcheck: "false", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "categories", placeholder: t("review.type") });
  const list = element("ul", { id: "categories", role: "listbox", "aria-label": t("review.categories"), hidden: true });
  const keep = element("button", { class: "main", type: "button" });

  const redraw = () => {
    chips.replaceChildren(...labels.map(chip));
    if (!labels.length) chips.append(element("li", { class: "none quiet" }, t("review.nowhere")));
    keep.replaceChildren(t(labels.length ? "review.save" : "review.save-nowhere"), " ", element("kbd", {}, t("review.enter")));
  };
  const takeOut = (label) => {
    labels = labels.filter((one) => one !== label);
    redraw();
    say(t("review.taken-out", { name: visible(label) }));
  };
  const chip = (label) => {
    const gone = () => {
      takeOut(label);
      field.focus();
    };
    return element("li", {}, categoryLine(found, label), element("button", { type: "button", "aria-label": t("review.take-out", { name: visible(label) }), click: gone }, "×"));
  };
  const close = searching(field, list, (one) => {
    found.places[one.name] = { label: one.label, path: [...one.path, one.label] };
    labels = withChoice(labels, one, found.places, data.one_label);
    redraw();
    say(t("review.added", { name: visible(one.label) }));
  }, { meant: false });
  const end = () => {
    close();
    place.replaceChildren();
    leave();
  };
  const done = () => {
    close();
    const same = labels.length === said.length && labels.every((label) => said.includes(label)) && said.length > 0;
    save([...labels], same);
  };
  field.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    // Words that are typed and not chosen are no category: with them Enter saves nothing.
    if (event.key === "Enter" && !field.value.trim()) done();
    else if (event.key === "Escape") end();
    else if (event.key === "Backspace" && !field.value && labels.length) takeOut(labels.at(-1));
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
