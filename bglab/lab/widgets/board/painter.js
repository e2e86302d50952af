// What is shown: the session that all views of a widget share, turned into a look of the scene and words below it.

// What all views of one widget share: the turn being tried, the draft of the editor, what was last said.
class Session {
  constructor() {
    this.client = Math.random().toString(36).slice(2);
    this.sequence = 0;
    this.views = new Set();
    this.said = "";
    this.pending = false;
  }

  // Take over what Python tells, once for all views. While an answer to a later edit is on its way, an earlier one would only
  // make checkers jump back and forth.
  adopt(page) {
    if (page === this.page) return;
    const [client, sequence] = page.reply;
    this.before = this.page;
    this.page = page;
    this.play = new Play(page);
    if (client !== this.client || sequence >= this.sequence) {
      this.draft = new Draft(page);
      this.pending = false;
    }
    this.said = page.error;
  }

  say(words) {
    this.said = words;
    this.paint();
  }

  paint() {
    for (const view of this.views) view.paint();
  }
}

const reducedMotion = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

// The half of a view that shows; `View` adds what the user does.
class Painter {
  // While a play is under way, the view stays as it was when it began.
  get flip() {
    return this.moving ? this.moving.flip : this.model.get("flip");
  }

  get swap() {
    return this.moving ? this.moving.swap : this.model.get("swap");
  }

  colours() {
    let name = this.model.get("theme");
    if (name === "auto") {
      const light = document.body.dataset.jpThemeLight;
      const dark = light === undefined ? window.matchMedia("(prefers-color-scheme: dark)").matches : light === "false";
      name = dark ? "dark" : "light";
    }
    const theme = this.model.get("_themes")[name];
    return this.swap ? { ...theme, me: theme.opp, opp: theme.me } : theme;
  }

  look() {
    const { session, drag, editing } = this, { page, play, draft } = session;
    const { me, opp } = this.moving?.board ?? (editing ? { me: [...draft.me], opp: [...draft.opp] } : play.board());
    const pips = [me, opp].map(pipCount);
    if (drag) (drag.mine ? me : opp)[indexOf(drag.zone, drag.mine)]--;
    const state = editing ? draft : page;
    const dice = editing ? draft.dice : play.dice;
    const score = [0, 1].map((k) => (state.length ? ` · ${state.score[k]} of ${state.length}${page.crawford ? " Crawford" : ""}` : ""));
    const arrows = this.model.get("_arrows");
    const drawn = !editing && !play.moves.length && !drag && !this.moving ? arrows : { moves: [], text: "" };
    const rolled = dice && !editing ? page.dice.join("-") : "";
    const { flip } = this;
    return {
      me, opp, flip, dice, score, pips, colours: this.colours(), cube: state.cube, owner: state.owner, id: page.ids["Position ID"],
      note: drawn.text && rolled ? `${rolled}: ${drawn.text}` : drawn.text || rolled,
      arrows: this.arrows(drawn.moves, me, flip),
      marks: editing ? new Map() : this.marks(),
      movable: new Set(editing || session.pending ? [] : play.options.map((move) => move.from)),
      used: editing || !dice ? [0, 0] : this.used(play),
      ready: !editing && play.complete && !session.pending,
      diceLabel: dice ? `dice ${dice[0]} and ${dice[1]}${!editing && play.complete ? ", finish the turn" : ", swap"}` : "",
      ghost: this.moving?.ghost ?? (drag && { mine: drag.mine, x: drag.x, y: drag.y }),
      cursor: this.cursor,
    };
  }

  // How much of each die is played, 0 to 1; none when all is, since then the dice are to be clicked.
  used(play) {
    if (play.complete) return [0, 0];
    const [first, second] = play.dice;
    if (first === second) return [Math.min(play.moves.length, 2) / 2, Math.max(play.moves.length - 2, 0) / 2];
    return play.dice.map((die) => Number(play.moves.some((move) => move.die === die)));
  }

