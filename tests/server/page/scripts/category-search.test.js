import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { aWhile, category, FakeServer, page, until } from "./browser.js";

const { CategorySearch } = await import("./static/category-search.js");
const OWL = category("owl");
const BARN_OWL = category("owl", "barn owl");
const GULL = category("gull");
let server, shown, failed, search;

beforeEach(() => {
  server = new FakeServer();
  [shown, failed] = [[], []];
  const show = (found, guesses) => shown.push([...found.categories, ...guesses].map((one) => one.name));
  search = new CategorySearch(show, (error) => failed.push(error.message), { pause: 0 });
});

afterEach(() => search.stop());

/** Type words, and answer the request for them. */
async function answered(words, ...categories) {
  const before = shown.length;
  const number = server.asked.length;
  search.type(words);
  (await server.request(number)).answer(page(...categories));
  await until(() => shown.length > before);
}

const entered = () => search.entered()?.uri ?? null;

test("the answer to the words in the field is shown", async () => {
  await answered(" ow ", OWL, BARN_OWL);
  assert.equal(server.asked[0].words, "ow");
  assert.deepEqual(shown, [["owl", "barn owl"]]);
});

test("a late answer after a choice shows nothing and offers nothing to Enter", async () => {
  search.type("owl");
  const request = await server.request(0);
  search.stop();
  assert.equal(request.signal.aborted, true);
  request.answer(page(OWL, BARN_OWL));
  await aWhile();
  assert.deepEqual(shown, []);
  assert.deepEqual(search.options, []);
  assert.equal(entered(), null);
});

test("a choice before the pause has passed sends no request", async () => {
  search.type("owl");
  search.stop();
  await aWhile();
  assert.equal(server.asked.length, 0);
});

test("an answer to earlier words that comes after the later one is dropped", async () => {
  search.type("gu");
  const first = await server.request(0);
  await answered("owl", OWL);
  first.answer(page(GULL));
  await aWhile();
  assert.deepEqual(shown, [["owl"]]);
  assert.deepEqual(search.options, [OWL]);
});

test("typing on takes away what Enter would have chosen", async () => {
  await answered("owl", OWL, BARN_OWL);
  search.move(1);
  assert.equal(entered(), "owl");
  search.type("owl b");
  assert.equal(entered(), null);
});

test("a request that fails is reported, one that was aborted is not", async () => {
  search.type("ow");
  const first = await server.request(0);
  search.type("owl");
  first.abort();
  (await server.request(1)).fail();
  await until(() => failed.length);
  search.type("owls");
  (await server.request(2)).answer({ detail: "too many requests" }, 429);
  await until(() => failed.length > 1);
  assert.deepEqual(failed, ["the server does not answer", "too many requests"]);
  assert.equal(entered(), null);
});

test("a late failure after a choice is not reported", async () => {
  search.type("owl");
  const request = await server.request(0);
  search.stop();
  request.fail();
  await aWhile();
  assert.deepEqual(failed, []);
});

test("Enter takes the highlighted option, or the only one called as typed, and no other", async () => {
  await answered("ow", OWL, BARN_OWL);
  assert.equal(entered(), null);
  search.move(-1);
  assert.equal(entered(), "barn owl");
  search.move(1);
  assert.equal(entered(), "owl");
  await answered("Barn Owl", BARN_OWL);
  assert.equal(entered(), "barn owl");
  await answered("owl", OWL, { ...OWL, uri: "toy owl", path: ["toys"] });
  assert.equal(entered(), null);
});

test("guesses of the model follow the answer, unless something was chosen meanwhile", async () => {
  const guess = { ...GULL, path: ["birds", "gull"], chance: 0.9 };
  const answerModel = async (from) => {
    for (const number of [from, from + 1]) {
      const request = await server.request(number);
      request.answer(request.path === "explain" ? { near: [] } : { documents: [{ own: [guess] }] });
    }
  };
  await answered("cries at sea", OWL);
  await answerModel(1);
  await until(() => shown.length > 1);
  assert.deepEqual(shown, [["owl"], ["owl", "gull"]]);
  await answered("cries at the sea", OWL);
  await server.request(5);
  search.stop();
  await answerModel(4);
  await aWhile();
  assert.equal(shown.length, 3);
  assert.deepEqual(search.options, []);
});
