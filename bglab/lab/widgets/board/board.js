// The view: what the user does and what Python is told of it.

class View extends Painter {
  constructor(model, el, session) {
    super();
    Object.assign(this, { model, session, cursor: 13, hover: null, focus: null, press: null, drag: null });
    session.adopt(model.get("_page"));
    session.views.add(this);
    this.animated = session.page.number;
    this.root = element("div", el, { className: "bglab-board" });
    this.scene = new Scene(this.root);
    this.status = element("div", this.root, { className: "bglab-status" });
    this.status.setAttribute("role", "status");
    this.status.setAttribute("aria-live", "polite");
    this.tools = new Toolbar(this.root, this);
    this.cleanup = [() => session.views.delete(this), () => this.root.remove()];
    this.listen();
    this.paint();
  }

  get editing() {
    return this.model.get("mode") === "edit";
  }

  // Listening

  listen() {
    const on = (target, name, handler) => {
      const guarded = (event) => this.guard(() => handler(event));
      target.addEventListener(name, guarded);
      this.cleanup.push(() => target.removeEventListener(name, guarded));
    };
    const { svg } = this.scene;
    on(svg, "pointerdown", (event) => this.pointerDown(event));
    on(svg, "pointermove", (event) => this.pointerMove(event));
    on(svg, "pointerup", (event) => this.pointerUp(event));
    on(svg, "pointercancel", () => this.letGo());
    on(svg, "pointerleave", () => this.setHover(null));
    on(svg, "contextmenu", (event) => { event.preventDefault(); event.stopPropagation(); });
    // Not on the picture, which Chromium would then make a stop of the Tab key.
    on(this.root, "focusin", (event) => this.focused(event.target));
    on(this.root, "focusout", () => this.focused(null));
    on(this.root, "keydown", (event) => this.key(event));
    for (const name of ["_page", "_arrows", "mode", "flip", "swap", "theme"]) {
      const changed = () => this.guard(() => this.changed(name));
      this.model.on(`change:${name}`, changed);
      this.cleanup.push(() => this.model.off(`change:${name}`, changed));
    }
    // The theme "auto" follows JupyterLab, or the system where there is no JupyterLab.
    const observer = new MutationObserver(() => this.paint());
    observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    this.cleanup.push(() => observer.disconnect());
    on(window.matchMedia("(prefers-color-scheme: dark)"), "change", () => this.paint());
  }

  // A fault in the page is shown below the board and goes no further.
  guard(action) {
    try {
      const result = action();
      result?.catch?.((error) => this.session.say(String(error.message ?? error)));
    } catch (error) {
      this.status.textContent = `The board has a fault: ${error.message ?? error}`;
    }
  }

  changed(name) {
    if (this.moving) return;  // shown when the play under way has ended
    if (name === "_page") {
      this.letGo();
      return this.catchUp();
    }
    return this.paint();
  }

  remove() {
    for (const undo of this.cleanup) undo();
  }

  // The pointer

