"use strict";
// Shows the page's data. Whatever comes from files becomes text of an element, never markup.
const page = JSON.parse(document.getElementById("data").textContent);
const MARKS = { bad: "✗", known: "!", undecided: "?", differs: "≠", good: "✓", open: "·" };
const WORDS = {
  bad: "not as it should be", known: "forbidden, and known", undecided: "undecided", differs: "differs", good: "as it should be",
  open: "not run, or says nothing",
};

// An element with attributes, and texts or elements in it.
function make(tag, attributes, ...inside) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, f] of Object.entries(value)) out.addEventListener(event, f);
    else if (value !== null && value !== undefined && value !== false) out.setAttribute(name, value === true ? "" : value);
  }
  for (const part of inside.flat(3)) if (part !== null && part !== undefined) out.append(part);
  return out;
}

// A picture that runs no script, in the colours that the reader prefers.
function picture(svg, caption) {
  const image = make("img", { src: "data:image/svg+xml," + encodeURIComponent(svg), alt: caption, loading: "lazy" });
  return make("figure", {}, make("figcaption", {}, caption), image);
}

function chip(standing, text, title) {
  return make("span", { class: "chip " + standing, title: title || WORDS[standing] }, MARKS[standing] + " " + text);
}

function lines(texts, attributes) {
  return texts.map((text) => make("p", attributes || {}, text));
}

// What stands in a cell: one mark for what is the same for all sizes and styles.
function marks(cells) {
  const by = new Map();
  for (const cell of cells) {
    const key = cell.standing + " " + cell.word;
    by.set(key, [...(by.get(key) || []), cell]);
  }
  return [...by.values()].map((same) =>
    chip(same[0].standing, same[0].word + (same.length > 1 ? " ×" + same.length : ""), same.map((c) => c.of).join("\n")));
}

