// What one brain thinks of a situation: outcomes, cube, turns, rolls. Python holds the state (`shown`); the page only
// draws it and tells what is pointed at: {show: row | null}, {choose: row}, {roll: [high, low]}.

const SEGMENTS = ["win backgammon", "win gammon", "win", "lose", "lose gammon", "lose backgammon"];
const ORDER = [2, 1, 0, 3, 4, 5]; // of SEGMENTS in the outcomes
const SHORT = 12; // rows before "show all"

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Figures that come in replace what is under the pointer, so that a click might never be completed.
function onPress(target, act) {
  target.addEventListener("pointerdown", (event) => {
    if (event.button === 0) act();
  });
}

const percent = (chance) => (100 * chance).toFixed(1);
function signed(value, digits) {
  const figure = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(figure) ? "−" : "+") + figure;
}

function inWords(outcomes) {
  const [w, g, b, l, lg, lb] = outcomes;
  return (
    `wins ${percent(w + g + b)} % (gammon ${percent(g + b)}, backgammon ${percent(b)}), ` +
    `loses ${percent(l + lg + lb)} % (gammon ${percent(lg + lb)}, backgammon ${percent(lb)})`
  );
}

function bar(outcomes, label) {
  const parts = ORDER.map((k, n) =>
    element("span", { class: `bg-part bg-part-${n}`, style: `width:${100 * outcomes[k]}%`, title: `${SEGMENTS[n]} ${percent(outcomes[k])} %` }),
  );
  return element("div", { class: "bg-outcomes", role: "img", "aria-label": label }, ...parts);
}

function drawPosition(shown) {
  const box = element("div", { class: "bg-position" });
  if (shown.worth !== null) {
    const line = element("div", { class: "bg-line" });
    line.append(element("b", {}, signed(shown.worth, shown.digits)), ` ${shown.unit}${shown.at}, before the roll`);
    if (shown.outcomes) line.append(`; ${inWords(shown.outcomes)}`);
    box.append(line);
  }
  if (shown.outcomes) box.append(bar(shown.outcomes, inWords(shown.outcomes)));
  if (shown.cube) box.append(element("div", { class: "bg-line" }, "Cube: ", element("b", {}, shown.cube[0]), shown.cube[1]));
  else if (shown.noCube) box.append(element("div", { class: "bg-line" }, `Cube: none (${shown.noCube})`));
  return box;
}

function turnRow(turn, index, shown, send) {
  const loss = turn.loss === null || index === 0 ? "" : signed(-turn.loss, shown.digits);
  const marks = turn.marks.length ? element("span", { class: "bg-mark", title: `the best for ${turn.marks.join(", ")}` }, "≠ ", turn.marks.join(", ")) : "";
  const cells = [
    element("td", { class: "bg-number" }, String(index + 1)),
    element("td", { class: "bg-play" }, element("span", {}, turn.play), " ", marks),
    element("td", { class: "bg-number" }, signed(turn.worth, shown.digits)),
    element("td", { class: "bg-number" }, loss),
    element("td", { class: "bg-number bg-quiet", title: turn.by }, turn.ply),
  ];
  if (shown.hasOutcomes) {
    cells.push(element("td", { class: "bg-number" }, percent(turn.outcomes[0] + turn.outcomes[1] + turn.outcomes[2])));
    cells.push(element("td", { class: "bg-bar" }, bar(turn.outcomes, inWords(turn.outcomes))));
  }
  const row = element("tr", { tabindex: "0", class: turn.deep ? "" : "bg-shallow", "aria-label": `${turn.play}, ${signed(turn.worth, shown.digits)}` }, ...cells);
  const show = () => send({ show: index });
  const leave = () => send({ show: null });
  row.addEventListener("mouseenter", show);
  row.addEventListener("focus", show);
  row.addEventListener("mouseleave", leave);
  row.addEventListener("blur", leave);
  onPress(row, () => send({ choose: index }));
  row.addEventListener("keydown", (event) => {
    const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (next) next.focus();
    else if (event.key === "Enter" || event.key === " ") send({ choose: index });
    else return;
    event.preventDefault();
  });
  return row;
}

