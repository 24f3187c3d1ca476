/* Elements and text. Data and model output are hostile: they become text nodes, nothing else. */

const LONGEST = 20000; // characters of a text that are shown before one asks for all of it
const MOST_LINES = 4000; // lines that get elements of their own; more stand as one text
const MOST_MARKS = 2000; // characters without a shape that are made visible, per text
const KEPT = 6; // dialogues that stay unpacked
const FLIPS_AT_ONCE = 100;

const byId = (id) => document.getElementById(id);
const index = JSON.parse(byId("index").textContent);

/** An element with attributes, properties (functions) and children; texts become text nodes. */
function make(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) made.append(child);
  }
  return made;
}

// Characters that have no shape, or that turn the direction of what follows.
const SHAPELESS = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\u{e0000}-\\u{e007f}]",
  "gu",
);

/** Text with its shapeless characters marked. Its `textContent` is the text to the byte. */
function shown(text) {
  const parts = document.createDocumentFragment();
  let from = 0;
  let marks = 0;
  for (const found of text.matchAll(SHAPELESS)) {
    if (++marks > MOST_MARKS) break;
    if (found.index > from) parts.append(text.slice(from, found.index));
    const code = "U+" + found[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    parts.append(make("span", { class: "hidden-char", "data-code": code, title: code }, found[0]));
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.append(text.slice(from));
  return parts;
}

const untrusted = (text) => make("bdi", { class: "untrusted" }, shown(String(text)));
const count = (number) => Number(number).toLocaleString("en");
const plural = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

/** A text in a box, cut where it is very long, with a button for the rest. */
function textBox(text, label) {
  const box = make("pre", { tabindex: "0", role: "region", "aria-label": label });
  const whole = make("div", {}, box);
  if (text.length <= LONGEST) {
    box.append(shown(text));
    return whole;
  }
  box.append(shown(text.slice(0, LONGEST)));
  whole.append(moreButton(text, () => box.replaceChildren(shown(text))));
  return whole;
}

function moreButton(text, act) {
  const words = `Shown: the first ${count(LONGEST)} of ${count(text.length)} characters. `;
  const note = make("p", { class: "note more" }, words);
  const button = make("button", { type: "button" }, "Show all");
  button.addEventListener("click", () => {
    act();
    note.replaceChildren(`All ${count(text.length)} characters are shown.`);
  });
  note.append(button);
  return note;
}

/** A box that scrolls sideways by itself: it has a name, and the keyboard reaches it. */
function scrollBox(label, inside, more) {
  const attributes = { tabindex: "0", role: "region", "aria-label": label };
  return make("div", { class: `scroll ${more || ""}`, ...attributes }, inside);
}

const tag = (state, words) => make("span", { class: `tag ${state}` }, words || state);
