// A tree of categories that fetches what it shows, a page of siblings at a time, and lets go of what it does not show.

import { ask, complain, element, name, t } from "./page.js";
import { shortened } from "./places.js";

const PAGE = 50;

/** Give the group below an item, where it is open. */
function groupOf(item) {
  return item.parentElement.querySelector(":scope > [role=group]");
}

/** Give the items of one group, not those below them. */
function itemsOf(group) {
  return [...group.querySelectorAll(":scope > li > [role=treeitem]")];
}

/** Make a tree of an element; `choose` is called with a category that somebody picks. */
export class Tree {
  constructor(place, choose) {
    this.place = place;
    this.choose = choose;
    place.addEventListener("keydown", (event) => this.pressed(event));
    place.addEventListener("click", (event) => this.clicked(event));
  }

  /** Show the topmost categories. */
  async start() {
    await this.fill(this.place, null);
    const first = this.items()[0];
    if (first) first.tabIndex = 0;
  }

  items() {
    return [...this.place.querySelectorAll("[role=treeitem]")];
  }

  /** Put a page of the categories below a parent into a group, in the place of what it has. */
  async fill(group, parent, { offset = 0, around = null } = {}) {
    const asked = new URLSearchParams({ limit: PAGE, offset });
    if (parent !== null) asked.set("parent", parent.uri);
    if (around !== null) asked.set("around", around);
    const page = await ask(`taxonomy?${asked}`);
    const level = parent === null ? 1 : parent.level + 1;
    const items = page.categories.map((one, place) => this.item(one, level, page.offset + place, page.total, parent));
    if (page.offset > 0) items.unshift(this.turn(parent, level, Math.max(0, page.offset - PAGE), "browse.earlier", page.offset, page.total));
    const end = page.offset + page.categories.length;
    if (end < page.total) items.push(this.turn(parent, level, end, "browse.later", page.total - end, page.total));
    group.replaceChildren(...items);
    return page;
  }

  item(one, level, place, total, parent) {
    const label = shortened([parent?.label ?? "", one.label]).at(-1);
    const twist = element("span", { class: one.children ? "twist" : "twist none", "aria-hidden": "true" });
    const below = one.below ? element("span", { class: "quiet small number" }, t("browse.below", { count: one.below })) : null;
    const made = element("div", {
      class: "row",
      role: "treeitem",
      tabindex: -1,
      "aria-level": level,
      "aria-posinset": place + 1,
      "aria-setsize": total,
      "aria-selected": "false",
      "aria-expanded": one.children ? "false" : null,
    }, twist, element("span", { class: "label" }, name(label)), " ", below);
    made.category = { ...one, level };
    return element("li", { role: "none" }, made);
  }

  /** Make the item that leads to the siblings before or after those shown. */
  turn(parent, level, offset, key, count, total) {
    const made = element("div", {
      class: "row turn",
      role: "treeitem",
      tabindex: -1,
      "aria-level": level,
      "aria-posinset": offset + 1,
      "aria-setsize": total,
      "aria-selected": "false",
    }, element("span", { class: "label" }, t(key, { count })));
    made.turning = { parent, offset, back: key === "browse.earlier" };
    return element("li", { role: "none" }, made);
  }

  async turnPage(item) {
    const { parent, offset, back } = item.turning;
    const group = item.closest("[role=group], [role=tree]");
    await this.fill(group, parent, { offset });
    const shown = itemsOf(group).filter((one) => one.category);
    this.focus(back ? shown.at(-1) : shown[0]);
  }

  /** Open a category, or close it, which lets go of all below it. */
  async open(item, wanted = true, around = null) {
    if (!item.hasAttribute("aria-expanded")) return;
    groupOf(item)?.remove();
    item.setAttribute("aria-expanded", String(wanted));
    if (!wanted) return;
    const group = element("ul", { role: "group" });
    item.parentElement.append(group);
    try {
      await this.fill(group, item.category, { around });
    } catch (error) {
      item.setAttribute("aria-expanded", "false");
      group.remove();
      throw error;
    }
  }

  focus(item) {
    if (!item) return;
    for (const other of this.place.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    item.tabIndex = 0;
    item.focus();
  }

  select(item) {
    for (const other of this.place.querySelectorAll("[aria-selected=true]")) other.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
    for (const other of this.place.querySelectorAll("[tabindex='0']")) other.tabIndex = -1;
    item.tabIndex = 0;
  }

  /** Show a category, given the way to it from the top: all above it is opened, at the page on which it stands. */
  async reveal(way) {
    let group = this.place;
    let item = null;
    for (const [depth, { uri }] of way.entries()) {
      const find = () => itemsOf(group).find((one) => one.category?.uri === uri);
      if (!find()) await this.fill(group, item?.category ?? null, { around: uri });
      item = find();
      if (!item) return;
      if (depth < way.length - 1) {
        if (item.getAttribute("aria-expanded") !== "true") await this.open(item, true, way[depth + 1].uri);
        group = groupOf(item);
      }
    }
    this.select(item);
    item.scrollIntoView({ block: "nearest" });
  }

  async act(item) {
    if (item.turning) await this.turnPage(item);
    else {
      this.select(item);
      this.choose(item.category);
    }
  }

  async clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    await this.attempt(async () => {
      if (event.target.closest(".twist:not(.none)")) await this.open(item, item.getAttribute("aria-expanded") !== "true");
      else {
        if (item.getAttribute("aria-expanded") === "false") await this.open(item);
        await this.act(item);
      }
      if (item.isConnected) this.focus(item);
    });
  }

  async pressed(event) {
    const item = event.target.closest("[role=treeitem]");
    const move = item && !event.ctrlKey && !event.altKey && !event.metaKey && this.moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    await this.attempt(() => move.call(this, item));
  }

  async attempt(doing) {
    try {
      await doing();
    } catch (error) {
      const place = element("li", { role: "none" });
      complain(place, error);
      this.place.append(place);
    }
  }

  moves = {
    ArrowDown(item) { this.step(item, 1); },
    ArrowUp(item) { this.step(item, -1); },
    Home() { this.focus(this.items()[0]); },
    End() { this.focus(this.items().at(-1)); },
    async ArrowRight(item) {
      if (item.getAttribute("aria-expanded") === "false") await this.open(item);
      else this.focus(groupOf(item)?.querySelector("[role=treeitem]"));
    },
    async ArrowLeft(item) {
      if (item.getAttribute("aria-expanded") === "true") await this.open(item, false);
      else this.focus(item.closest("[role=group]")?.previousElementSibling);
    },
    async Enter(item) { await this.act(item); },
    async " "(item) { await this.act(item); },
  };

  step(item, by) {
    const items = this.items();
    this.focus(items[items.indexOf(item) + by]);
  }
}
