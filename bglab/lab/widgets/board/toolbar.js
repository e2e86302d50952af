// The buttons and fields below the board. They call the view's actions and know nothing else.

function element(tag, parent, properties = {}) {
  const node = parent.appendChild(document.createElement(tag));
  Object.assign(node, properties);
  return node;
}

// A button's name begins with the word on it, so that it can be called by voice.
const named = (text, title) => `${text}: ${title}`;

class Toolbar {
  constructor(parent, view) {
    this.guard = (action) => () => view.guard(action);
    this.root = element("div", parent, { className: "bglab-tools" });
    this.root.setAttribute("role", "toolbar");
    this.root.setAttribute("aria-label", "Board tools");
    this.makePlay(view);
    this.makeEdit(view);
    this.makeCommon(view);
  }

  group(name) {
    return element("span", this.root, { className: `bglab-group bglab-group-${name}` });
  }

  button(parent, text, title, action) {
    const node = element("button", parent, { type: "button", textContent: text, title });
    node.setAttribute("aria-label", named(text, title));
    node.addEventListener("click", this.guard(action));
    return node;
  }

  select(parent, label, options, action) {
    const node = element("select", parent, { title: label });
    node.setAttribute("aria-label", label);
    for (const [value, text] of options) element("option", node, { value, textContent: text });
    node.addEventListener("change", this.guard(() => action(node.value)));
    return node;
  }

  number(parent, label, action) {
    const node = element("input", parent, { type: "number", min: 0, max: 999, title: label });
    node.setAttribute("aria-label", label);
    const value = () => Math.max(0, Math.round(Number(node.value)) || 0);
    node.addEventListener("change", this.guard(() => action(value())));
    return node;
  }

  makePlay(view) {
    this.play = this.group("play");
    this.undo = this.button(this.play, "Undo", "Take back one checker (Escape)", () => view.undo());
    this.undoAll = this.button(this.play, "Undo all", "Take back the whole turn (Shift+Escape)", () => view.undoAll());
    this.done = this.button(this.play, "Done", "Finish the turn (Enter)", () => view.finish());
  }

  makeEdit(view) {
    this.edit = this.group("edit");
    const edit = (change) => view.change(change);
    const word = (text, parent) => element("span", parent, { textContent: text });
    const field = (text) => {
      const node = element("span", this.edit, { className: "bglab-group bglab-field" });
      word(text, node);
      return node;
    };
    const faces = [["", "–"], ...[1, 2, 3, 4, 5, 6].map((die) => [String(die), String(die)])];
    const dice = field("Dice"), cube = field("Cube"), score = field("Score");
    this.dice = ["First die", "Second die"].map((label, k) =>
      this.select(dice, label, faces, (value) => edit((draft) => {
        const other = draft.dice?.[1 - k] ?? 1;
        const rolled = k ? [other, Number(value)] : [Number(value), other];
        draft.dice = value ? rolled : null;
      })));
    const values = Array.from({ length: 11 }, (_, k) => [String(2 ** k), String(2 ** k)]);
    this.cube = this.select(cube, "Cube value", values, (value) => edit((draft) => {
      draft.cube = Number(value);
      if (draft.cube === 1) draft.owner = 0;
    }));
    const owners = [["0", "middle"], ["1", "on roll"], ["-1", "opponent"]];
    this.owner = this.select(cube, "Cube owner", owners, (value) => edit((draft) => {
      draft.owner = Number(value);
    }));
    this.score = ["Points of the side on roll", "Points of the opponent"].map((label, k) =>
      this.number(score, label, (value) => edit((draft) => { draft.score[k] = value; })));
    word("to", score);
    this.length = this.number(score, "Match length, 0 for money", (value) => edit((draft) => { draft.length = value; }));
    const crawford = element("label", score, { title: "The game in which nobody may double" });
    this.crawford = element("input", crawford, { type: "checkbox" });
    word("Crawford", crawford);
    this.crawford.addEventListener("change", this.guard(() => edit((draft) => { draft.crawford = this.crawford.checked; })));
    this.button(this.edit, "Other side on roll", "Give the roll to the other side", () => view.turnSides());
    this.button(this.edit, "Clear", "Take all checkers off the board", () => edit((draft) => draft.clear()));
    this.button(this.edit, "Start", "Set up the starting position", () => edit((draft) => draft.setStart()));
  }

  makeCommon(view) {
    const common = this.group("common");
    this.mode = this.button(common, "Edit", "Change the position", () => view.toggleMode());
    this.flip = this.button(common, "Flip", "Turn the view upside down", () => view.toggle("flip"));
    this.kind = this.select(common, "Kind of identifier", [], () => {});
    this.button(common, "Copy", "Copy the identifier", () => view.copy(this.kind.value));
    this.button(common, "SVG", "Save the picture as SVG", () => view.save("svg"));
    this.button(common, "PNG", "Save the picture as PNG", () => view.save("png"));
  }

  // Agree with what is shown.
  paint({ mode, play, pending, draft, flip, ids }) {
    const editing = mode === "edit";
    this.play.hidden = editing;
    this.edit.hidden = !editing;
    this.undo.disabled = this.undoAll.disabled = pending || !play.moves.length;
    this.done.disabled = pending || !play.complete;
    this.mode.textContent = editing ? "Done editing" : "Edit";
    this.mode.title = editing ? "Play on from this position" : "Change the position";
    this.mode.setAttribute("aria-label", named(this.mode.textContent, this.mode.title));
    this.flip.setAttribute("aria-pressed", String(flip));
    const kinds = Object.keys(ids);
    if (kinds.join() !== [...this.kind.options].map((option) => option.value).join()) {
      const before = this.kind.value;
      this.kind.replaceChildren(...kinds.map((kind) => new Option(kind, kind)));
      if (kinds.includes(before)) this.kind.value = before;
    }
    if (!editing) return;
    this.dice.forEach((field, k) => { field.value = draft.dice ? String(draft.dice[k]) : ""; });
    if (![...this.cube.options].some((option) => option.value === String(draft.cube))) {
      this.cube.add(new Option(draft.cube, draft.cube));
    }
    this.cube.value = String(draft.cube);
    this.owner.value = String(draft.owner);
    [...this.score, this.length].forEach((field, k) => { field.value = String([...draft.score, draft.length][k]); });
    for (const field of this.score) field.disabled = !draft.length;
    this.crawford.checked = draft.crawford && draft.mayBeCrawford;
    this.crawford.disabled = !draft.mayBeCrawford;
  }
}
