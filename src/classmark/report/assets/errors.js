// The examples of errors: those with some words in their categories, or with one node.

function makeErrors() {
  const filter = byId("errors-filter");
  if (!filter) return { of: () => 0, show() {} };
  const cards = [...byId("cards").children];
  const labels = cards.map((card) => card.querySelector(".labels").textContent.toLowerCase());
  const touches = (card, node) => card.dataset.nodes.includes(` ${data.number?.[node] ?? node} `);

  const STEP = 6;
  let kept = cards;
  let most = STEP;

  function fill() {
    cards.forEach((card) => { card.hidden = true; });
    kept.slice(0, most).forEach((card) => { card.hidden = false; });
    byId("errors-count").textContent = `${counted(kept.length, "document", "documents")} of ${cards.length}`;
    byId("errors-more").hidden = kept.length <= most;
  }

  function keep(wanted) {
    kept = cards.filter(wanted);
    most = STEP;
    fill();
  }

  byId("errors-more").addEventListener("click", () => {
    const next = kept[most];
    most += STEP;
    fill();
    next.tabIndex = -1;
    next.focus();
  });

  function byText() {
    const text = filter.value.trim().toLowerCase();
    keep((_, place) => labels[place].includes(text));
  }

  filter.addEventListener("input", byText);
  byText();
  return {
    of: (node) => cards.filter((card) => touches(card, node)).length,
    show(node) {
      filter.value = labelOf(node);
      keep((card) => touches(card, node));
      byId("errors").scrollIntoView({ block: "start" });
      filter.focus({ preventScroll: true });
    },
  };
}
