/* One question: its rules, its answer, what was recalled, the prompt, the usage. */

const verdictWord = (letter) => index.verdicts[letter] || "not judged";

function verdictCell(letter) {
  const word = verdictWord(letter);
  const sign = { followed: "✓ ", violated: "✗ ", unparsable: "✗ " }[word] || "";
  return make("td", { class: `v-${word.replaceAll(" ", "-")}` }, sign + word);
}

function showQuestion(question) {
  const article = byId("question");
  const states = toldStates(question);
  const prompt = lazily("Prompt", () => promptParts(question));
  article.replaceChildren(
    make("div", { class: "both" }, headline(question)),
    make("div", { class: "both" }, rulesPart(question, states)),
    make("div", {}, answerPart(question), recallPart(question), prompt, usagePart(question)),
    make("div", {}, timelinePart(question, states)),
  );
  article.hidden = false;
}

const WHEN = {
  history: (at, all) => `After session ${at} of ${all}`,
  session: (at) => `After session ${at} alone`,
  instruction: (at) => `After one instruction of session ${at} alone`,
};

function headline(question) {
  const { data, ask } = question;
  const run = index.runs[question.run];
  const row = run.rows[question.strategy];
  const followed = [...(question.verdicts?.strict || "")].filter((v) => v === "f").length;
  const parts = [
    make("h3", { id: "question-title", tabindex: "-1" }, "Question ", untrusted(question.id)),
    make("p", { class: "query" }, "Asked for: ", untrusted(ask.query)),
    make("p", {},
      `${WHEN[ask.setting](ask.session + 1, data.sessions.length)}, with `, untrusted(row.label),
      row.oracle ? [" ", tag("stale", "◆ oracle")] : null,
      " and ", untrusted(run.models[question.model]),
      index.runs.length > 1 ? `, ${run.name}` : "", ". ",
      question.outcome
        ? null
        : `${followed} of ${plural(ask.rules.length, "rule")} followed, by the strict scorer.`),
  ];
  if (question.outcome) {
    parts.push(make("p", { class: "alarm" }, make("strong", {}, "Failed: "),
      untrusted(question.outcome), " ", untrusted(question.error || ""), ". It is not scored."));
  }
  const other = counterpart(question);
  if (other) {
    const name = index.runs[other.run].name;
    parts.push(make("p", {}, make("a", { href: fragment(other) }, `The same question in ${name}`)));
  }
  return parts;
}

function rulesPart(question, states) {
  const { data, ask } = question;
  const last = new Map();
  const stale = new Set();
  states.forEach((told, at) => {
    if (isHeard(question, at)) for (const one of told) last.set(one.rule, { at, one });
    for (const one of told) if (one.state === "stale") stale.add(one.family);
  });
  const recalledTag = ({ state, family }) =>
    state === "missed" && stale.has(family) ? tag("stale", "older version only") : tag(state);
  const other = counterpart(question);
  const breaks = question.answer === undefined ? {} : data.answers[question.answer].breaks;
  const titles = ["rule", "told in", "recalled", "strict", "official"];
  if (other) titles.push(`strict, ${index.runs[other.run].name}`);
  titles.push("where lost", "broken in");
  const body = make("tbody", {}, brokenFirst(question).map((place) => {
    const rule = ask.rules[place];
    const from = last.get(rule);
    return make("tr", {},
      make("th", { scope: "row" }, untrusted(data.rules[rule].words)),
      make("td", {}, from ? sessionLink(from.at) : "nowhere"),
      make("td", {}, from ? recalledTag(from.one) : "–"),
      verdictCell(question.verdicts?.strict?.[place]),
      verdictCell(question.verdicts?.official?.[place]),
      other ? verdictCell(other.verdicts?.strict?.[place]) : null,
      make("td", {}, causeOf(question, place)),
      make("td", {}, brokenIn(question, place, breaks)),
    );
  }));
  const table = make("table", { class: "rules" },
    make("caption", {}, make("span", {},
      `The ${plural(ask.rules.length, "rule")} in force, those not followed first`)),
    make("thead", {}, make("tr", {}, titles.map((title) => make("th", { scope: "col" }, title)))),
    body);
  return scrollBox("Table: rules in force", table);
}

