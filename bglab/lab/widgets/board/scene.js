// The picture. Its nodes are made once; `paint` changes the attributes that differ, so nothing flickers, focus stays where
// it is and the page does not grow.

const SVG = "http://www.w3.org/2000/svg";
const FONT = "system-ui,Segoe UI,Helvetica,Arial,sans-serif";
const ARROWS = 4;

function make(tag, parent, attributes = {}) {
  const node = parent.appendChild(document.createElementNS(SVG, tag));
  set(node, attributes);
  return node;
}

// Set the attributes (and the `text`) that are not as wanted yet; null removes one.
function set(node, attributes) {
  const known = (node.bglab ??= {});
  for (const [name, value] of Object.entries(attributes)) {
    if (known[name] === value) continue;
    known[name] = value;
    if (name === "text") node.textContent = value;
    else if (value === null) node.removeAttribute(name);
    else node.setAttribute(name, value);
  }
}

// A part of the picture that can have the focus. JupyterLab, where it sees keys before anybody else, leaves it its own.
const FOCUSABLE = { role: "button", "data-lm-suppress-shortcuts": "true" };

const shown = (yes) => (yes ? null : "none");

function setText(node, x, y, size, attributes) {
  set(node, { x, y: y + 0.35 * size, "font-size": size, ...attributes });
}

const count = (number) => `${number} checker${number === 1 ? "" : "s"}`;

// What a screen reader says of a zone.
function zoneLabel(zone, me, opp) {
  const mine = me[indexOf(zone, true)], theirs = opp[indexOf(zone, false)];
  if (zone === BAR || zone === THEIR_BAR) {
    const here = zone === BAR ? mine : theirs;
    return `${zone === BAR ? "your" : "the opponent's"} bar, ${here ? count(here) : "empty"}`;
  }
  if (isTray(zone)) return zone === OFF ? `your tray, ${count(mine)} off` : `the opponent's tray, ${count(theirs)} off`;
  if (mine) return `point ${zone}, ${count(mine)}, yours`;
  return theirs ? `point ${zone}, ${count(theirs)}, the opponent's` : `point ${zone}, empty`;
}

class Scene {
  constructor(parent) {
    this.svg = make("svg", parent, {
      viewBox: `${-COLUMN} 0 ${WIDTH + COLUMN} ${HEIGHT}`, role: "group", "font-family": FONT,
      "aria-label": "Backgammon board", class: "bglab-picture",
    });
    const rect = (x, y, width, height, rx) => make("rect", this.svg, { x, y, width, height, rx: rx ?? null });
    this.page = rect(-COLUMN, 0, WIDTH + COLUMN, HEIGHT, 8);
    this.frame = rect(-COLUMN, 26, WIDTH + COLUMN, 450, 8);
    this.felts = [[LEFT, 6 * CELL], [RIGHT, 6 * CELL], [TRAY_LEFT, EDGE - TRAY_LEFT]].map(([x, width]) =>
      rect(x, TOP, width, BOTTOM - TOP));
    this.divider = make("path", this.svg, { d: `M${TRAY_LEFT} ${MIDDLE}H${EDGE}`, "stroke-width": 6 });
    this.zones = ZONES.map((zone) => this.makeZone(zone));
    this.sides = [true, false].map(() => ({
      disc: make("circle", this.svg, { cx: LEFT + 7, r: 6.5 }),
      who: make("text", this.svg, { "text-anchor": "start" }),
      note: make("text", this.svg, { "text-anchor": "end" }),
    }));
    this.arrows = Array.from({ length: ARROWS }, () => this.makeArrow());
    this.makeDice();
    this.cube = make("g", this.svg);
    this.cubeBox = make("rect", this.cube, { x: CUBE_X - 17, width: 34, height: 34, rx: 5, "stroke-width": 1.5 });
    this.cubeFace = make("text", this.cube, { "text-anchor": "middle", "font-weight": 700 });
    this.ghost = make("circle", this.svg, { r: RADIUS + 0.5, "stroke-width": 2, "data-ui": "", "pointer-events": "none" });
  }

