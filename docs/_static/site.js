// Small helps that the theme lacks; every page also works without them.
document.addEventListener("DOMContentLoaded", () => {
  // What scrolls sideways can be reached and scrolled with the keyboard.
  for (const box of document.querySelectorAll("pre, .table-wrapper"))
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;

  // Two landmarks of the same kind need a name each.
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "Pages of this site");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");

  // In the gallery the picture carries the link; its name is the title of the picture.
  for (const card of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = card.querySelector(".sphx-glr-thumbnail-title")?.textContent ?? "";
    for (const link of card.querySelectorAll("a")) link.setAttribute("aria-label", title);
  }

  // A page of fields: cards side by side, and a box that searches table and cards.
  const first = document.querySelector("article h1");
  const table = document.querySelector("article table");
  if (!table || !/^The fields of the/.test(first?.textContent ?? "")) return;
  const article = document.querySelector("article");
  article.classList.add("cards");
  const rows = [...table.tBodies[0].rows];
  const cards = [...article.querySelectorAll("section section section")];
  const box = document.createElement("input");
  box.type = "search";
  box.className = "field-search";
  box.placeholder = "Search fields: blink, tilt, stp, count ...";
  box.setAttribute("aria-label", "Search fields");
  const found = document.createElement("p");
  found.className = "field-found";
  found.setAttribute("role", "status");
  const wrapper = table.closest(".table-wrapper") ?? table;
  wrapper.before(box, found);
  const text = new Map();
  for (const card of cards)
    text.set(card.querySelector("h3 code").textContent, card.textContent.toLowerCase());
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (name) => words.every((word) => text.get(name).includes(word));
    let shown = 0;
    for (const row of rows) {
      row.hidden = !fits(row.cells[0].textContent.trim());
      shown += !row.hidden;
    }
    for (const card of cards) card.hidden = !fits(card.querySelector("h3 code").textContent);
    for (const group of article.querySelectorAll("section > section"))
      if (group.querySelector("section")) group.hidden = !group.querySelector("section:not([hidden])");
    found.textContent = words.length ? `${shown} of ${rows.length} fields` : "";
  });
});
