// Where things are. The same layout as bglab/rules/drawing.py and bglab/lab/widgets/picture.py: a test compares the two.
// A flip turns the picture upside down: y becomes HEIGHT - y.

const WIDTH = 612, HEIGHT = 502, CELL = 40, RADIUS = 17.5, ROWS = 5;
const TOP = 46, MIDDLE = 251, BOTTOM = 456, TRIANGLE = 168;
const LEFT = 14, BAR_LEFT = 254, RIGHT = 300, TRAY_LEFT = 552, EDGE = 598, BAR_X = 277, TRAY_X = 575;
const COLUMN = 46, CUBE_X = -17;
const DICE_X = [398, 442];

// Zones are what can be clicked or focused: points 1 to 24 in the numbering of the side on roll, and both bars and trays.
const OFF = 0, BAR = 25, THEIR_BAR = 26, THEIR_OFF = 27;
const ZONES = [...Array(28).keys()];

// The zones row by row as they lie on the screen, from the left, for the arrow keys; a flip exchanges the rows.
const UPPER = [13, 14, 15, 16, 17, 18, BAR, 19, 20, 21, 22, 23, 24, THEIR_OFF];
const LOWER = [12, 11, 10, 9, 8, 7, THEIR_BAR, 6, 5, 4, 3, 2, 1, OFF];

const isPoint = (zone) => zone >= 1 && zone <= 24;
const isTray = (zone) => zone === OFF || zone === THEIR_OFF;

// Whose bar or tray a zone is; points are anybody's.
const ownsZone = (zone, mine) => isPoint(zone) || (zone === OFF || zone === BAR) === mine;

// The index of a zone in a side's own counts: 0 off, 1 to 24, 25 bar.
function indexOf(zone, mine) {
  if (isPoint(zone)) return mine ? zone : 25 - zone;
  return isTray(zone) ? OFF : BAR;
}

// The zone of a side's own location.
function zoneOf(index, mine) {
  if (index === OFF) return mine ? OFF : THEIR_OFF;
  if (index === BAR) return mine ? BAR : THEIR_BAR;
  return mine ? index : 25 - index;
}

const flipped = (y, flip) => (flip ? HEIGHT - y : y);

// The middle of the slot-th checker (from 0) in a zone.
function spot(zone, slot, flip) {
  slot = Math.min(slot, ROWS - 1);
  if (!isPoint(zone)) {
    const mine = zone === OFF || zone === BAR;
    const height = isTray(zone) ? BOTTOM - 84 : MIDDLE - 26 - 2 * RADIUS * slot;
    return [isTray(zone) ? TRAY_X : BAR_X, flipped(mine ? height : HEIGHT - height, flip)];
  }
  const column = zone <= 12 ? zone - 1 : 24 - zone;
  const x = (column < 6 ? RIGHT : LEFT) + CELL * (5.5 - (column % 6));
  const depth = RADIUS + 1 + 2 * RADIUS * slot;
  return [x, flipped(zone <= 12 ? BOTTOM - depth : TOP + depth, flip)];
}

// The rectangle of a zone: x, y, width, height.
function zoneBox(zone, flip) {
  const half = MIDDLE - TOP;
  const [x, y] = spot(zone, 0, flip);
  const top = y < MIDDLE ? TOP : MIDDLE;
  if (isTray(zone)) return [TRAY_LEFT, top, EDGE - TRAY_LEFT, half];
  return isPoint(zone) ? [x - CELL / 2, top, CELL, half] : [BAR_LEFT, top, RIGHT - BAR_LEFT, half];
}

// The zone under a place of the picture, null outside of all.
function zoneAt(x, y, flip) {
  const inside = ([left, top, width, height]) => x >= left && x < left + width && y >= top && y < top + height;
  return ZONES.find((zone) => inside(zoneBox(zone, flip))) ?? null;
}

const onDice = (x, y) => Math.abs(y - MIDDLE) <= 22 && x >= DICE_X[0] - 22 && x <= DICE_X[1] + 22;

// An arrow from one spot to another, bowed towards the middle of the board when both are on one side of it.
function arrowPath([x0, y0], [x1, y1]) {
  const oneSide = y0 < MIDDLE === y1 < MIDDLE;
  const bow = oneSide ? Math.min(70, 0.3 * Math.hypot(x1 - x0, y1 - y0)) * (y0 < MIDDLE ? 1 : -1) : 0;
  const xc = (x0 + x1) / 2, yc = (y0 + y1) / 2 + bow;
  const length = Math.hypot(x1 - xc, y1 - yc) || 1;
  const ux = (x1 - xc) / length, uy = (y1 - yc) / length;
  const xn = x1 - 13 * ux, yn = y1 - 13 * uy;
  const say = (...numbers) => numbers.map((number) => number.toFixed(1)).join(" ");
  return {
    shaft: `M${say(x0, y0)}Q${say(xc, yc, xn, yn)}`,
    head: `M${say(x1, y1)}L${say(xn - 7.5 * uy, yn + 7.5 * ux)}L${say(xn + 7.5 * uy, yn - 7.5 * ux)}z`,
  };
}

const CORNERS = [[-1, -1], [1, 1]], OTHERS = [[-1, 1], [1, -1]], SIDES = [[-1, 0], [1, 0]];
const PIPS = [
  [], [[0, 0]], CORNERS, [...CORNERS, [0, 0]], [...CORNERS, ...OTHERS],
  [...CORNERS, ...OTHERS, [0, 0]], [...CORNERS, ...OTHERS, ...SIDES],
];

const cubeSize = (face) => ({ 1: 19, 2: 17, 3: 14, 4: 12 })[face.length] ?? 10;
const pipCount = (counts) => counts.reduce((sum, count, place) => sum + place * count, 0);
