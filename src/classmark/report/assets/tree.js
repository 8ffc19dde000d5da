// Moving about in the tree: by pointer, by keyboard, by the way that is written above it, and from the table.

function makeTree() {
  const place = byId("icicle");
  const svg = makeSvg("svg", { "aria-hidden": "true", focusable: "false" });
  const drawnLayer = makeSvg("g", { class: "drawn" });
  const outline = makeSvg("g", { class: "outline" });
  outline.append(makeSvg("rect", { class: "outer" }), makeSvg("rect", { class: "inner" }));
  svg.append(patterns(), drawnLayer, outline);
  let item = make("div", "hidden");
  place.append(svg, item);

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let colour = data.f1 ? "f1" : "level";
  let zoomed = -1;
  let current = tops[0];
  let view = null;
  let frame = 0;

  /** Give what is to be seen when a node fills the height. */
  function viewOf(node) {
    const width = place.clientWidth || 900;
    const leaves = node < 0 ? tops.reduce((sum, top) => sum + leavesOf[top], 0) : leavesOf[node];
    const height = Math.min(Math.max(leaves * 30, 150), width < 600 ? 420 : 560);
    const depth = depthBelow(node) + (node < 0 ? 0 : 1);
    const alone = depth > 1 && (node >= 0 || tops.length === 1);
    const [narrow, wide] = width < 600 ? [70, 115] : [110, 165];
    const most = alone ? 1 + Math.floor((width - narrow) / wide) : Math.floor(width / wide);
    const columns = Math.max(1, Math.min(depth, most, 6));
    const lead = alone && columns > 1 ? narrow : width / columns;
    const column = columns > 1 ? (width - lead) / (columns - 1) : lead;
    return {
      width, height, columns, column, lead, level: node < 0 ? 0 : levelOf[node],
      start: node < 0 ? 0 : startOf[node], extent: node < 0 ? 1 : extentOf[node],
    };
  }

  function paint() {
    svg.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
    svg.setAttribute("width", view.width);
    svg.setAttribute("height", view.height);
    const drawn = draw(svg, view, colour);
    const scale = view.height / view.extent;
    const height = Math.max(extentOf[current] * scale, 3);
    const x = across(view, levelOf[current]);
    const right = across(view, levelOf[current] + 1);
    const y = (startOf[current] - view.start) * scale;
    const [outer, inner] = outline.children;
    const box = (rect, inset) => {
      rect.setAttribute("x", x + inset);
      rect.setAttribute("y", y + inset);
      rect.setAttribute("width", Math.max(right - x - 1 - 2 * inset, 1));
      rect.setAttribute("height", Math.max(height - 2 * inset, 1));
    };
    box(outer, 1.5);
    box(inner, 4);
    inner.toggleAttribute("hidden", height < 12);
    place.dataset.drawn = drawn;
  }

  function moveTo(target) {
    cancelAnimationFrame(frame);
    if (!view || still.matches || document.hidden || view.width !== target.width) {
      view = target;
      return paint();
    }
    const from = view;
    const began = performance.now();
    const step = (now) => {
      const part = Math.min(Math.max((now - began) / 280, 0), 1);
      const eased = 1 - (1 - part) ** 3;
      view = { ...target };
      for (const key of ["start", "extent", "level", "lead", "column", "height"]) view[key] = from[key] + (target[key] - from[key]) * eased;
      if (part === 1) view = target;
      paint();
      if (part < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  function zoom(node) {
    zoomed = node >= 0 && !childrenOf[node].length ? parentOf[node] : node;
    place.dataset.zoom = zoomed < 0 ? "" : labelOf(zoomed);
    crumbs();
    const target = viewOf(zoomed);
    const depth = depthBelow(zoomed) + (zoomed < 0 ? 0 : 1);
    byId("tree-levels").textContent = depth > target.columns ? `${target.columns} of ${depth} levels; zoom in for more` : "";
    moveTo(target);
  }

  function crumbs() {
    const way = [-1, ...(zoomed < 0 ? [] : wayTo(zoomed))];
    const shown = way.length > 8 ? [...way.slice(0, 2), null, ...way.slice(-5)] : way;
    byId("crumbs").replaceChildren(...shown.map((node) => {
      const item = make("li");
      if (node === null) item.textContent = "…";
      else if (node === zoomed) item.append(make("bdi", "here", node < 0 ? "All categories" : labelOf(node)));
      else {
        const button = make("button", "link");
        button.type = "button";
        button.append(make("bdi", "", node < 0 ? "All categories" : labelOf(node)));
        button.addEventListener("click", () => { select(node < 0 ? tops[0] : node); zoom(node); place.focus(); });
        item.append(button);
      }
      return item;
    }));
    byId("crumbs").lastElementChild.setAttribute("aria-current", "true");
  }

  /** Make a node the one that is spoken of. */
  function select(node) {
    current = node;
    if (view) place.classList.add("touched");
    // A new element, so that a screen reader speaks of it: the old one would be another name for the same.
    const fresh = make("div", "hidden");
    fresh.id = `icicle-item-${node}`;
    item.replaceWith(fresh);
    item = fresh;
    const siblings = siblingsOf(node);
    item.setAttribute("role", "treeitem");
    item.setAttribute("aria-label", labelOf(node));
    item.setAttribute("aria-level", levelOf[node] + 1);
    item.setAttribute("aria-posinset", siblings.indexOf(node) + 1);
    item.setAttribute("aria-setsize", siblings.length);
    item.setAttribute("aria-selected", "true");
    if (childrenOf[node].length) item.setAttribute("aria-expanded", "true");
    place.setAttribute("aria-activedescendant", item.id);
    place.dataset.current = labelOf(node);
    byId("icicle-live").textContent = spoken(node);
    readOut(node);
  }

  /** Go to a node; where it is out of sight, zoom so that it is not. */
  function go(node) {
    if (node === undefined || node === current) return;
    select(node);
    const way = wayTo(node);
    const inside = zoomed < 0 || way.includes(zoomed);
    const level = levelOf[node] - (zoomed < 0 ? 0 : levelOf[zoomed]);
    if (!inside) zoom(childrenOf[node].length && levelOf[node] < levelOf[zoomed] ? node : parentOf[node]);
    else if (level >= viewOf(zoomed).columns) zoom(parentOf[node]);
    else moveTo(viewOf(zoomed));
  }

  function zoomOut() {
    if (zoomed < 0) return;
    const left = zoomed;
    select(left);
    zoom(parentOf[left]);
  }

  const KEYS = {
    ArrowRight: () => go(childrenOf[current][0]),
    ArrowLeft: () => parentOf[current] >= 0 && go(parentOf[current]),
    ArrowDown: () => go(siblingsOf(current)[siblingsOf(current).indexOf(current) + 1]),
    ArrowUp: () => go(siblingsOf(current)[siblingsOf(current).indexOf(current) - 1]),
    Home: () => go(siblingsOf(current)[0]),
    End: () => go(siblingsOf(current).at(-1)),
    Enter: () => zoom(current),
    " ": () => zoom(current),
    Backspace: zoomOut,
    Escape: zoomOut,
  };
  place.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  place.addEventListener("focus", () => place.classList.add("touched"));

  const under = (event) => {
    const box = svg.getBoundingClientRect();
    return nodeAt(view, event.clientX - box.left, event.clientY - box.top);
  };
  svg.addEventListener("click", (event) => {
    const node = under(event);
    place.focus({ preventScroll: true });
    if (node < 0) return;
    if (node === zoomed) return zoomOut();
    select(node);
    zoom(node);
  });
  svg.addEventListener("pointermove", (event) => {
    const node = under(event);
    readOut(node < 0 ? current : node);
  });
  svg.addEventListener("pointerleave", () => readOut(current));

  function show(node) {
    select(node);
    zoom(parentOf[node] < 0 || childrenOf[node].length ? (childrenOf[node].length ? node : -1) : parentOf[node]);
    byId("tree").scrollIntoView({ block: "start" });
    place.focus({ preventScroll: true });
  }

  new ResizeObserver(() => view && place.clientWidth !== view.width && moveTo(viewOf(zoomed))).observe(place);
  byId("tree-size").addEventListener("change", (event) => { divide(event.target.value); moveTo(viewOf(zoomed)); });
  divide(hasDocuments ? "documents" : "categories");
  if (!hasDocuments) byId("tree-size").parentElement.hidden = true;
  chooseColours((chosen) => { colour = chosen; legend(colour); paint(); });
  legend(colour);
  select(current);
  zoom(-1);
  return { show };
}
