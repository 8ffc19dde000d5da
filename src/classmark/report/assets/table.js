// The table of nodes: sorted, filtered and turned over a page at a time.

function makeTable(showInTree) {
  const PAGE = 25;
  const PRINTED = 200;
  let page = PAGE;
  const table = byId("nodes-table");
  const headers = [...table.tHead.rows[0].cells];
  const keys = headers.map((header) => header.dataset.key);
  const shares = new Set(["precision", "recall", "f1", "other_f1"]);
  const haystacks = Array.from({ length: count }, (_, node) =>
    `${data.name[node]}\n${data.title?.[node] ?? ""}\n${data.words?.[node] ?? ""}`.toLowerCase());
  let sorted = { key: "documents", down: true };
  let rows = [];
  let first = 0;

  const valueOf = (key, node) =>
    key === "name" ? labelOf(node).toLowerCase() : key === "words" ? data.words?.[node] ?? null : data[key]?.[node] ?? null;

  function sort() {
    const values = Array.from({ length: count }, (_, node) => valueOf(sorted.key, node));
    const compare = ["name", "words"].includes(sorted.key)
      ? (a, b) => (values[a] < values[b] ? -1 : values[a] > values[b] ? 1 : 0)
      : (a, b) => values[a] - values[b];
    // What is not known comes last, whichever way the rest is sorted.
    rows.sort((a, b) => {
      if (values[a] === null || values[b] === null) return (values[a] === null) - (values[b] === null) || a - b;
      return (sorted.down ? -compare(a, b) : compare(a, b)) || a - b;
    });
  }

  function refresh() {
    const wanted = byId("nodes-filter").value.trim().toLowerCase();
    rows = [];
    for (let node = 0; node < count; node++) if (!wanted || haystacks[node].includes(wanted)) rows.push(node);
    sort();
    first = 0;
    fill();
  }

  function fill() {
    const last = Math.min(first + page, rows.length);
    table.tBodies[0].replaceChildren(...rows.slice(first, last).map(row));
    byId("nodes-count").textContent = `${thousands(rows.length)} of ${counted(count, "category", "categories")}`;
    byId("nodes-page").textContent = rows.length ? `${thousands(first + 1)}–${thousands(last)}` : "none";
    // A button that cannot be pressed keeps the focus all the same.
    byId("nodes-before").setAttribute("aria-disabled", first === 0);
    byId("nodes-next").setAttribute("aria-disabled", last >= rows.length);
    document.querySelector(".pager").hidden = rows.length <= page;
    headers.forEach((header, place) => {
      if (keys[place] === sorted.key) header.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
      else header.removeAttribute("aria-sort");
    });
  }

  function row(node) {
    const line = make("tr");
    for (const key of keys) line.append(key === "name" ? heading(node) : cell(key, node));
    line.addEventListener("click", (event) => {
      if (!event.target.closest("button") && !String(getSelection())) showInTree(node);
    });
    return line;
  }

  function heading(node) {
    const head = make("th");
    head.scope = "row";
    const path = make("span", "path");
    const way = wayTo(node);
    const above = way.slice(0, -1);
    const shown = above.length > 4 ? [...above.slice(0, 2), null, ...above.slice(-2)] : above;
    for (const one of shown) {
      if (one === null) path.append("…");
      else path.append(make("bdi", "", labelOf(one)));
      const arrow = make("span", "arrow", " › ");
      arrow.setAttribute("aria-hidden", "true");
      path.append(arrow);
    }
    const button = make("button", "link");
    button.type = "button";
    button.title = "Show in the tree";
    button.append(make("bdi", "", labelOf(node)));
    button.addEventListener("click", () => showInTree(node));
    path.append(button);
    head.append(path);
    return head;
  }

  function cell(key, node) {
    if (key === "words") {
      const words = make("td", "words");
      if (data.words?.[node]) words.append(make("bdi", "", data.words[node]));
      return words;
    }
    if (!shares.has(key)) return make("td", "number", thousands(data[key]?.[node]));
    const share = shareOf(key, node);
    const shown = make("td", "number", written(share));
    if (key === "f1" && share !== null) shown.append(bar(share));
    return shown;
  }

  headers.forEach((header, place) => {
    const button = make("button", "sort");
    button.type = "button";
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const key = keys[place];
      const down = sorted.key === key ? !sorted.down : !["name", "words"].includes(key);
      sorted = { key, down };
      refresh();
    });
  });
  if (!data.documents) sorted = { key: "name", down: false };
  byId("nodes-filter").addEventListener("input", refresh);
  const turn = (by) => {
    if (first + by < 0 || first + by >= rows.length) return;
    first += by;
    fill();
    table.scrollIntoView({ block: "start" });
  };
  byId("nodes-before").addEventListener("click", () => turn(-PAGE));
  byId("nodes-next").addEventListener("click", () => turn(PAGE));
  addEventListener("beforeprint", () => { page = PRINTED; fill(); });
  addEventListener("afterprint", () => { page = PAGE; fill(); });
  refresh();
}

function bar(part) {
  const drawn = makeSvg("svg", { class: "bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" });
  drawn.append(makeSvg("rect", { class: "rail", width: 100, height: 1 }));
  drawn.append(makeSvg("rect", { class: "fill", width: 100 * part, height: 1 }));
  return drawn;
}
