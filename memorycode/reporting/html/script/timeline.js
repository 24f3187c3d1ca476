/* The sessions of a question, with what they tell and what was recalled of them. */

function timelinePart(question, states) {
  const lines = recalledLines(question);
  const sessions = make("ol", { class: "sessions" });
  states.forEach((told, at) => sessions.append(sessionItem(question, at, told, lines.get(at))));
  const legend = make("p", { class: "legend" }, "Sentences that tell a rule: ",
    Object.entries(STATES).flatMap(([state, words]) => [tag(state), ` ${words}. `]),
    "Blue ground: text that was recalled as it stands.");
  const telling = states.flatMap((told, at) => (told.length ? [at] : []));
  const words = `Open the ${plural(telling.length, "session")} with rules`;
  const open = make("button", { type: "button" }, words);
  open.addEventListener("click", () => {
    for (const at of telling) sessionDetails(at).open = true;
  });
  const isLost = ({ state }) => state === "missed" || state === "stale";
  const problems = telling.filter((at) => states[at].some(isLost));
  const first = (problems.length ? problems : telling).slice(0, 3);
  for (const at of first) sessions.children[at].querySelector("details").open = true;
  return make("section", { "aria-labelledby": "timeline-title" },
    make("h4", { id: "timeline-title" }, "Sessions, and what came of their rules"),
    strip(question, states, lines), legend, make("p", {}, open), sessions);
}

function strip(question, states, lines) {
  const label = "Sessions at a glance; arrow keys move";
  const list = make("ol", { class: "strip", "aria-label": label });
  const buttons = states.map((told, at) => {
    const recalled = lines.get(at);
    const has = (state) => told.some((one) => one.state === state);
    const classes = [
      recalled === "all" ? "whole" : recalled ? "part" : "",
      isHeard(question, at) ? "" : "not-yet", told.length ? "told" : "",
      // The worst of its rules colours a session.
      ["missed", "stale", "found"].filter(has).map((state) => `has-${state}`)[0],
    ];
    const words = told.length ? `, rules: ${told.map((one) => one.state).join(", ")}` : "";
    const label = `Session ${at + 1}, ${recalledWord(question, at, recalled)}${words}`;
    const button = make("button",
      {
        type: "button", class: classes.filter(Boolean).join(" "),
        "aria-label": label, title: label, tabindex: at ? "-1" : "0",
      },
      String(at + 1));
    button.addEventListener("click", () => openSession(at));
    list.append(make("li", {}, button));
    return button;
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
    if (!step) return;
    event.preventDefault();
    const from = buttons.indexOf(document.activeElement);
    const to = Math.min(Math.max(from + step, 0), buttons.length - 1);
    buttons.forEach((button, at) => button.setAttribute("tabindex", at === to ? "0" : "-1"));
    buttons[to].focus();
  });
  return list;
}

function recalledWord(question, at, recalled) {
  if (!isHeard(question, at)) return "not part of this history";
  if (recalled === "all") return "recalled whole";
  return recalled ? "recalled in part" : "not recalled as it stands";
}

function sessionItem(question, at, told, recalled) {
  const { data } = question;
  const details = make("details", {},
    make("summary", {}, make("strong", {}, `Session ${at + 1}`),
      ` – ${recalledWord(question, at, recalled)}`,
      told.map((one) => [" ", tag(one.state)])));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) {
      details.append(transcript(data, at, told, recalled));
    }
  });
  const changes = told.length
    ? make("ul", { class: "changes" }, told.map((one) => make("li", {}, changeWords(data, one))))
    : null;
  return make("li", { id: `session-${at + 1}` }, details, changes);
}

function changeWords(data, one) {
  const words = untrusted(data.rules[one.rule].words);
  const note = one.spans.length ? null : " (the detector finds no sentence that tells it)";
  if (one.earlier === undefined) return [tag(one.state), " New: ", words, note];
  if (one.earlier === one.rule) return [tag(one.state), " Told again: ", words, note];
  const old = untrusted(data.rules[one.earlier].words);
  return [tag(one.state), " Changed: ", words, ", before: ", make("s", {}, old), note];
}

/** A session's text; recalled lines stand out, and so do the sentences that tell rules. */
function transcript(data, at, told, recalled) {
  const session = data.sessions[at];
  const spans = told
    .flatMap((one) => one.spans.map(([start, end]) => ({ start, end, one })))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  const whole = make("div", { class: "transcript" });
  let offset = 0;
  for (const number of session.text) {
    const line = data.lines[number];
    if (line.trim()) {
      const isRecalled = recalled === "all" || (recalled && recalled.has(number));
      const class_ = isRecalled ? "untrusted recalled" : "untrusted";
      whole.append(make("p", { class: class_ }, marked(line, offset, spans)));
    }
    offset += line.length + 1;
  }
  return whole;
}

function marked(line, offset, spans) {
  const parts = [];
  let from = 0;
  const here = new Map();
  for (const span of spans) {
    const start = Math.max(span.start - offset, 0);
    const end = Math.min(span.end - offset, line.length);
    if (start >= end) continue;
    const place = `${start} ${end}`;
    here.set(place, [...(here.get(place) || []), span.one]);
  }
  for (const [place, ones] of here) {
    const [start, end] = place.split(" ").map(Number);
    if (end <= from) continue;
    const begin = Math.max(start, from);
    if (begin > from) parts.push(shown(line.slice(from, begin)));
    const worst = ["missed", "stale", "found", "outdated", "superseded", "later"]
      .find((state) => ones.some((one) => one.state === state));
    parts.push(make("mark", { class: worst }, shown(line.slice(begin, end))), " ",
      ones.map((one) => [tag(one.state), " "]));
    from = end;
  }
  if (from < line.length) parts.push(shown(line.slice(from)));
  return parts.flat(2);
}

const sessionDetails = (at) => byId(`session-${at + 1}`).querySelector("details");

function openSession(at) {
  const details = sessionDetails(at);
  details.open = true;
  details.scrollIntoView({ block: "start" });
  details.querySelector("summary").focus({ preventScroll: true });
}
