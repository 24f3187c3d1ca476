/* Questions whose verdicts differ between runs. */

async function showFlips() {
  const place = byId("flips-table");
  if (!place) return;
  const flips = await guarded(() => unpack("flips"));
  if (!flips || !flips.length) {
    const words = "None: no question was asked in two runs, or all verdicts are alike.";
    place.replaceChildren(make("p", {}, words));
    return;
  }
  const body = make("tbody");
  const titles = [["question"], ["strategy"], ["other run"], ["rules lost", "number"],
    ["rules gained", "number"], ["all rules followed"]];
  const table = make("table", {},
    make("caption", {},
      make("span", {}, `Flipped questions, ${index.runs[0].name} against the others`)),
    make("thead", {}, make("tr", {}, titles.map(([title, kind]) =>
      make("th", { scope: "col", class: kind }, title)))),
    body);
  const more = make("button", { type: "button" });
  const add = () => {
    const from = body.childElementCount;
    body.append(...flips.slice(from, from + FLIPS_AT_ONCE).map(flipRow));
    const left = flips.length - body.childElementCount;
    more.textContent = `Show ${Math.min(left, FLIPS_AT_ONCE)} more of ${count(left)}`;
    more.hidden = !left;
  };
  more.addEventListener("click", add);
  add();
  place.replaceChildren(scrollBox("Table: flipped questions", table, "low"), more);
}

function flipRow([dialogue, session, number, repeat, [s, m], run, , lost, gained, whole]) {
  const first = index.runs[0];
  const again = repeat ? `#${repeat + 1}` : "";
  const where = `${dialogue}/${session}/${number}`;
  const id = `${where}/${first.rows[s].strategy}/${first.models[m]}${again}`;
  const words = { "-1": "no longer", 0: "in neither", 1: "now" }[whole];
  const state = { "-1": "missed", 1: "found" }[whole];
  return make("tr", {},
    make("th", { scope: "row" }, make("a", { href: fragment({ id, run: 0 }) }, where + again)),
    make("td", {}, untrusted(first.rows[s].label)), make("td", {}, index.runs[run].name),
    make("td", { class: "number" }, String(lost)), make("td", { class: "number" }, String(gained)),
    make("td", {}, state ? tag(state, words) : words));
}
