// The state of a category search: the words, the request under way, the options and the highlighted one. No DOM here.

import { ask } from "./page.js";

const PAUSE = 120;
const SHOWN = 12;
const MEANT = 3;
const LEAST_CHANCE = 0.1;

/** Search of categories while a user types: only answers to the words that are in the field now count. */
export class CategorySearch {
  /** `show` is called with a page of categories and the model's guesses, `fail` with the error of a request.
   *  `meant` also asks the model, `pause` is the time without typing before a request, in milliseconds. */
  constructor(show, fail, { meant = true, pause = PAUSE } = {}) {
    Object.assign(this, { show, fail, meant, pause });
    this.stop();
  }

  /** Abort the request for the words before, and search for these after a pause. */
  type(words) {
    this.stop();
    this.words = words.trim();
    if (this.words) this.timer = setTimeout(() => this.request(), this.pause);
  }

  /** Abort what is under way; nothing can be entered until the user types again. */
  stop() {
    clearTimeout(this.timer);
    this.controller?.abort();
    this.controller = null;
    this.words = "";
    this.options = [];
    this.highlighted = -1;
  }

  async request() {
    const controller = new AbortController();
    const { words } = this;
    this.controller = controller;
    const shown = (page, guesses) => {
      // An answer can arrive although its request was aborted.
      if (this.controller !== controller) return false;
      this.options = [...page.categories, ...guesses];
      this.show(page, guesses);
      return true;
    };
    try {
      const page = await ask(`taxonomy?${new URLSearchParams({ q: words.slice(0, 200), limit: SHOWN })}`, { signal: controller.signal });
      if (shown(page, []) && this.meant && words.includes(" ")) shown(page, await guess(words, page.categories, controller.signal));
    } catch (error) {
      if (this.controller === controller) this.fail(error);
    }
  }

  /** Highlight the next or previous option, around the ends. */
  move(by) {
    const count = this.options.length;
    if (!count) return;
    this.highlighted = this.highlighted < 0 && by < 0 ? count - 1 : (this.highlighted + by + count) % count;
  }

  /** Return the highlighted option, or else the only one that is called exactly as typed, or else null. */
  entered() {
    if (this.highlighted >= 0) return this.options[this.highlighted];
    const typed = this.words.toLocaleLowerCase();
    const same = this.options.filter((one) => [one.label, one.name, one.notation, one.uri].some((text) => text?.toLocaleLowerCase() === typed));
    return same.length === 1 ? same[0] : null;
  }
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
