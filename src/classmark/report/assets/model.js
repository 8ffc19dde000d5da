// The nodes: who is below whom, what each is called, and how much of the tree's height it takes.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

/** Make an element with a class and text; the text is never read as HTML. */
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
}

const count = data.name.length;
const parentOf = data.parent;
const childrenOf = Array.from({ length: count }, () => []);
const tops = [];
const levelOf = new Int32Array(count);
for (let node = 0; node < count; node++) {
  const parent = parentOf[node];
  (parent < 0 ? tops : childrenOf[parent]).push(node);
  levelOf[node] = parent < 0 ? 0 : levelOf[parent] + 1;
}
const byDocuments = (a, b) => (data.documents?.[b] ?? 0) - (data.documents?.[a] ?? 0) || a - b;
tops.sort(byDocuments);
childrenOf.forEach((children) => children.length > 1 && children.sort(byDocuments));

const below = (node) => (node < 0 ? tops : childrenOf[node]);
const siblingsOf = (node) => below(parentOf[node]);
const labelOf = (node) => data.title?.[node] || data.name[node] || "(no name)";
const hasFigures = Boolean(data.f1 || data.other_f1);

/** Give a share, which is stored in thousandths; null where it is not known. */
function shareOf(key, node) {
  const value = data[key]?.[node] ?? null;
  return value === null ? null : value / 1000;
}

const written = (share) => (share === null ? "–" : share.toFixed(3));
const thousands = (number) => (number === null || number === undefined ? "–" : number.toLocaleString("en"));
const counted = (number, one, many) => `${thousands(number)} ${number === 1 ? one : many}`;

/** Give the nodes from the top to a node. */
function wayTo(node) {
  const way = [];
  for (let above = node; above >= 0; above = parentOf[above]) way.push(above);
  return way.reverse();
}

// How deep the tree goes below each node, and how many leaves it has there.
const depthOf = new Int32Array(count);
const leavesOf = new Float64Array(count);
for (let node = count - 1; node >= 0; node--) {
  leavesOf[node] ||= 1;
  const parent = parentOf[node];
  if (parent < 0) continue;
  depthOf[parent] = Math.max(depthOf[parent], depthOf[node] + 1);
  leavesOf[parent] += leavesOf[node];
}
const depthBelow = (node) => (node < 0 ? tops.reduce((most, top) => Math.max(most, depthOf[top] + 1), 0) : depthOf[node]);

const hasDocuments = Boolean(data.documents?.some((documents) => documents > 0));
const startOf = new Float64Array(count);
const extentOf = new Float64Array(count);

/**
 * Divide the height among the nodes: by documents or by leaves. A node without documents has so little that nobody
 * sees it before zooming in. Where nodes below have more documents together, since a document has several labels, they
 * share what the node has.
 */
function divide(by) {
  const weight = (node) =>
    by === "documents" && hasDocuments ? Math.max(data.documents[node] ?? 0, 1e-6 * leavesOf[node]) : leavesOf[node];
  const place = (nodes, start, extent, least) => {
    const sum = nodes.reduce((total, node) => total + weight(node), 0);
    const scale = extent / Math.max(sum, least);
    for (const node of nodes) {
      startOf[node] = start;
      extentOf[node] = weight(node) * scale;
      start += extentOf[node];
    }
  };
  place(tops, 0, 1, 0);
  for (let node = 0; node < count; node++) {
    if (childrenOf[node].length) place(childrenOf[node], startOf[node], extentOf[node], weight(node));
  }
}
