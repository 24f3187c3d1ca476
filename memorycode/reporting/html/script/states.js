/* What became of each rule that was told: found, missed, stale … */

const STATES = {
  found: "in force, and recalled",
  missed: "in force, and not recalled",
  stale: "an older version, recalled without the one in force",
  outdated: "an older version, recalled beside the one in force",
  superseded: "an older version, not recalled",
  later: "not part of the question's history",
};

/** The rules that the recalled context states, as attribution reads it. */
function recalledRules(question) {
  const { data } = question;
  const context = question.context === undefined ? [] : data.contexts[question.context];
  return new Set(context.flatMap((number) => data.passages[number][2]));
}

/** Whether the question's history has a session: all until the checkpoint, or that one alone. */
const isHeard = (question, at) =>
  question.ask.setting === "history" ? at <= question.ask.session : at === question.ask.session;

/** By session, each rule told there with its state at the question. */
function toldStates(question) {
  const { data, ask } = question;
  const recalled = recalledRules(question);
  const inForce = new Set(ask.rules);
  const current = new Map();
  data.sessions.forEach((session, at) => {
    if (isHeard(question, at)) for (const told of session.told) current.set(told.family, told.rule);
  });
  const before = new Map();
  return data.sessions.map((session, at) =>
    session.told.map((told) => {
      const earlier = before.get(told.family);
      before.set(told.family, told.rule);
      return { ...told, earlier, state: stateOf(told, at) };
    }),
  );

  function stateOf(told, at) {
    const isAside = ask.setting === "instruction" && !inForce.has(told.rule);
    if (isAside || !isHeard(question, at)) return "later";
    const has = recalled.has(told.rule);
    if (inForce.has(told.rule) || current.get(told.family) === told.rule) {
      return has ? "found" : "missed";
    }
    if (!has) return "superseded";
    return recalled.has(current.get(told.family)) ? "outdated" : "stale";
  }
}

/** By session, which of its lines were recalled: all, or a set of numbers of lines. */
function recalledLines(question) {
  const { data } = question;
  const found = new Map();
  for (const number of question.context === undefined ? [] : data.contexts[question.context]) {
    const [session, text] = data.passages[number];
    if (session === null || session >= data.sessions.length) continue;
    if (text === null) found.set(session, "all");
    else if (found.get(session) !== "all") {
      const lines = found.get(session) || new Set();
      for (const line of text) if (data.lines[line].trim()) lines.add(line);
      found.set(session, lines);
    }
  }
  for (const [session, lines] of found) {
    if (lines === "all") continue;
    const said = data.sessions[session].text.filter((line) => data.lines[line].trim());
    if (said.length && said.every((line) => lines.has(line))) found.set(session, "all");
    else if (!said.some((line) => lines.has(line))) found.delete(session);
  }
  return found;
}

/** The same question in another run, where it was asked there of the same row. */
function counterpart(question) {
  const { data } = question;
  for (const [run, { pairs }] of index.runs.entries()) {
    if (run === question.run || (question.run !== 0 && run !== 0)) continue;
    const isFirst = question.run === 0;
    const rows = isFirst ? pairs : index.runs[question.run].pairs;
    const [own, other] = isFirst ? [0, 2] : [2, 0];
    const pair = rows.find(
      (row) => row[own] === question.strategy && row[own + 1] === question.model,
    );
    const same = pair && data.questions.find(
      (candidate) =>
        candidate.run === run && candidate.strategy === pair[other] &&
        candidate.model === pair[other + 1] && candidate.asked === question.asked &&
        candidate.repeat === question.repeat,
    );
    if (same) return same;
  }
  return null;
}
