/* A prompt, put together again from what was recalled. */

/** Fill in a text of the prompt pack: {name}, and doubled braces for single ones. */
function fill(template, values) {
  return template.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (whole, name) => {
    if (whole === "{{") return "{";
    if (whole === "}}") return "}";
    if (!Object.hasOwn(values, name)) throw new Error(`the prompt pack names {${name}}`);
    return String(values[name]);
  });
}

/** A recalled passage as it stands in the prompt. */
function passageText(data, number) {
  const [session, text] = data.passages[number];
  return textOf(data, text === null ? data.sessions[session].text : text);
}

/** The prompt of a question, to the byte as `memorycode show` has it; "" if there was none. */
function promptOf(question) {
  if (question.context === undefined) return "";
  const { data } = question;
  const texts = index.runs[question.run].prompts;
  const passages = data.contexts[question.context].map((number) => {
    const session = data.passages[number][0];
    const text = passageText(data, number);
    return session === null
      ? fill(texts.passage, { text })
      : fill(texts.session, { number: session + 1, text });
  });
  const opening = fill(texts.opening, data.speakers);
  const recalled = passages.length ? passages.join("") : fill(texts.nothing, data.speakers);
  return opening + recalled + fill(texts.question, { ...data.speakers, query: question.ask.query });
}