function drawTurns(shown, state, send) {
  if (!shown.turns) return "";
  if (!shown.turns.length) return element("div", { class: "bg-line" }, "No legal move.");
  const heads = ["", "play", shown.unit, "loss", "ply"].concat(shown.hasOutcomes ? ["win %", "wins, loses"] : []);
  const head = element("thead", {}, element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text))));
  const kept = state.all ? shown.turns : shown.turns.slice(0, SHORT);
  const body = element("tbody", {}, ...kept.map((turn, k) => turnRow(turn, k, shown, send)));
  const table = element("table", { class: "bg-turns" }, head, body);
  const rest = shown.turns.length - kept.length;
  if (!rest) return element("div", { class: "bg-scroll" }, table);
  const more = element("button", { class: "bg-more", type: "button" }, `${rest} more`);
  more.addEventListener("click", () => {
    state.all = true;
    state.draw();
  });
  return element("div", { class: "bg-scroll" }, table, more);
}

// Blue is better than the average roll, orange is worse; lightness follows too.
function heat(worth, mean, spread) {
  const t = Math.max(-1, Math.min(1, (worth - mean) / (spread || 1)));
  const [hue, strength] = t >= 0 ? ["33, 102, 172", t] : ["217, 119, 6", -t];
  return `background: rgba(${hue}, ${(0.08 + 0.62 * strength).toFixed(3)})`;
}

function drawRolls(shown, send) {
  if (!shown.rolls) return "";
  const total = shown.rolls.reduce((sum, roll) => sum + roll.weight, 0);
  const mean = shown.rolls.reduce((sum, roll) => sum + roll.weight * roll.worth, 0) / total;
  const spread = Math.max(...shown.rolls.map((roll) => Math.abs(roll.worth - mean)));
  const [low, high] = (shown.dice ?? []).toSorted();
  // Tab goes through them as they stand.
  const inOrder = shown.rolls.toSorted((a, b) => a.high - b.high || a.low - b.low);
  const cells = inOrder.map((roll) => {
    const label = `${roll.high}-${roll.low}: ${signed(roll.worth, shown.digits)} with the best play`;
    const here = high === roll.high && low === roll.low;
    const cell = element(
      "button",
      {
        type: "button",
        class: here ? "bg-roll bg-here" : "bg-roll",
        style: `grid-row:${roll.high};grid-column:${roll.low};${heat(roll.worth, mean, spread)}`,
        title: label,
        "aria-label": label,
      },
      element("small", {}, `${roll.high}${roll.low}`),
      signed(roll.worth, Math.min(2, shown.digits)),
    );
    onPress(cell, () => send({ roll: [roll.high, roll.low] }));
    cell.addEventListener("click", (event) => {
      if (event.detail === 0) send({ roll: [roll.high, roll.low] }); // from the keyboard
    });
    return cell;
  });
  const caption = element("div", { class: "bg-caption" }, `best ${shown.unit}${shown.at} of every roll; average ${signed(mean, shown.digits)}; click to play a roll`);
  return element("div", {}, element("div", { class: "bg-rolls", role: "group", "aria-label": "the 21 rolls" }, ...cells), caption);
}

function render({ model, el }) {
  const state = { all: false, unheard: "", draw: () => {} };
  const send = (message) => {
    try {
      model.send(message);
    } catch {
      if (state.unheard) return; // drawn, which is told of the pointer again
      state.unheard = "Python does not hear this: run the cell again.";
      state.draw();
    }
  };
  const box = element("div", { class: "bg-opinion" });
  el.replaceChildren(box);
  state.draw = () => {
    const shown = model.get("shown");
    // The row that has the focus keeps it while figures come in.
    const rows = [...box.querySelectorAll("tbody tr")];
    const focused = rows.indexOf(document.activeElement);
    box.replaceChildren();
    const error = state.unheard || shown.error;
    if (error) box.append(element("div", { class: "bg-error", role: "alert" }, error));
    if (!shown.ready) return;
    box.append(drawPosition(shown), drawTurns(shown, state, send), drawRolls(shown, send));
    if (focused >= 0) box.querySelectorAll("tbody tr")[focused]?.focus({ preventScroll: true });
  };
  const pale = () => {
    box.classList.toggle("bg-stale", model.get("stale"));
    box.setAttribute("aria-busy", String(model.get("stale")));
  };
  state.draw();
  pale();
  model.on("change:shown", state.draw);
  model.on("change:stale", pale);
  return () => {
    model.off("change:shown", state.draw);
    model.off("change:stale", pale);
  };
}

export default { render };