const SCORERS = ["strict", "official"];

/** The places of the rules: broken by the strict scorer, broken by the official one, the rest. */
function brokenFirst({ ask, verdicts }) {
  const rank = (place) => {
    const found = SCORERS.findIndex((scorer) => "vu".includes(verdicts?.[scorer]?.[place] || "–"));
    return found < 0 ? SCORERS.length : found;
  };
  return ask.rules.map((_, place) => place).sort((a, b) => rank(a) - rank(b) || a - b);
}

/** Where a rule was lost, by the strict scorer, or else by the official one. */
function causeOf({ causes }, place) {
  for (const scorer of SCORERS) {
    const cause = index.causes[causes?.[scorer]?.[place]];
    if (cause) return scorer === "strict" ? cause : `${cause} (${scorer})`;
  }
  return "–";
}

function brokenIn({ ask, verdicts }, place, breaks) {
  const isBroken = (scorer) => verdicts?.[scorer]?.[place] === "v";
  const scorer = SCORERS.find(isBroken);
  if (!scorer) return "–";
  const lines = breaks[scorer]?.[ask.rules[place]] || [];
  return lines.length ? lines.flatMap((at) => [lineLink(at), " "]) : "no line: something is missing";
}

function sessionLink(at) {
  const button = make("button", { type: "button", class: "linkish" }, `session ${at + 1}`);
  button.addEventListener("click", () => openSession(at));
  return button;
}

function lineLink(at) {
  const button = make("button", { type: "button", class: "linkish" }, `line ${at}`);
  button.addEventListener("click", () => {
    const line = byId(`line-${at}`);
    if (line) reveal(line);
  });
  return button;
}

function reveal(element) {
  element.scrollIntoView({ block: "center" });
  element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
}

function answerPart(question) {
  const part = make("section", { "aria-labelledby": "answer-title" },
    make("h4", { id: "answer-title" }, "Answer"));
  if (question.answer === undefined) {
    part.append(make("p", {}, "There is none."));
    return part;
  }
  const { data } = question;
  const answer = data.answers[question.answer];
  const text = textOf(data, answer.text);
  const blame = new Map();
  for (const scorer of ["strict", "official"]) {
    for (const [rule, lines] of Object.entries(answer.breaks[scorer] || {})) {
      for (const at of lines) {
        const words = data.rules[rule].words;
        const known = blame.get(at) || blame.set(at, new Map()).get(at);
        known.set(words, known.has(words) ? "both" : scorer);
      }
    }
  }
  part.append(...codeLines(text, blame));
  if (question.reasoning) {
    part.append(make("details", {}, make("summary", {}, "Reasoning"),
      textBox(question.reasoning, "Reasoning")));
  }
  return part;
}

/** Code line by line; under a broken line, the rules that it breaks. */
function codeLines(text, blame) {
  const cut = text.length > LONGEST;
  const list = make("ol", { class: "code" });
  const holder = make("div", {}, list);
  fillLines(list, cut ? text.slice(0, LONGEST) : text, blame);
  if (!cut) return [holder];
  return [holder, moreButton(text, () => {
    const lines = text.split(/\r\n?|\n/);
    if (lines.length > MOST_LINES) {
      holder.replaceChildren(make("pre", { tabindex: "0", "aria-label": "Answer" }, shown(text)));
    } else fillLines(list, text, blame);
  })];
}

function fillLines(list, text, blame) {
  const lines = text.split(/\r\n?|\n/).slice(0, MOST_LINES);
  list.replaceChildren(...lines.map((line, place) => {
    const item = make("li", { id: `line-${place + 1}` }, make("code", {}, shown(line || " ")));
    const why = blame.get(place + 1);
    if (why) {
      item.className = "broken";
      for (const [words, scorer] of why) {
        const by = scorer === "both" ? "" : ` (${scorer} scorer)`;
        item.append(make("span", { class: "why" }, "✗ breaks ", untrusted(words), by));
      }
    }
    return item;
  }));
}