// A table of tests that can be filtered, beside the test that is chosen.
function table(part, number) {
  if (!part.rows.length) return null;
  const shown = make("section", { "aria-live": "polite", class: "shown" });
  const body = make("tbody");
  const search = make("input", { type: "search", placeholder: "name, title, call, outcome", "aria-label": "Filter tests", class: "search" });
  const standings = [...new Set(part.rows.flatMap((r) => [r.standing, ...r.cells.flat().map((c) => c.standing)]))];
  const ran = part.rows.some((r) => page.tests[r.key] && page.tests[r.key].runs.length);
  const of = ran ? [...new Set(part.rows.flatMap((r) => r.cells.flat().map((c) => c.of)))] : [];
  const choose = (label, values, name) =>
    make("select", { "aria-label": label }, make("option", { value: "" }, label), values.map((v) => make("option", { value: v }, name ? name(v) : v)));
  const standing = choose("any verdict", Object.keys(WORDS).filter((w) => standings.includes(w)), (w) => MARKS[w] + " " + WORDS[w]);
  const column = choose("any column", part.columns);
  const size = choose("any size and style", of.length > 1 && of.length <= 40 ? of : []);
  const count = make("span", { class: "quiet" });
  const text = new Map(part.rows.map((r) => {
    const t = page.tests[r.key] || {};
    const all = [r.test, t.title, t.file, ...(t.calls || []), ...(t.outcomes || []).map((o) => o.outcome)];
    return [r, all.join("\n").toLowerCase()];
  }));
  const rows = part.rows.map((r) => {
    const row = make("tr", { tabindex: -1, "data-key": r.key, on: { click: () => open(r), focus: () => mark(row) } },
      make("td", {}, make("span", { class: "chip " + r.standing, title: WORDS[r.standing] }, MARKS[r.standing])),
      make("td", { class: "mono" }, r.test), r.cells.map((cells) => make("td", {}, marks(cells))));
    return [r, row];
  });
  const mark = (row) => {
    for (const [, other] of rows) other.tabIndex = other === row ? 0 : -1;
  };
  const takes = (r) => {
    const words = search.value.toLowerCase().split(/\s+/).filter((w) => w);
    const fits = (c, i) => (!standing.value || c.standing === standing.value)
      && (!column.value || part.columns[i] === column.value) && (!size.value || c.of === size.value);
    const plain = !standing.value && !column.value && !size.value;
    return words.every((w) => text.get(r).includes(w)) && (plain || r.cells.some((cells, i) => cells.some((c) => fits(c, i))));
  };
  const filter = () => {
    const visible = rows.filter(([r]) => takes(r));
    body.replaceChildren(...visible.map(([, row]) => row));
    if (visible.length) mark(visible[0][1]);
    count.textContent = visible.length + " of " + rows.length + " tests";
  };
  // A page that is served has what explains a test only when somebody looks at it.
  const asked = new Set();
  let chosen = null;
  const explain = (r) => {
    if (page.served === undefined || asked.has(r.key) || !page.tests[r.key]) return;
    asked.add(r.key);
    const wait = make("p", { class: "quiet", role: "status" }, "What explains it is on its way…");
    shown.append(wait);
    fetch("test?" + encodeURIComponent(r.key)).then((answer) => answer.ok ? answer.json() : Promise.reject(answer.statusText)).then((t) => {
      page.tests[r.key] = t;
      if (chosen === r) shown.replaceChildren(...test(t, r, part));
    }).catch((why) => { wait.textContent = "It cannot be explained: " + why; asked.delete(r.key); });
  };
  const open = (r, quietly) => {
    chosen = r;
    for (const [other, row] of rows) row.classList.toggle("chosen", other === r);
    shown.replaceChildren(...test(page.tests[r.key], r, part));
    explain(r);
    if (!quietly) history.replaceState(null, "", "#" + number + "/" + encodeURIComponent(r.key));
  };
  for (const input of [search, standing, column, size]) input.addEventListener("input", filter);
  body.addEventListener("keydown", (e) => {
    const row = e.target.closest("tr");
    if (!row) return;
    const to = { ArrowDown: row.nextSibling, ArrowUp: row.previousSibling, j: row.nextSibling, k: row.previousSibling, Home: body.firstChild, End: body.lastChild }[e.key];
    if (e.key === "Enter" || e.key === " ") row.click();
    else if (to) to.focus();
    else return;
    e.preventDefault();
  });
  filter();
  const [wanted, key] = location.hash.slice(1).split("/");
  const first = rows.find(([r]) => wanted === String(number) && r.key === decodeURIComponent(key || ""));
  open((first || rows[0])[0], true);
  return [make("div", { class: "filters" }, search, standing, part.columns.length > 1 ? column : null, of.length > 1 && of.length <= 40 ? size : null, count),
    make("div", { class: "columns" },
      make("section", { class: "list" }, make("table", {}, make("thead", {}, make("tr", {}, make("th", {}), make("th", {}, "test"), part.columns.map((c) => make("th", {}, c)))), body)),
      shown)];
}

function finding(f) {
  return make("div", { class: "finding" }, make("h3", {}, chip(f.standing, f.title)),
    f.program ? program(f.program.split("\n")) : null, make("pre", {}, f.shows), lines(f.notes, { class: "quiet" }));
}

function map(m) {
  const says = make("div", { "aria-live": "polite" }, make("p", { class: "quiet" }, "Choose a tile to see what it stands for."));
  const tiles = [];
  const tile = (t) => {
    const button = make("button", { class: "tile " + t.standing, title: t.name, "aria-label": t.name + ": " + WORDS[t.standing], "aria-pressed": "false" }, MARKS[t.standing]);
    button.addEventListener("click", () => {
      for (const other of tiles) other.setAttribute("aria-pressed", String(other === button));
      says.replaceChildren(make("h3", {}, chip(t.standing, t.name)), ...lines(t.says),
        t.tests.length ? make("p", { class: "mono" }, "tests: " + t.tests.join(", ")) : "");
    });
    tiles.push(button);
    return button;
  };
  const key = make("p", { class: "quiet" }, Object.keys(WORDS).filter((w) => m.groups.some(([, all]) => all.some((t) => t.standing === w)))
    .map((w) => [chip(w, WORDS[w]), " "]));
  return make("section", {}, make("h2", {}, m.title), make("p", {}, m.about), key, says,
    make("div", { class: "map" }, m.groups.map(([name, all]) => [make("div", { class: "group" }, name), make("div", { class: "tiles" }, all.map(tile))])));
}