  makeZone(zone) {
    const group = make("g", this.svg, { class: "bglab-zone", "data-zone": zone, tabindex: -1, ...FOCUSABLE });
    const parts = { group };
    if (isPoint(zone)) {
      parts.triangle = make("path", group);
      parts.number = make("text", group, { "text-anchor": "middle", text: String(zone), "aria-hidden": "true" });
    }
    const tray = isTray(zone);
    const size = { x: TRAY_LEFT + 4, width: EDGE - TRAY_LEFT - 8, height: 8, rx: 2 };
    parts.checkers = Array.from({ length: tray ? 15 : ROWS }, () =>
      tray ? make("rect", group, size) : make("circle", group, { r: RADIUS - 0.75, "stroke-width": 1.5 }));
    parts.count = make("text", group, { "text-anchor": "middle", "font-weight": tray ? null : 700, "aria-hidden": "true" });
    parts.mark = make("circle", group, { r: 7, "data-ui": "", "stroke-width": 2.5 });
    parts.hit = make("rect", group, { class: "bglab-hit", fill: "transparent", rx: 4, "data-ui": "" });
    return parts;
  }

  makeArrow() {
    const group = make("g", this.svg, { "pointer-events": "none" });
    return {
      group,
      ring: make("circle", group, { r: RADIUS - 1.25, fill: "none", "stroke-width": 2.5, "stroke-dasharray": "4 3" }),
      halo: make("path", group, { fill: "none", "stroke-width": 7, "stroke-linecap": "round" }),
      headHalo: make("path", group, { "stroke-width": 4, "stroke-linejoin": "round" }),
      head: make("path", group),
      shaft: make("path", group, { fill: "none", "stroke-width": 3.5, "stroke-linecap": "round" }),
    };
  }

  makeDice() {
    this.dice = make("g", this.svg, { class: "bglab-dice", tabindex: 0, ...FOCUSABLE });
    this.faces = DICE_X.map((x) => {
      const group = make("g", this.dice);
      const box = make("rect", group, { x: x - 17, y: MIDDLE - 17, width: 34, height: 34, rx: 6, "stroke-width": 1.5 });
      return { group, box, pips: Array.from({ length: 6 }, () => make("circle", group, { r: 3.4 })) };
    });
    this.diceRing = make("rect", this.dice, {
      class: "bglab-hit", fill: "transparent", rx: 9, "data-ui": "",
      x: DICE_X[0] - 23, y: MIDDLE - 23, width: DICE_X[1] - DICE_X[0] + 46, height: 46,
    });
  }

  // Show a look: counts, dice, cube and so on as `View.look` gives them.
  paint(look) {
    const { colours } = look;
    set(this.page, { fill: colours.page });
    set(this.frame, { fill: colours.frame });
    for (const felt of this.felts) set(felt, { fill: colours.felt });
    set(this.divider, { stroke: colours.frame });
    ZONES.forEach((zone) => this.paintZone(zone, look));
    this.paintLabels(look);
    this.arrows.forEach((arrow, k) => this.paintArrow(arrow, look.arrows[k], colours));
    this.paintDice(look);
    this.paintCube(look);
    const ghost = look.ghost && (look.ghost.mine ? colours.me : colours.opp);
    set(this.ghost, { display: shown(ghost), fill: ghost?.[0] ?? null, stroke: ghost?.[1] ?? null });
    if (ghost) set(this.ghost, { cx: look.ghost.x, cy: look.ghost.y });
  }

