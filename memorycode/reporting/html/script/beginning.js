/* Colours, keys, and what the page does when it is opened. */

const THEMES = { auto: "as the system has them", light: "light", dark: "dark" };

/** A page opened as a file may be denied a memory; it then begins anew each time. */
const remembered = {
  get(name) { try { return localStorage.getItem(name); } catch { return null; } },
  set(name, value) { try { localStorage.setItem(name, value); } catch { /* as said above */ } },
};

function setTheme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  const button = byId("theme");
  button.textContent = `Colours: ${name}`;
  button.setAttribute("aria-label", `Colours: ${name}, ${THEMES[name]}`);
  button.value = name;
}

const keptTheme = remembered.get("memorycode-theme");
setTheme(Object.hasOwn(THEMES, keptTheme || "") ? keptTheme : "auto");
byId("theme").addEventListener("click", () => {
  const names = Object.keys(THEMES);
  const next = names[(names.indexOf(byId("theme").value) + 1) % names.length];
  setTheme(next);
  remembered.set("memorycode-theme", next);
});

const help = byId("help");
byId("help-button").addEventListener("click", () => help.showModal());

const KEYS = {
  n: () => step(1), p: () => step(-1), "]": () => stepDialogue(1), "[": () => stepDialogue(-1),
  s: () => stepRow(1), S: () => stepRow(-1), x: () => go(showing && counterpart(showing)),
  b: () => { byId("browser").scrollIntoView(); chooser.row.focus(); },
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  const isMeant = !(event.ctrlKey || event.metaKey || event.altKey || help.open);
  if (!isMeant || !byId("keys-on").checked) return;
  if (event.target.closest("input, select, textarea")) return;
  if (Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  }
});

chooser.run.addEventListener("change", chooseRun);
chooser.row.addEventListener("change", chooseFromSelects);
chooser.dialogue.addEventListener("change", chooseFromSelects);
chooser.question.addEventListener("change", () => {
  go(showing.data.questions[Number(chooser.question.value)]);
});
byId("previous").addEventListener("click", () => step(-1));
byId("next").addEventListener("click", () => step(1));
byId("copy-link").addEventListener("click", () => {
  if (!showing) return;
  const address = new URL(location.href);
  address.hash = fragment(showing);
  copyText(address.href, "The link");
});
byId("choose").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", follow);

/** The first question there is: a run that was stopped may not have come to the first dialogue. */
async function showFirst() {
  for (const piece of index.dialogues) {
    const data = await guarded(() => dialogueData(piece));
    if (!data || readFragment(location.hash)) return;
    if (data.questions.length) {
      await open(data.questions[0], false);
      return;
    }
  }
  say("No question of this run was asked.");
}

async function begin() {
  await showFlips();
  if (readFragment(location.hash)) await follow();
  else await showFirst();
  performance.mark("ready");
  document.documentElement.dataset.ready = "true";
}
begin();