  at(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.scene.svg.getScreenCTM().inverse());
    return [point.x, point.y];
  }

  zone(x, y) {
    return zoneAt(x, y, this.flip);
  }

  pointerDown(event) {
    if (event.button !== 0 && event.button !== 2) return;
    if (this.moving) this.catchUp();
    const [x, y] = this.at(event);
    const dice = Boolean(this.session.page.dice) && onDice(x, y);
    const zone = dice ? null : this.zone(x, y);
    this.press = { id: event.pointerId, x, y, zone, dice, other: event.button === 2 || event.ctrlKey, shift: event.shiftKey };
    this.scene.svg.setPointerCapture(event.pointerId);
    if (zone !== null) this.cursor = zone;
  }

  pointerMove(event) {
    const [x, y] = this.at(event), { press } = this;
    if (!press) return this.setHover(this.zone(x, y));
    if (press.id !== event.pointerId) return;
    if (!this.drag && press.zone !== null && !press.other && Math.hypot(x - press.x, y - press.y) > 5) this.pickUp(press.zone);
    if (this.drag) {
      Object.assign(this.drag, { x, y });
      this.paint();
    }
  }

  pickUp(zone) {
    const mine = this.editing ? this.session.draft.holder(zone) : zone !== OFF && this.owns(zone) ? true : null;
    if (mine !== null && !(this.session.pending && !this.editing)) this.drag = { zone, mine };
  }

  owns(zone) {
    return ownsZone(zone, true) && this.session.play.board().me[indexOf(zone, true)] > 0;
  }

  pointerUp(event) {
    const { press, drag } = this;
    if (!press || press.id !== event.pointerId) return;
    const [x, y] = this.at(event), zone = this.zone(x, y);
    this.letGo();
    this.hover = zone;
    if (drag) this.drop(drag.zone, zone);
    else if (press.dice) this.clickDice();
    else if (zone !== null && zone === press.zone) this.click(zone, press.other, press.shift);
  }

  letGo() {
    this.press = this.drag = null;
  }

  setHover(zone) {
    if (zone === this.hover) return;
    this.hover = zone;
    this.paint();
  }

  drop(from, to) {
    if (from === to) return this.paint();
    if (this.editing) return this.change((draft) => draft.move(from, to));
    const { play } = this.session;
    if (play.tree && to !== null && ownsZone(to, true)) {
      if (play.drag(from, to) || play.dragBack(from, to)) return this.tried();
    }
    return this.session.say(to === null ? "" : this.whyNot(from));
  }

  // The keyboard

  focused(node) {
    const zone = node?.closest?.("[data-zone]")?.dataset.zone;
    this.focus = zone !== undefined && node.matches(":focus-visible") ? Number(zone) : null;
    if (zone !== undefined) this.cursor = Number(zone);
    this.paint();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();  // a letter typed here is no command for the notebook around
    const inTools = this.tools.root.contains(event.target);
    const act = this.keyAction(event.key, event.shiftKey, this.scene.dice.contains(event.target), inTools);
    if (!act) return;
    if (this.moving) this.catchUp();
    event.preventDefault();
    act();
  }

  keyAction(key, shift, onTheDice, inTools) {
    if (key === "Escape" && !this.editing) return () => (shift ? this.undoAll() : this.undo());
    if (inTools) return null;
    const { play } = this.session;
    if ((key === "Enter" || key === " ") && onTheDice) return () => this.clickDice();
    if (key === "Enter" && !this.editing && play.complete) return () => this.finish();
    if (key === "Enter" || key === " ") return () => this.click(this.cursor, shift, false);
    if (key === "o" || key === "O") return () => this.click(this.cursor, true, false);
    if ((key === "d" || key === "D") && !this.editing) return () => this.swapDice();
    if ((key === "Delete" || key === "Backspace") && this.editing) return () => this.click(this.cursor, false, true);
    return key.startsWith("Arrow") ? () => this.moveCursor(key) : null;
  }

  moveCursor(key) {
    const rows = this.flip ? [LOWER, UPPER] : [UPPER, LOWER];
    const row = rows.findIndex((zones) => zones.includes(this.cursor)), column = rows[row].indexOf(this.cursor);
    if (key === "ArrowUp" || key === "ArrowDown") this.cursor = rows[key === "ArrowUp" ? 0 : 1][column];
    else this.cursor = rows[row][Math.min(UPPER.length - 1, Math.max(0, column + (key === "ArrowLeft" ? -1 : 1)))];
    this.paint();
    this.scene.zones[this.cursor].group.focus();
  }

  // Playing

  click(zone, other, shift) {
    if (this.editing) return this.change((draft) => (shift ? draft.remove(zone) : draft.place(zone, !other)));
    const { play, pending } = this.session;
    if (pending || !play.tree) return this.session.say(pending ? "" : "There are no dice to play.");
    return play.step(zone === BAR || isPoint(zone) ? zone : -1, other) ? this.tried() : this.session.say(this.whyNot(zone));
  }

  // Why a checker did not move.
  whyNot(zone) {
    const { play } = this.session;
    if (!play.tree) return "There are no dice to play.";
    if (play.complete) return "Every die is played: click the dice to finish, or undo.";
    if (play.board().me[BAR] && zone !== BAR) return "Enter from the bar first.";
    if (!this.owns(zone)) return "None of your checkers is there.";
    return `That is not legal with ${[...new Set(play.left)].join(" and ")} to play.`;
  }

  tried() {
    this.session.said = "";
    this.session.paint();
  }

  undo() {
    if (this.session.pending || !this.session.play.moves.pop()) return;
    this.tried();
  }

  undoAll() {
    if (this.session.pending || !this.session.play.moves.length) return;
    this.session.play.moves = [];
    this.tried();
  }

  swapDice() {
    if (this.session.play.swapDice()) this.tried();
  }

  // Done: finish. Nothing played: the dice change places.
  clickDice() {
    if (this.editing) return this.session.say("Set the dice below the board.");
    const { play } = this.session;
    if (play.complete) return this.finish();
    if (play.moves.length) return this.session.say(`There ${play.toCome === 1 ? "is" : "are"} still ${play.toCome} to play.`);
    return this.swapDice();
  }

  finish() {
    const { session } = this, { play } = session;
    if (!play.complete || session.pending) return;
    const path = play.moves.map(({ from, die }) => [from, die]);
    if (!this.send({ kind: "turn", number: session.page.number, path })) return;
    session.pending = true;
    this.tried();
  }

  // Whether Python can be told; not if the kernel has ended, or has begun anew.
  send(message) {
    const { session } = this;
    try {
      this.model.send({ ...message, client: session.client, sequence: session.sequence + 1 });
    } catch {
      session.say("Python does not hear this: run the cell again.");
      return false;
    }
    session.sequence += 1;
    return true;
  }

  // Editing

  // Change the draft; a change that answers with words was refused.
  change(edit, more = {}) {
    const { session } = this;
    const refused = edit(session.draft);
    if (refused) return session.say(refused);
    session.said = session.draft.empty ? "Put a checker on the board." : "";
    if (!session.draft.empty && !this.send({ ...session.draft.message(), ...more })) return undefined;
    return session.paint();
  }

  // The other side gets the roll, and everything stays where it is on the screen, in its colour.
  turnSides() {
    for (const name of ["flip", "swap"]) this.model.set(name, !this.model.get(name));
    this.model.save_changes();
    this.change((draft) => draft.turnSides(), { turned: true });
  }

  // Tools

  toggle(name) {
    this.model.set(name, !this.model.get(name));
    this.model.save_changes();
  }

  toggleMode() {
    this.model.set("mode", this.editing ? "play" : "edit");
    this.model.save_changes();
  }

  copy(kind) {
    this.guard(async () => {
      const text = this.session.page.ids[kind];
      this.session.say((await copyText(text, this.root)) ? `Copied ${text}` : `Copy it by hand: ${text}`);
    });
  }

  save(format) {
    this.guard(async () => {
      const id = this.session.page.ids["Position ID"];
      const text = svgText(this.scene.svg, `Backgammon position ${id}`);
      const blob = format === "svg" ? svgBlob(text) : await pngBlob(text);
      download(blob, `position-${id.replaceAll("/", "_").replaceAll("+", "-")}.${format}`);
    });
  }
}

// One session for each widget, however many views of it are shown.
export default () => {
  const session = new Session();
  return {
    render({ model, el }) {
      const view = new View(model, el, session);
      return () => view.remove();
    },
  };
};
