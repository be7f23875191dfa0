
// A program with the numbers of its lines.
function program(text) {
  while (text.length && !text[text.length - 1].trim()) text = text.slice(0, -1);
  return make("ol", { class: "program" }, text.map((line, i) => make("li", { "data-line": i + 1 }, make("b", { "aria-hidden": "true" }, i + 1), line || " ")));
}

// Outcomes with how often each target showed them; a bar is the share of the target's iterations, on a logarithmic scale.
function outcomes(t, part) {
  if (!t.outcomes.length) return null;
  const columns = part.columns.filter((c) => t.outcomes.some((o) => o.by[c]));
  const most = (c) => Math.max(1, ...t.outcomes.map((o) => (o.by[c] || {}).count || 0));
  const cell = (o, c) => {
    const by = o.by[c];
    if (!by) return make("td", { class: "quiet" }, "–");
    if (by.count === null) return make("td", {}, by.is_there ? "✓" : "–");
    const share = Math.log1p(by.count) / Math.log1p(most(c));
    const inner = make("span");
    inner.style.width = Math.round(share * 100) + "%";
    return make("td", {}, by.count.toLocaleString("en"), make("span", { class: "bar" + (o.allowed === false ? " forbidden" : "") }, inner));
  };
  const allowed = (o) => o.allowed === null ? chip("undecided", "not decided") : o.allowed ? chip("good", "allowed") : chip("bad", "forbidden");
  const judged = t.outcomes.some((o) => o.allowed !== null);
  return [make("h3", {}, "Outcomes"), make("table", { class: "outcomes" },
    make("thead", {}, make("tr", {}, make("th", {}, "outcome"), judged ? make("th", {}, "by the model") : null, columns.map((c) => make("th", {}, c)))),
    make("tbody", {}, t.outcomes.map((o) => make("tr", {}, make("td", { class: "mono" }, o.outcome), judged ? make("td", {}, allowed(o)) : null, columns.map((c) => cell(o, c))))))];
}

// What forbids an outcome.
function why(w) {
  const ways = ((w.by || {}).ways || []).map((way, i) => make("div", { class: "finding" },
    way.without.map((c) => [make("p", {}, (i + 1) + ". without ", make("code", {}, c.from || c.change), c.to && !["true", "false"].includes(c.to) ? [" (as ", make("code", {}, c.to), ")"] : null, " of ", make("strong", {}, c.of)),
      make("p", { class: "quiet" }, c.place + (c.cite ? " · " + c.cite : ""))]),
    make("details", {}, make("summary", {}, "it would come about in " + way.steps.length + " steps"), make("ol", { class: "mono" }, way.steps.map((s) => make("li", {}, s))))));
  const reasons = w.reasons.map((r) => [make("p", {}, make("code", {}, r.check), " · ", r.says, " ", make("span", { class: "quiet" }, r.place)),
    make("p", { class: "mono" }, r.shape), picture(r.graph, "the check " + r.check + " fails")]);
  const none = w.by && !ways.length ? make("pre", {}, w.text) : null;
  return [make("h3", {}, "Why not ", make("code", {}, w.outcome), "? ", make("span", { class: "quiet" }, w.model)),
    ways.length ? make("p", {}, ways.length === 1 ? "This forbids it:" : "Without any one of these it would be allowed:") : none, ways, reasons];
}

// A shortest way to an outcome, stepped through with the state beside it.
function way(shown, code) {
  if (!shown || !shown.ways.length) return null;
  let at = 0, now = shown.ways[0];
  const choice = make("select", { "aria-label": "Outcome to step to" }, shown.ways.map((w, i) => make("option", { value: i }, w.outcome)));
  const list = make("ol", { class: "way" });
  const state = make("table", { class: "state mono" });
  const place = make("span", { class: "quiet", "aria-live": "polite" });
  const says = make("div");
  const pictures = make("div");
  const first = make("button", {}, "start"), back = make("button", {}, "◀ back"), next = make("button", {}, "step ▶"), last = make("button", {}, "end");
  const show = () => {
    const values = new Map(shown.initial);
    let changed = new Set();
    for (const step of now.steps.slice(0, at)) {
      changed = new Set(step.changes.map(([entry]) => entry));
      for (const [entry, , after] of step.changes) values.set(entry, after);
    }
    state.replaceChildren(make("tbody", {}, [...values].map(([entry, value]) => make("tr", { class: changed.has(entry) ? "changed" : null }, make("td", {}, entry), make("td", {}, value)))));
    [...list.children].forEach((li, i) => li.classList.toggle("now", i === at - 1));
    const line = list.children[at - 1];
    if (line) list.scrollTop = Math.max(0, line.offsetTop - list.offsetTop - list.clientHeight / 2);
    place.textContent = "step " + at + " of " + now.steps.length;
    const step = now.steps[at - 1];
    for (const li of code.children) li.classList.toggle("now", Boolean(step && step.source) && Number(li.dataset.line) === step.source[1]);
    says.replaceChildren(...(step ? [make("p", {}, step.says), make("p", { class: "quiet" }, step.place + (step.cite ? " · " + step.cite : ""))] : [make("p", { class: "quiet" }, "The initial state.")]),
      ...(at === now.steps.length ? [make("pre", {}, now.end)] : []));
    first.disabled = back.disabled = at === 0;
    next.disabled = last.disabled = at === now.steps.length;
  };
  const go = (to) => { at = Math.max(0, Math.min(now.steps.length, to)); show(); };
  const choose = () => {
    now = shown.ways[Number(choice.value)];
    list.replaceChildren(...now.steps.map((s, i) => make("li", { on: { click: () => go(i + 1) } }, (i + 1) + ". " + s.name,
      s.source ? make("div", { class: "quiet mono" }, s.source[0] + "  line " + s.source[1]) : null)));
    const graph = now.graph ? picture(now.graph, "a consistent execution with " + now.outcome) : null;
    pictures.replaceChildren(make("details", { open: true }, make("summary", {}, "pictures"), picture(now.chart, "what happens where, to " + now.outcome), graph));
    go(0);
  };
  choice.addEventListener("input", choose);
  first.addEventListener("click", () => go(0));
  back.addEventListener("click", () => go(at - 1));
  next.addEventListener("click", () => go(at + 1));
  last.addEventListener("click", () => go(now.steps.length));
  choose();
  const box = make("div", { tabindex: 0, "aria-label": "Steps; left and right arrows step", on: { keydown: (e) => {
    if (e.target !== box && e.target.tagName === "SELECT") return;
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, n: at + 1, p: at - 1 }[e.key];
    if (to !== undefined) { go(to); e.preventDefault(); }
  } } }, make("div", { class: "bar-of-steps" }, choice, first, back, next, last, place), make("div", { class: "steps" }, list, make("div", {}, says, state)));
  return [make("h3", {}, "How it comes about ", make("span", { class: "quiet" }, "a shortest way under " + shown.model)), box, lines(shown.notes, { class: "quiet" }), pictures];
}

