/* Which question is shown: lists, addresses, steps to the next one. */

const chooser = {
  run: byId("choose-run"), row: byId("choose-row"),
  dialogue: byId("choose-dialogue"), question: byId("choose-question"),
};
let showing = null; // the question shown
let asking = 0; // counts requests, so that a late answer to an early one is dropped

const fragment = (question) =>
  `#/q/${encodeURIComponent(question.id)}` + (question.run ? `/run/${question.run + 1}` : "");

/** What a fragment names: a question's id and a run; null if it names none. */
function readFragment(text) {
  const found = /^#\/q\/([^/]+)(?:\/run\/(\d+))?$/.exec(text);
  if (!found) return null;
  try {
    return { id: decodeURIComponent(found[1]), run: found[2] ? Number(found[2]) - 1 : 0 };
  } catch {
    return null;
  }
}

const say = (words) => byId("status").replaceChildren(shown(words));

function go(question) {
  if (question) location.hash = fragment(question);
}

async function follow() {
  const wanted = readFragment(location.hash);
  if (wanted) await open(wanted, true);
  else if (location.hash.startsWith("#/")) say("This address names no question.");
}

/** Show a question; `moves` to it unless it is only the first one of the page. */
async function open({ id, run }, moves) {
  const turn = ++asking;
  const number = Number(id.split("/", 1)[0]);
  const piece = index.dialogues.find((one) => one.number === number && one.runs.includes(run));
  if (!piece) return say(`There is no question ${id} here: no such dialogue.`);
  const data = await guarded(() => dialogueData(piece));
  if (!data || turn !== asking) return undefined;
  const question = data.byId.get(key(run, id));
  if (!question) return say(`There is no question ${id} here.`);
  showing = question;
  fillChooser(question);
  await guarded(async () => showQuestion(question));
  const failed = question.outcome ? ", failed" : "";
  say(`Question ${question.id}${failed}.`);
  // Who chooses from the lists stays there: with the arrow keys one passes many.
  if (moves && !byId("choose").contains(document.activeElement)) {
    byId("browser").scrollIntoView({ block: "start" });
    byId("question-title").focus({ preventScroll: true });
  }
  return question;
}

/** What goes wrong is said on the page; nothing is lost in silence. */
async function guarded(act) {
  try {
    return await act();
  } catch (error) {
    say(`This cannot be shown: ${error.message}`);
    return undefined;
  }
}

function options(select, entries, chosen) {
  select.replaceChildren(...entries.map(([value, words]) => {
    const option = make("option", { value }, words);
    option.selected = String(value) === String(chosen);
    return option;
  }));
}

const rowValue = (question) => `${question.strategy} ${question.model}`;

function fillChooser(question) {
  const { data, run } = question;
  const { rows, models } = index.runs[run];
  byId("run-field").hidden = index.runs.length < 2;
  options(chooser.run, index.runs.map((one, n) => [n, `${one.name}: ${one.folder}`]), run);
  const rowLabel = (row, model) =>
    row.label + (row.oracle ? " ◆" : "") + (models.length > 1 ? ` · ${model}` : "");
  options(chooser.row,
    models.flatMap((model, m) => rows.map((row, s) => [`${s} ${m}`, rowLabel(row, model)])),
    rowValue(question));
  options(chooser.dialogue, index.dialogues.flatMap((piece, n) => piece.runs.includes(run)
    ? [[n, `${piece.number} – ${plural(piece.sessions, "session")}`]] : []),
    index.dialogues.indexOf(data.piece));
  const asked = siblings(question);
  options(chooser.question, asked.map((one) => [one.place, questionLabel(one)]), question.place);
  const at = asked.indexOf(question);
  byId("previous").disabled = at <= 0;
  byId("next").disabled = at < 0 || at >= asked.length - 1;
}

function questionLabel(question) {
  const { ask } = question;
  const repeat = question.repeat ? `, repeat ${question.repeat + 1}` : "";
  const verdicts = question.verdicts?.strict || "";
  const followed = [...verdicts].filter((letter) => letter === "f").length;
  const score = question.outcome || `${followed}/${verdicts.length}`;
  const where = `after session ${ask.session + 1}, no. ${ask.number + 1}${repeat}`;
  return `${where} (${score}): ${ask.query}`.slice(0, 160);
}

/** The questions of the same run, strategy, model and dialogue. */
const siblings = ({ data, run, strategy, model }) =>
  data.questions.filter(
    (one) => one.run === run && one.strategy === strategy && one.model === model,
  );

/** The question of a list that is asked at the same place as another one, else the first. */
const alike = (questions, wanted) =>
  questions.find((one) => wanted && one.ask.session === wanted.ask.session &&
    one.ask.number === wanted.ask.number && one.repeat === wanted.repeat) || questions[0];

/** Go to the question of a dialogue that is most like the one shown. */
async function choose(piece, run, strategy, model) {
  const data = await guarded(() => dialogueData(piece));
  if (!data) return;
  const found = siblings({ data, run, strategy, model });
  if (found.length) go(alike(found, showing));
  else say("Nothing of this strategy was asked about this dialogue yet.");
}

function chooseFromSelects() {
  const run = Number(chooser.run.value);
  const [strategy, model] = chooser.row.value.split(" ").map(Number);
  return choose(index.dialogues[Number(chooser.dialogue.value)], run, strategy, model);
}

function chooseRun() {
  const run = Number(chooser.run.value);
  const { number } = index.dialogues[Number(chooser.dialogue.value)];
  const having = index.dialogues.filter((piece) => piece.runs.includes(run));
  const other = showing && counterpart(showing);
  if (other && other.run === run) return go(other);
  return choose(having.find((piece) => piece.number === number) || having[0], run, 0, 0);
}

function step(by) {
  if (!showing) return;
  const all = siblings(showing);
  go(all[all.indexOf(showing) + by]);
}

function stepDialogue(by) {
  if (!showing) return;
  const having = index.dialogues.filter((piece) => piece.runs.includes(showing.run));
  const piece = having[having.indexOf(showing.data.piece) + by];
  if (piece) choose(piece, showing.run, showing.strategy, showing.model);
}

function stepRow(by) {
  if (!showing) return;
  const all = [...chooser.row.options].map((option) => option.value);
  const at = (all.indexOf(rowValue(showing)) + by + all.length) % all.length;
  const [strategy, model] = all[at].split(" ").map(Number);
  choose(showing.data.piece, showing.run, strategy, model);
}

async function copyText(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} is copied.`);
  } catch {
    say(`${what} could not be copied: the browser does not allow it.`);
  }
}