  paintZone(zone, look) {
    const { me, opp, flip, colours } = look, parts = this.zones[zone];
    const mine = isPoint(zone) ? me[zone] > 0 : ownsZone(zone, true);
    const here = (mine ? me : opp)[indexOf(zone, mine)];
    const side = mine ? colours.me : colours.opp;
    const [x, y] = spot(zone, 0, flip);
    const low = y > MIDDLE;
    if (parts.triangle) {
      const [base, tip] = low ? [BOTTOM, BOTTOM - TRIANGLE] : [TOP, TOP + TRIANGLE];
      set(parts.triangle, { d: `M${x - 19} ${base}h38L${x} ${tip}z`, fill: colours.points[zone % 2] });
      setText(parts.number, x, base + (low ? 10 : -10), 13, { fill: colours.frame_ink });
    }
    parts.checkers.forEach((node, slot) => {
      const place = isTray(zone)
        ? { y: (low ? BOTTOM - 6 - 10 * slot : TOP + 6 + 10 * slot) - 4 }
        : { cx: x, cy: spot(zone, slot, flip)[1] };
      set(node, { display: shown(slot < here), fill: side[0], stroke: side[1], ...place });
    });
    if (isTray(zone)) setText(parts.count, x, low ? MIDDLE + 22 : MIDDLE - 22, 13, { text: `${here} off`, fill: colours.ink });
    else {
      const text = here > ROWS ? String(here) : "";
      setText(parts.count, x, spot(zone, ROWS - 1, flip)[1], 17, { text, fill: side[2], display: shown(text) });
    }
    this.paintMark(zone, look, mine ? here : 0);
    const [left, top, width, height] = zoneBox(zone, flip);
    set(parts.hit, { x: left + 1, y: top + 1, width: width - 2, height: height - 2 });
    set(parts.group, {
      "aria-label": zoneLabel(zone, me, opp), tabindex: zone === look.cursor ? 0 : -1,
      class: look.movable.has(zone) ? "bglab-zone bglab-movable" : "bglab-zone",
    });
  }

  // Where a checker can go: a full dot for one die, a ring for several.
  paintMark(zone, { marks, flip, colours }, slot) {
    const mark = this.zones[zone].mark, dice = marks.get(zone);
    set(mark, { display: shown(dice) });
    if (!dice) return;
    const [cx, cy] = spot(zone, slot, flip);
    set(mark, { cx, cy, fill: dice === 1 ? colours.arrow : colours.felt, stroke: dice === 1 ? colours.felt : colours.arrow });
  }

  paintLabels({ pips, flip, colours, score, note, id }) {
    [[this.sides[0], 489, colours.me, `On roll · ${pips[0]} pips${score[0]}`, note, 15],
     [this.sides[1], 13, colours.opp, `Opponent · ${pips[1]} pips${score[1]}`, id, 12],
    ].forEach(([parts, height, side, who, right, size]) => {
      const y = flipped(height, flip);
      set(parts.disc, { cy: y, fill: side[0], stroke: side[1] });
      setText(parts.who, LEFT + 21, y, 15, { text: who, fill: colours.ink });
      setText(parts.note, EDGE, y, size, { text: right, fill: colours.ink });
    });
  }

  paintArrow(parts, arrow, colours) {
    set(parts.group, { display: shown(arrow) });
    if (!arrow) return;
    const { shaft, head } = arrowPath(arrow.start, arrow.end);
    const [cx, cy] = arrow.end;
    set(parts.ring, { cx, cy, stroke: colours.arrow, display: shown(arrow.ring) });
    set(parts.halo, { d: shaft, stroke: colours.felt });
    set(parts.headHalo, { d: head, stroke: colours.felt, fill: colours.felt });
    set(parts.head, { d: head, fill: colours.arrow });
    set(parts.shaft, { d: shaft, stroke: colours.arrow });
  }

  paintDice({ dice, used, colours, diceLabel, ready }) {
    set(this.dice, { display: shown(dice), "aria-label": diceLabel, class: ready ? "bglab-dice bglab-ready" : "bglab-dice" });
    if (!dice) return;
    const [fill, edge, ink] = colours.me;
    set(this.diceRing, { stroke: ready ? colours.arrow : null, "stroke-width": ready ? 2.5 : null });
    this.faces.forEach(({ group, box, pips }, k) => {
      set(group, { opacity: used[k] ? 1 - 0.65 * used[k] : null });
      set(box, { fill, stroke: edge });
      pips.forEach((pip, n) => {
        const at = PIPS[dice[k]][n];
        set(pip, { display: shown(at), fill: ink });
        if (at) set(pip, { cx: DICE_X[k] + 9 * at[0], cy: MIDDLE + 9 * at[1] });
      });
    });
  }

  paintCube({ cube, owner, flip, colours }) {
    const y = flipped(owner === 0 ? MIDDLE : owner > 0 ? BOTTOM - 20 : TOP + 20, flip);
    const face = String(cube === 1 ? 64 : cube);
    set(this.cubeBox, { y: y - 17, fill: colours.frame_ink, stroke: colours.ink });
    setText(this.cubeFace, CUBE_X, y, cubeSize(face), { text: face, fill: colours.frame });
  }
}
