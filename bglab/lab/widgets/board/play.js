// A turn being tried. The automaton of legal moves comes from Python (bglab/lab/widgets/continuations.py), so what is
// legal is looked up here and never worked out: state 0 is before the first move, a state without moves ends the turn.

// The moves a state allows: [{from, to, die, next}].
function legalMoves(tree, state) {
  const flat = tree[state], moves = [];
  for (let k = 0; k < flat.length; k += 3) {
    moves.push({ from: flat[k], to: Math.max(0, flat[k] - flat[k + 1]), die: flat[k + 1], next: flat[k + 2] });
  }
  return moves;
}

class Play {
  constructor(page) {
    this.tree = page.tree;
    this.start = { me: page.me, opp: page.opp };
    this.dice = page.dice ? [...page.dice] : null;  // as shown: the left one is played by a click
    this.moves = [];
  }

  get state() {
    return this.moves.length ? this.moves[this.moves.length - 1].next : 0;
  }

  // Nothing is left to play, so the turn can be finished.
  get complete() {
    return Boolean(this.tree) && this.tree[this.state].length === 0;
  }

  get options() {
    return this.tree ? legalMoves(this.tree, this.state) : [];
  }

  // The dice still to be played, in the order shown.
  get left() {
    if (!this.dice) return [];
    const [first, second] = this.dice;
    const left = first === second ? [first, first, first, first] : [first, second];
    for (const { die } of this.moves) left.splice(left.indexOf(die), 1);
    return left;
  }

  // How many more moves the rules ask for.
  get toCome() {
    let state = this.state, count = 0;
    for (; this.tree && this.tree[state].length; count++) state = this.tree[state][2];
    return count;
  }

  // Both sides' counts after the moves so far.
  board() {
    const me = [...this.start.me], opp = [...this.start.opp];
    for (const move of this.moves) {
      me[move.from]--;
      me[move.to]++;
      move.hit = move.to > 0 && opp[25 - move.to] > 0;
      if (move.hit) {
        opp[25 - move.to]--;
        opp[BAR]++;
      }
    }
    return { me, opp };
  }

  // Dice may change places as long as none is played.
  swapDice() {
    if (!this.dice || this.moves.length || this.dice[0] === this.dice[1]) return false;
    this.dice.reverse();
    return true;
  }

  // Move a checker with the left die, or with the other; where only one of them will do, with that.
  step(from, other) {
    const options = this.options.filter((move) => move.from === from);
    const order = [...new Set(this.left)];
    if (other) order.reverse();
    const move = order.map((die) => options.find((option) => option.die === die)).find(Boolean);
    if (move) this.moves.push(move);
    return Boolean(move);
  }

  // Where the checker can go, with one die or several: a map from location to the moves that lead there. Fewer moves come
  // before more, the left die before the other.
  reach(from) {
    const found = new Map();
    if (!this.tree) return found;
    const order = this.left;
    let ways = [{ at: from, state: this.state, moves: [] }];
    while (ways.length) {
      const further = [];
      for (const way of ways) {
        const options = legalMoves(this.tree, way.state).filter((move) => move.from === way.at && way.at > 0);
        options.sort((a, b) => order.indexOf(a.die) - order.indexOf(b.die));
        for (const move of options) {
          const moves = [...way.moves, move];
          if (!found.has(move.to)) found.set(move.to, moves);
          further.push({ at: move.to, state: move.next, moves });
        }
      }
      ways = further;
    }
    return found;
  }

  drag(from, to) {
    const moves = this.reach(from).get(to);
    if (moves) this.moves.push(...moves);
    return Boolean(moves);
  }

  // Take back the moves that brought a checker from one location to another, if the others are legal without them.
  dragBack(from, to) {
    const chain = this.chain(from, to, this.moves.length - 1);
    if (!chain) return false;
    const kept = [];
    let state = 0;
    for (const { from: point, die } of this.moves.filter((_, k) => !chain.includes(k))) {
      const move = legalMoves(this.tree, state).find((option) => option.from === point && option.die === die);
      if (!move) return false;
      kept.push(move);
      state = move.next;
    }
    this.moves = kept;
    return true;
  }

  // The indices of played moves that lead from `origin` to `at`, the last of them not after `latest`.
  chain(at, origin, latest) {
    for (let k = latest; k >= 0; k--) {
      const move = this.moves[k];
      if (move.to !== at) continue;
      const before = move.from === origin ? [] : this.chain(move.from, origin, k - 1);
      if (before) return [...before, k];
    }
    return null;
  }

  // The moves as text; Python writes the finished turn in its own, shorter way.
  text() {
    this.board();  // notes the hits
    const name = (place) => (place === BAR ? "bar" : place === OFF ? "off" : place);
    return this.moves.map((move) => `${name(move.from)}/${name(move.to)}${move.hit ? "*" : ""}`).join(" ");
  }
}
