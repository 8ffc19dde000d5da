// What is said of a node, the legend, light and dark; and the parts put together.

/** Say all that is known of a node, as a screen reader reads it. */
function spoken(node) {
  const parts = [];
  if (data.documents) parts.push(counted(data.documents[node] ?? 0, "document", "documents"));
  for (const [key, name] of figuresOf()) if (shareOf(key, node) !== null) parts.push(`${name} ${written(shareOf(key, node))}`);
  if (childrenOf[node].length) parts.push(`${counted(childrenOf[node].length, "category", "categories")} below`);
  if (data.words?.[node]) parts.push(`words: ${data.words[node]}`);
  return `${parts.join(", ")}.`;
}

function figuresOf() {
  const [first, second] = data.models;
  const names = [["precision", "precision"], ["recall", "recall"], ["f1", second ? `F1 of ${first}` : "F1"]];
  if (data.other_f1) names.push(["other_f1", second ? `F1 of ${second}` : "F1 of the second model"]);
  return names.filter(([key]) => data[key]);
}

/** Show all that is known of a node. */
function readOut(node) {
  const place = byId("readout");
  if (place.dataset.node === String(node)) return;
  place.dataset.node = node;
  const title = make("p", "readout-name");
  wayTo(node).slice(-5).forEach((one, step, way) => {
    title.append(make(step === way.length - 1 ? "strong" : "span", "", ""));
    title.lastChild.append(make("bdi", "", labelOf(one)));
    if (step < way.length - 1) title.append(make("span", "arrow", " › "));
  });
  if (data.title?.[node] && data.title[node] !== data.name[node]) title.append(" ", make("bdi", "quiet", data.name[node]));
  const figures = make("dl", "readout-figures");
  const add = (name, value) => {
    const pair = make("div");
    pair.append(make("dt", "", name), make("dd", "", value));
    figures.append(pair);
  };
  if (data.documents) add("documents", thousands(data.documents[node]));
  if (data.training) add("to learn from", thousands(data.training[node]));
  for (const [key, name] of figuresOf()) add(name, written(shareOf(key, node)));
  if (childrenOf[node].length) add("below", counted(childrenOf[node].length, "category", "categories"));
  place.replaceChildren(title, figures);
  if (data.words?.[node]) place.append(make("p", "quiet", "Words: "));
  if (data.words?.[node]) place.lastChild.append(make("bdi", "", data.words[node]));
  if (data.also[node]) place.append(make("p", "quiet", `Also below ${data.also[node].map(labelOf).join(", ")}`));
  const wrong = errors.of(node);
  if (wrong) {
    const button = make("button", "link", counted(wrong, "example of an error", "examples of errors"));
    button.type = "button";
    button.addEventListener("click", () => errors.show(node));
    place.append(button);
  }
}

function legend(colour) {
  const place = byId("tree-legend");
  if (colour === "level") return place.replaceChildren();
  const [kind, title, bounds] = colour === "change"
    ? ["c", "Change of F1", [-1, ...STEPS, 1].map((bound) => (bound > 0 ? `+${bound}` : `−${-bound}`))]
    : ["b", "F1", [0, ...BINS, 1]];
  place.replaceChildren(make("span", "legend-title", title));
  bounds.forEach((bound, bin) => place.append(...(bin ? [swatch(`${kind}${bin - 1}`)] : []), make("span", "", bound)));
  place.append(swatch("none"), make("span", "", "no figure"));
}

function swatch(kind) {
  const box = makeSvg("svg", { viewBox: "0 0 26 14", "aria-hidden": "true", focusable: "false" });
  box.append(makeSvg("rect", { class: `block ${kind}`, width: 26, height: 14 }));
  if (/[01]$/.test(kind)) box.append(makeSvg("rect", { class: `hatch-${kind}`, width: 26, height: 14 }));
  if (kind === "none") box.setAttribute("class", "apart");
  return box;
}

/** Let the reader choose which model the tree is coloured by, where there are two. */
function chooseColours(chosen) {
  if (!data.f1 || !data.other_f1) return;
  const [first = "first model", second = "second model"] = data.models;
  const choices = { f1: `F1 of ${first}`, other_f1: `F1 of ${second}`, change: "what changes" };
  const select = byId("tree-colour");
  for (const [value, name] of Object.entries(choices)) select.append(new Option(name, value));
  byId("tree-colour-choice").hidden = false;
  select.addEventListener("change", () => chosen(select.value));
}

function makeTheme() {
  const root = document.documentElement;
  const button = byId("theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const say = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; say(); });
  dark.addEventListener("change", say);
  say();
}

document.documentElement.classList.add("with-js");
makeTheme();
const errors = makeErrors();
if (count && byId("icicle")) {
  const tree = makeTree();
  makeTable(tree.show);
}
performance.mark("drawn");
document.documentElement.dataset.ready = performance.now().toFixed(0);
