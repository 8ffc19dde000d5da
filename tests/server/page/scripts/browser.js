// What the page's scripts need to be imported in node, and a fetch whose answers the test gives, late or never.

const words = {
  "batch.facts": "{rows} {rows:row|rows}, brought by {who}",
  "common.unreachable": "the server does not answer",
};
const pageData = JSON.stringify({ project: "birds", language: "en", words });
globalThis.document = { getElementById: () => ({ textContent: pageData }), querySelectorAll: () => [] };

/** Replace `fetch` by one that the test answers: requests arrive in `asked`, in order. */
export class FakeServer {
  constructor() {
    this.asked = [];
    this.waiting = [];
    globalThis.fetch = (address, { signal }) => new Promise((resolve, reject) => {
      const url = new URL(address, "http://localhost");
      this.asked.push({
        path: url.pathname.split("/").at(-1),
        words: url.searchParams.get("q"),
        signal,
        answer: (value, status = 200) => resolve(Response.json(value, { status })),
        fail: () => reject(new TypeError("fetch failed")),
        abort: () => reject(new DOMException("aborted", "AbortError")),
      });
      this.waiting.splice(0).forEach((arrived) => arrived());
    });
  }

  /** Wait for the request of a number, counted from 0. */
  async request(number) {
    while (this.asked.length <= number) await new Promise((arrived) => this.waiting.push(arrived));
    return this.asked[number];
  }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Wait until something holds. */
export async function until(holds) {
  while (!holds()) await soon();
}

/** Wait a while for what must not happen. */
export const aWhile = () => new Promise((resolve) => setTimeout(resolve, 30));

/** Return a category as the server sends it. */
export const category = (...path) => ({ uri: path.at(-1), label: path.at(-1), name: path.at(-1), notation: null, path: path.slice(0, -1) });

/** Return a page of categories as the server sends it. */
export const page = (...categories) => ({ total: categories.length, offset: 0, categories });
