// The editor's board. Python hears of every change as a whole position, as long as there is a checker on the board.

const side = (mine) => (mine ? "me" : "opp");
const START = { 24: 2, 13: 5, 8: 3, 6: 5 };

class Draft {
  constructor(page) {
    this.me = [...page.me];
    this.opp = [...page.opp];
    for (const key of ["cube", "owner", "length", "crawford"]) this[key] = page[key];
    this.dice = page.dice && [...page.dice];
    this.score = [...page.score];
    this.checkers = page.me.reduce((sum, count) => sum + count);
  }

  // Whether this can be the Crawford game: a side needs one point.
  get mayBeCrawford() {
    const near = this.score.filter((points) => points === this.length - 1).length;
    return this.length > 0 && near === (this.length > 1 ? 1 : 2);
  }

  get empty() {
    return this.me[OFF] === this.checkers && this.opp[OFF] === this.checkers;
  }

  // Whose checkers stand in a zone: true mine, false the opponent's, null nobody's.
  holder(zone) {
    if (this.me[indexOf(zone, true)] && ownsZone(zone, true)) return true;
    return this.opp[indexOf(zone, false)] && ownsZone(zone, false) ? false : null;
  }

  // Why a checker of a side cannot be put into a zone, "" if it can.
  refusal(zone, mine) {
    if (isPoint(zone) && this.holder(zone) === !mine) return "Both sides cannot stand on one point.";
    return "";
  }

  // Put a checker from the tray into a zone; the answer says why not.
  place(zone, mine) {
    if (isTray(zone)) return "Drag a checker from the tray onto the board.";
    const counts = this[side(mine)];
    const refused = this.refusal(zone, mine);
    if (refused) return refused;
    if (!counts[OFF]) return `All ${this.checkers} checkers of this side are on the board already.`;
    counts[OFF]--;
    counts[indexOf(zone, mine)]++;
    return "";
  }

  remove(zone) {
    const mine = this.holder(zone);
    if (mine === null || isTray(zone)) return "There is no checker to take away here.";
    this[side(mine)][indexOf(zone, mine)]--;
    this[side(mine)][OFF]++;
    return "";
  }

  // Move a checker from one zone to another; null or a tray takes it off the board.
  move(from, to) {
    const mine = this.holder(from);
    if (mine === null) return "There is no checker to move here.";
    const target = to === null || isTray(to) ? OFF : isPoint(to) ? indexOf(to, mine) : BAR;
    const refused = target === OFF || target === BAR ? "" : this.refusal(to, mine);
    if (refused) return refused;
    this[side(mine)][indexOf(from, mine)]--;
    this[side(mine)][target]++;
    return "";
  }

  clear() {
    for (const counts of [this.me, this.opp]) counts.fill(0).fill(this.checkers, 0, 1);
  }

  setStart() {
    this.clear();
    const places = this.checkers === 3 ? { 24: 1, 23: 1, 22: 1 } : START;
    for (const counts of [this.me, this.opp]) {
      for (const [place, count] of Object.entries(places)) {
        counts[place] = count;
        counts[OFF] -= count;
      }
    }
  }

  // The other side is on roll: what is mine becomes the opponent's.
  turnSides() {
    [this.me, this.opp] = [this.opp, this.me];
    this.owner = 0 - this.owner;
    this.score.reverse();
  }

  message() {
    const { me, opp, dice, cube, owner, score, length } = this;
    return { kind: "edit", me, opp, dice, cube, owner, score, length, crawford: this.crawford && this.mayBeCrawford };
  }
}