// The results of a test one by one.
function runs(t) {
  if (!t.runs.length) return null;
  const one = (r) => {
    const copy = make("button", { on: { click: () => { if (navigator.clipboard) navigator.clipboard.writeText(r.again); } } }, "copy");
    return make("details", { open: r.standing === "bad" }, make("summary", {}, chip(r.standing, r.verdict), " ", r.target, ", ", r.of, " ", make("span", { class: "quiet" }, r.iterations.toLocaleString("en") + " iterations, seed " + r.seed)),
      make("table", {}, make("tbody", {}, r.seen.map(([o, n, a]) => make("tr", {}, make("td", { class: "mono" }, o), make("td", { class: "num" }, n.toLocaleString("en")), make("td", {}, a === false ? chip("bad", "forbidden") : a ? "" : chip("undecided", "not decided")))))),
      lines(r.known), lines(r.notes, { class: "quiet mono" }), make("p", { class: "quiet" }, r.library),
      r.again ? make("div", { class: "again" }, make("pre", {}, r.again), copy) : null);
  };
  return [make("h3", {}, "Results"), t.runs.map(one)];
}

// All of a test.
function test(t, r, part) {
  if (!t) return [make("p", {}, "Nothing more is known of " + r.test + ".")];
  const code = program(t.program);
  return [make("h2", {}, t.name, " ", chip(r.standing, WORDS[r.standing])), make("p", {}, t.title), make("p", { class: "quiet mono" }, t.file),
    lines(t.notes, { class: "quiet" }), lines(t.clauses),
    t.program.length ? code : null,
    outcomes(t, part), t.why.map(why), way(t.shown, code), runs(t),
    t.claims.length ? [make("h3", {}, "Claims"), lines(t.claims, { class: "quiet" })] : null].flat(4).filter((x) => x !== null && x !== undefined);
}

function main() {
  const parts = page.parts.map((part, i) => make("section", {}, make("h2", {}, part.title),
    make("p", { class: "answer " + part.standing, role: "status" }, part.answer),
    make("dl", { class: "facts" }, part.facts.map(([k, v]) => [make("dt", {}, k), make("dd", {}, v)])),
    part.findings.map(finding), table(part, i + 1)));
  const more = make("button", { class: "more", hidden: true, on: { click: () => location.reload() } }, "There is more by now: show it");
  if (page.served !== undefined) {
    setInterval(() => fetch("state").then((answer) => answer.text()).then((state) => { more.hidden = state === page.served; }).catch(() => {}), 3000);
  }
  const kbd = (k) => make("kbd", {}, k);
  document.body.append(make("main", {}, make("h1", {}, page.title), more,
    make("p", { class: "quiet keys" }, kbd("/"), " filter, ", kbd("↓"), " ", kbd("↑"), " tests, ", kbd("Enter"), " open, ", kbd("←"), " ", kbd("→"), " step"),
    parts, page.maps.map(map), page.notes.length ? [make("h2", {}, "Notes"), page.notes.map((n) => make("pre", { class: "quiet" }, n))] : null));
  document.addEventListener("keydown", (e) => {
    if (e.target.matches("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey) return;
    const search = document.querySelector(".search"), row = document.querySelector(".list tr[tabindex='0']");
    if (e.key === "/" && search) { search.focus(); e.preventDefault(); }
    if (e.key === "ArrowDown" && e.target === document.body && row) { row.focus(); e.preventDefault(); }
  });
  window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
}
main();
