/* Dialogues lie in the page compressed; one is unpacked when it is asked for. */

const loaded = new Promise((done) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", done);
  else done();
});

async function unpack(id) {
  if (!byId(id)) await loaded; // it may not have been read yet
  const element = byId(id);
  if (!element) throw new Error(`the page lacks its part ${id}: it was not saved whole`);
  if (typeof DecompressionStream === "undefined") {
    throw new Error("this browser is too old to unpack the page (it lacks DecompressionStream)");
  }
  const coded = atob(element.textContent);
  const bytes = new Uint8Array(coded.length);
  for (let at = 0; at < coded.length; at++) bytes[at] = coded.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const unpacked = new Map();

/** A dialogue's data; the last few stay unpacked. */
async function dialogueData(piece) {
  let data = unpacked.get(piece.id);
  if (!data) {
    data = await unpack(piece.id);
    prepare(data, piece);
  }
  unpacked.delete(piece.id);
  unpacked.set(piece.id, data);
  if (unpacked.size > KEPT) unpacked.delete(unpacked.keys().next().value);
  return data;
}

/** Give every question its id and its place, and index them. */
function prepare(data, piece) {
  data.piece = piece;
  data.byId = new Map();
  data.questions.forEach((question, place) => {
    question.data = data;
    question.place = place;
    question.ask = data.asked[question.asked];
    question.repeat = question.repeat || 0;
    const run = index.runs[question.run];
    const again = question.repeat ? `#${question.repeat + 1}` : "";
    const where = `${data.number}/${question.ask.session}/${question.ask.number}`;
    const whose = `${run.rows[question.strategy].strategy}/${run.models[question.model]}`;
    question.id = `${where}/${whose}${again}`;
    data.byId.set(key(question.run, question.id), question);
  });
}

const key = (run, id) => `${run}\n${id}`;
const textOf = (data, numbers) => numbers.map((n) => data.lines[n]).join("\n");