function recallPart(question) {
  const { data } = question;
  const part = make("section", { "aria-labelledby": "recall-title" },
    make("h4", { id: "recall-title" }, "What the memory recalled"));
  if (question.context === undefined) {
    const words = "Nothing was recorded: the memory failed before there was a prompt.";
    part.append(make("p", {}, words));
    return part;
  }
  const context = data.contexts[question.context];
  const tokens = count(question.tokens[0]);
  part.append(make("p", {}, context.length
    ? `${plural(context.length, "passage")}, ${tokens} tokens, in this order:`
    : "Nothing."));
  if (question.cut) {
    part.append(make("p", { class: "note" }, "Cut to the budget: ", cutWords(question.cut)));
  }
  const inForce = new Set(question.ask.rules);
  part.append(make("ol", {}, context.map((number) => {
    const [session, text, has] = data.passages[number];
    const from = session === null ? "no single session" : `session ${session + 1}`;
    const what = text === null ? `${from}, word for word` : `from ${from}`;
    const old = has.filter((rule) => !inForce.has(rule)).length;
    const current = has.length - old;
    const tags = [];
    if (current) tags.push(" ", tag("found", `${plural(current, "rule")} in force`));
    if (old) tags.push(" ", tag("outdated", plural(old, "older version")));
    return make("li", {}, lazily([what, ...tags], () => [
      has.length
        ? make("p", { class: "note" }, "States: ",
            has.flatMap((rule, n) => [n ? "; " : "", untrusted(data.rules[rule].words)]))
        : null,
      textBox(passageText(data, number), `Passage, ${what}`),
    ]));
  })));
  return part;
}

function cutWords(cut) {
  const shortened = cut.shortened ? `, ${cut.shortened} shortened` : "";
  const tokens = `${count(cut.tokens || 0)} tokens in all`;
  return `${plural(cut.passages || 0, "passage")} left out${shortened}, ${tokens}.`;
}

/** Details whose inside is made when they are opened. */
function lazily(title, build) {
  const details = make("details", {}, make("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) {
      details.append(...[build()].flat().filter(Boolean));
    }
  });
  return details;
}

function promptParts(question) {
  const prompt = promptOf(question);
  if (!prompt) return make("p", {}, "There was no prompt.");
  const copy = make("button", { type: "button" }, "Copy the prompt");
  copy.addEventListener("click", () => copyText(prompt, "The prompt"));
  const size = `${count(prompt.length)} characters, ${count(question.tokens[1])} tokens. `;
  return [make("p", {}, size, copy), textBox(prompt, "Prompt")];
}

function usagePart(question) {
  const facts = [
    ["context tokens", count(question.tokens[0])],
    ["prompt tokens", count(question.tokens[1])],
  ];
  const { usage } = question;
  if (usage) {
    facts.push(["prompt tokens sent", count(usage.prompt_tokens)],
      ["answer tokens", count(usage.completion_tokens)]);
    if (usage.cached_tokens) facts.push(["of the prompt cached there", count(usage.cached_tokens)]);
    if (usage.reasoning_tokens) facts.push(["reasoning tokens", count(usage.reasoning_tokens)]);
    facts.push(["counted by", usage.source]);
  }
  facts.push(["seconds", String(question.latency || 0)]);
  if (question.cached) facts.push(["from the cache", "yes: not asked for again"]);
  if (question.unsent) facts.push(["sent", "no: over the model's limit"]);
  facts.push(["finished", question.finish || "–"]);
  for (const [name, value] of Object.entries(question.notes || {})) {
    facts.push([`note: ${name}`, typeof value === "string" ? value : JSON.stringify(value)]);
  }
  return make("section", { "aria-labelledby": "usage-title" },
    make("h4", { id: "usage-title" }, "Usage"),
    make("dl", { class: "facts" }, facts.map(([name, value]) =>
      make("div", {}, make("dt", {}, untrusted(name)),
        make("dd", {}, untrusted(value.length > 2000 ? value.slice(0, 2000) + " …" : value))))));
}