  // Where the checker picked up, pointed at or focused can go, and with how many dice.
  marks() {
    const from = this.drag?.zone ?? this.hover ?? this.focus;
    if (from === null || !this.session.play.tree || this.session.pending || this.moving) return new Map();
    return new Map([...this.session.play.reach(from)].map(([to, moves]) => [to, moves.length]));
  }

  arrows(moves, me, flip) {
    const counts = [...me];
    counts[OFF] = 0;
    return [...moves].sort((a, b) => b[0] - a[0] || b[1] - a[1]).map(([from, to]) => {
      counts[from]--;
      const arrow = { start: spot(from, counts[from], flip), end: spot(to, counts[to], flip), ring: to !== OFF };
      counts[to]++;
      return arrow;
    });
  }

  words() {
    const { page, play, pending, said } = this.session;
    if (said) return said;
    if (this.editing) return page.warning || "Click places a checker of the side on roll, right click one of the opponent, shift+click takes one away.";
    if (pending) return `${play.text() || "No play"}: waiting for Python.`;
    if (!play.tree) return page.played ? `Played ${page.played}. ${page.warning}` : page.warning;
    const finish = "Click the dice or press Enter to finish.", warning = page.warning ? ` ${page.warning}` : "";
    if (play.complete && !play.moves.length) return `${page.dice.join("-")} cannot be played. ${finish}${warning}`;
    if (play.complete) return `${play.text()}. ${finish}`;
    return `${play.text() || page.dice.join("-")}: ${play.toCome} to play.${warning}`;
  }

  paint() {
    const { session } = this, look = this.look();
    this.scene.paint(look);
    const words = this.words();
    if (this.status.textContent !== words) this.status.textContent = words;
    this.status.classList.toggle("bglab-warning", Boolean(session.page.error) && session.said === session.page.error);
    this.tools.paint({
      mode: this.model.get("mode"), play: session.play, pending: session.pending, draft: session.draft,
      flip: look.flip, ids: session.page.ids,
    });
    for (const [name, colour] of [["page", look.colours.page], ["ink", look.colours.ink], ["felt", look.colours.felt]]) {
      this.root.style.setProperty(`--bglab-${name}`, colour);
    }
  }

  // Show what the model holds by now; a play made by Python one checker after the other, from the position before it.
  catchUp() {
    this.moving = null;
    this.session.adopt(this.model.get("_page"));
    const { page } = this.session, fresh = page.number !== this.animated;
    this.animated = page.number;
    if (fresh && page.animate.length && !reducedMotion() && !document.hidden) return this.guard(() => this.animate());
    return this.paint();
  }

  // What comes meanwhile waits for the end, unless the user does something.
  async animate() {
    const { page, before } = this.session, { flip, swap } = this;
    const turn = new Play({ ...before, tree: null });
    turn.moves = page.animate.map(([from, to]) => ({ from, to }));
    const end = turn.board(), same = (one, two) => one.every((value, k) => value === two[k]);
    if (!same(end.me, page.me) || !same(end.opp, page.opp)) return this.paint();
    for (let k = 0; k < page.animate.length; k++) {
      const [from, to] = page.animate[k];
      turn.moves = page.animate.slice(0, k).map(([start, stop]) => ({ from: start, to: stop }));
      const board = turn.board();
      board.me[from]--;
      const moving = (this.moving = { board, flip, swap, ghost: { mine: true } });
      await this.glide(moving, spot(from, board.me[from], flip), spot(to, board.me[to], flip), 320);
      if (this.moving !== moving) return undefined;
    }
    return this.catchUp();
  }

  glide(moving, start, stop, milliseconds) {
    return new Promise((resolve) => {
      const began = performance.now();
      const frame = (now) => {
        if (this.moving !== moving || !this.root.isConnected) return resolve();
        const share = Math.min(1, Math.max(0, (now - began) / milliseconds)), eased = share * share * (3 - 2 * share);
        [moving.ghost.x, moving.ghost.y] = [0, 1].map((k) => start[k] + (stop[k] - start[k]) * eased);
        this.paint();
        return share < 1 ? requestAnimationFrame(frame) : resolve();
      };
      frame(began);
    });
  }
}
