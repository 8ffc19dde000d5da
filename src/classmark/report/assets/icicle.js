// The drawing: one path for each colour, however many nodes, and text only where there is room for it.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 15; // what a line of text takes
const CHARACTER = 6.9; // how wide a character is, about
const BINS = [0.2, 0.4, 0.6, 0.75, 0.9];
const STEPS = [-0.1, -0.01, 0.01, 0.1];

function makeSvg(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const binOf = (value, bounds) => bounds.filter((bound) => value >= bound).length;

/** Give what a node is coloured by. */
const COLOURS = {
  f1: (node) => judged(shareOf("f1", node), (f1) => `b${binOf(f1, BINS)}`),
  other_f1: (node) => judged(shareOf("other_f1", node), (f1) => `b${binOf(f1, BINS)}`),
  change: (node) => judged(changeOf(node), (change) => `c${binOf(change, STEPS)}`),
  level: (node) => (data.documents?.[node] === 0 ? "none" : `d${levelOf[node] % 3}`),
};
const FIGURES = {
  f1: (node) => shareOf("f1", node)?.toFixed(2),
  other_f1: (node) => shareOf("other_f1", node)?.toFixed(2),
  change: (node) => signed(changeOf(node)),
  level: (node) => (data.documents ? thousands(data.documents[node]) : undefined),
};
const judged = (value, bin) => (value === null ? "none" : bin(value));

function changeOf(node) {
  const [first, second] = [shareOf("f1", node), shareOf("other_f1", node)];
  return first === null || second === null ? null : Math.round(1000 * (second - first)) / 1000;
}

function signed(value) {
  if (value === null) return undefined;
  return `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(2)}`;
}

/** Give where a level begins: the first column may be narrower than the others. */
function across(view, level) {
  const column = level - view.level;
  return column <= 0 ? column * view.lead : view.lead + (column - 1) * view.column;
}

/** Call `visit` with every node that covers the middle of a pixel of the view, and with where it lies. */
function eachVisible(view, visit) {
  const scale = view.height / view.extent;
  const open = [...tops];
  while (open.length) {
    const node = open.pop();
    const left = across(view, levelOf[node]);
    const right = across(view, levelOf[node] + 1);
    const from = (startOf[node] - view.start) * scale;
    const to = from + extentOf[node] * scale;
    if (left >= view.width - 1 || to <= 0 || from >= view.height || Math.ceil(from - 0.5) + 0.5 >= to) continue;
    if (right > 1) visit(node, left, right, Math.max(from, 0), Math.min(to, view.height));
    for (const child of childrenOf[node]) open.push(child);
  }
}

/** Draw what a view shows. */
function draw(svg, view, colour) {
  const blocks = {};
  const labels = document.createDocumentFragment();
  let drawn = 0;
  eachVisible(view, (node, left, right, from, to) => {
    const kind = COLOURS[colour](node);
    const x = Math.max(left, 0);
    const width = Math.min(right, view.width) - x - 1;
    if (to - from < 1) [from, to] = [Math.floor(from), Math.floor(from) + 1];
    const height = to - from - (to - from >= 4 ? 1 : 0);
    blocks[kind] = (blocks[kind] ?? "") + `M${x.toFixed(1)} ${from.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
    if (height >= ROW && width > 30) label(labels, node, kind, colour, { x, width, from, height });
    drawn++;
  });
  const layers = [];
  for (const kind of Object.keys(blocks).sort()) {
    layers.push(makeSvg("path", { class: `block ${kind}`, d: blocks[kind] }));
    if (/^(b[01]|c[01])$/.test(kind)) layers.push(makeSvg("path", { class: `hatch-${kind}`, d: blocks[kind] }));
  }
  const shown = makeSvg("g", {});
  shown.append(...layers, labels);
  svg.querySelector(".drawn").replaceChildren(shown);
  return drawn;
}

/** Write the name of a node, and its figure where there is room. */
function label(labels, node, kind, colour, { x, width, from, height }) {
  const figure = FIGURES[colour](node);
  const room = width - 14;
  const beside = figure && room - (figure.length + 1) * CHARACTER > 40;
  const fits = Math.floor((room - (beside ? (figure.length + 1) * CHARACTER : 0)) / CHARACTER);
  const name = Array.from(labelOf(node));
  if (fits < 2) return;
  const shown = name.length > fits ? `${name.slice(0, fits - 1).join("")}…` : name.join("");
  const y = from + Math.min(height / 2 + 4, 20);
  labels.append(makeSvg("text", { class: `on-${kind}`, x: x + 7, y }, shown));
  if (beside) labels.append(makeSvg("text", { class: `figure on-${kind}`, x: x + width - 6, y }, figure));
}

/** Give the node at a place of the drawing; -1 where there is none. */
function nodeAt(view, x, y) {
  const at = view.start + (y / view.height) * view.extent;
  const level = view.level + (x < view.lead ? 0 : 1 + Math.floor((x - view.lead) / view.column));
  let found = -1;
  for (let depth = 0; depth <= level; depth++) {
    const next = below(found).findLast((node) => startOf[node] <= at);
    if (next === undefined || startOf[next] + extentOf[next] < at) return -1;
    found = next;
  }
  return found;
}

/** Give the patterns that say "weak" without colour. */
function patterns() {
  const definitions = makeSvg("defs", {});
  for (const [kind, gap] of Object.entries({ b0: 6, b1: 11, c0: 6, c1: 11 })) {
    const pattern = makeSvg("pattern", {
      id: `p-${kind}`, width: gap, height: gap, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
    });
    pattern.append(makeSvg("path", { class: "hatch-line", d: `M0 0V${gap}` }));
    definitions.append(pattern);
  }
  return definitions;
}
