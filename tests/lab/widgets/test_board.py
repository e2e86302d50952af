"""The board without a browser: traits, what the page's messages do, and what is stored."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat
import pytest
import traitlets
from nbclient import NotebookClient

import bglab
from bglab import InputError, Position, Situation, Turn, find_turn
from bglab.lab.execute import WIDGET, execute
from bglab.lab.widgets.board import Board
from bglab.lab.widgets.page import UNREACHABLE
from tests.samples import realistic
from tests.strategies import unchecked

START = Position.start()
MATCH = "XGID=-b----E-C---eE---c-e----B-:1:-1:1:31:2:4:0:7:10"
TOLD = {"client": "page", "sequence": 1}


def told(board: Board, **message: object) -> None:
    """A message of the page."""
    board._receive(board, {**TOLD, **message}, [])


def finish(board: Board, *path: tuple[int, int], number: int | None = None) -> None:
    told(
        board,
        kind="turn",
        number=board._page["number"] if number is None else number,
        path=[list(move) for move in path],
    )


def edit(board: Board, position: Position, **more: object) -> None:
    counts = {"me": [position.off[0], *position.me], "opp": [position.off[1], *position.opp]}
    told(board, **({"kind": "edit", "dice": None} | counts | more))


def watch(board: Board) -> list[tuple[str, str, object]]:
    """Every change that is told of, with the position and dice that held when it was."""
    heard = []
    names = ["situation", "position", "dice", "turn", "error"]
    board.observe(lambda change: heard.append((change["name"], board.position.id, board.dice)), names)
    board.on_move(lambda turn: heard.append(("on_move", board.position.id, board.dice)))
    board.on_edit(lambda situation: heard.append(("on_edit", board.position.id, board.dice)))
    return heard


@pytest.fixture
def board() -> Board:
    return Board(START, (3, 1))


def test_bglab_has_it():
    assert bglab.Board is Board
    with pytest.raises(AttributeError, match="no attribute 'Bord'"):
        bglab.Bord  # noqa: B018


def test_without_anywidget_it_says_what_to_install():
    code = (
        "import sys; sys.modules['anywidget'] = None\n"
        "import bglab\n"
        "try:\n    bglab.Board\nexcept bglab.InputError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "Board needs anywidget, which is not installed: pip install 'bglab[lab]'.\n"


@pytest.mark.parametrize("given", [START, START.id, Situation(START), None])
def test_what_it_shows(given):
    assert Board(given).situation == Situation(START)


def test_an_identifier_brings_dice_cube_and_score():
    board = Board(MATCH)
    assert (board.dice, board.situation.cube_value, board.situation.score) == ((3, 1), 2, (2, 4))
    assert board._page["ids"]["XGID"] == MATCH


def test_what_cannot_be_shown_is_refused():
    with unchecked():
        for wrong, fault in [("nonsense", "must have 14"), (31, "not int")]:
            with pytest.raises(InputError, match=fault):
                Board(wrong)
        for options, fault in [
            ({"mode": "look"}, "No mode"),
            ({"theme": "pink"}, "No theme"),
            ({"dice": (7, 1)}, "1 to 6"),
        ]:
            with pytest.raises(InputError, match=fault):
                Board(START, **options)


def test_setting_something_wrong_changes_nothing(board):
    before = board._page
    for name, value in [
        ("dice", (0, 1)),
        ("position", "nonsense"),
        ("situation", 5),
        ("mode", "x"),
        ("theme", "x"),
    ]:
        with pytest.raises(InputError):
            setattr(board, name, value)
    with pytest.raises(traitlets.TraitError):
        board.flip = "yes"
    assert board._page is before
    assert (board.position, board.dice, board.mode, board.theme) == (START, (3, 1), "play", "auto")


def test_state_cannot_be_edited_in_place(board):
    """W4."""
    board.dice = [4, 2]
    assert board.dice == (4, 2)
    with pytest.raises(TypeError):
        board.dice[0] = 6
    with pytest.raises(TypeError):
        board.position.me[0] = 2


def test_the_first_change_of_the_page_arrives(board):
    """W5."""
    finish(board, (8, 3), (6, 1))
    assert board.turn == find_turn(START, (3, 1), "8/5 6/5")
    assert board.position == board.turn.after


def test_the_last_of_several_settings_is_shown(board):
    """W6."""
    other = Position.of(me={6: 2}, opp={6: 2})
    board.position = START.flip()
    board.dice = (6, 5)
    board.position = other
    assert board._page["me"] == [13, *other.me]
    assert board._page["dice"] == [6, 5]
    assert board._page["tree"] is not None


@pytest.mark.parametrize("path", [[(8, 3)], [(24, 5), (6, 1)], [(8, 3), (6, 1), (6, 1)], [(30, 3)]])
def test_an_illegal_turn_is_refused_and_taken_back(board, path):
    """W7: the page hears of the position again, with a new number, and shows it."""
    heard, before = watch(board), board._page
    finish(board, *path)
    assert [name for name, *_ in heard] == ["error"]
    assert board.error
    after = board._page
    assert after["number"] == before["number"] + 1
    assert {**after, "number": 0, "error": "", "reply": 0} == {**before, "number": 0, "error": "", "reply": 0}
    finish(board, (8, 3), (6, 1))
    assert board.error == ""
    assert board.turn is not None


def test_one_turn_is_one_event_and_all_is_set_before_it(board):
    """W8 and W9."""
    heard = watch(board)
    finish(board, (8, 3), (6, 1))
    after = board.position.id
    assert after == find_turn(START, (3, 1), "8/5 6/5").after.id
    assert heard == [(name, after, None) for name in ("situation", "position", "dice", "turn", "on_move")]
    number = board._page["number"]
    finish(board, (8, 3), (6, 1), number=number - 1)  # a second click that came too late
    assert "changed meanwhile" in board.error
    assert [name for name, *_ in heard].count("on_move") == 1


def test_a_callback_may_set_the_board(board):
    """A player answers within the callback, whoever of the watchers comes first."""
    seen = []
    board.observe(lambda change: seen.append(board.dice), "dice")

    def answer(turn: Turn) -> None:
        board.situation = Situation(turn.after.flip(), dice=(6, 5))

    board.on_move(answer)
    finish(board, (8, 3), (6, 1))
    assert seen == [None, (6, 5)]
    assert board.position == find_turn(START, (3, 1), "8/5 6/5").after.flip()
    assert board._page["dice"] == [6, 5]
    assert board.turn is None


def test_an_observer_may_set_the_board(board):
    board.observe(lambda change: setattr(board, "dice", (2, 2)) if board.dice is None else None, "position")
    finish(board, (8, 3), (6, 1))
    assert board.dice == (2, 2)
    assert board.situation.dice == (2, 2)
    assert board._page["dice"] == [2, 2]
    assert board.position == find_turn(START, (3, 1), "8/5 6/5").after


def test_a_callback_that_fails_does_not_stop_the_board(board, caplog):
    heard = []
    board.on_move(lambda turn: 1 / 0)
    board.on_move(heard.append)
    finish(board, (8, 3), (6, 1))
    assert [turn.play for turn in heard] == ["8/5 6/5"]


def test_a_callback_can_be_removed(board):
    heard = []
    board.on_move(heard.append)
    board.on_move(heard.append, remove=True)
    finish(board, (8, 3), (6, 1))
    assert heard == []


def test_a_roll_without_a_play_is_finished():
    shut = Position.of(me={"bar": 1, 6: 2}, opp=dict.fromkeys(range(1, 7), 2))
    board = Board(shut, (6, 5))
    finish(board)
    assert board.turn is not None
    assert board.turn.play == "(no play)"
    assert (board.position, board.dice) == (shut, None)


def test_editing(board):
    heard = watch(board)
    other = Position.of(me={6: 2, "bar": 1}, opp={6: 3})
    edit(board, other)
    assert "switch to edit mode" in board.error
    assert board.position == START
    heard.clear()
    board.mode = "edit"
    assert board._page["tree"] is None
    heard.clear()
    edit(board, other, dice=[2, 1], cube=4, owner=-1, score=[3, 5], length=7)
    assert board.situation == Situation(other, (2, 1), 4, -1, (3, 5), 7)
    assert [name for name, *_ in heard] == ["situation", "position", "dice", "on_edit"]
    board.mode = "play"
    assert board._page["tree"] is not None


def test_an_edit_keeps_what_it_does_not_touch():
    crawford = Situation(START, score=(6, 3), length=7, crawford=True, bottom=False)
    board = Board(crawford, mode="edit")
    edit(board, START.flip(), score=[3, 6], turned=True)
    assert board.situation == Situation(START, score=(3, 6), length=7, crawford=True)
    edit(board, START, score=[6, 6])
    assert board.situation == Situation(START, score=(6, 6), length=7)
    board.situation = crawford
    edit(board, START, length=9)
    assert not board.situation.crawford
    board.situation = Situation(START, jacoby=True, beavers=True)
    edit(board, START, length=5)
    assert (board.situation.length, board.situation.jacoby) == (5, False)


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ({"me": [0, *[1] * 25]}, "25 checkers on the board"),
        ({"me": [0] * 26, "opp": [0] * 26}, "at least one"),
        ({"me": None}, "cannot be read"),
        ({"dice": [7, 1]}, "from 1 to 6"),
        ({"dice": 7}, "cannot be read"),
        ({"cube": 3}, "power of two"),
        ({"score": [9, 0], "length": 7}, "is over"),
        ({"score": 5}, "cannot be read"),
    ],
)
def test_edits_are_checked(message, fault):
    board = Board(START, mode="edit")
    edit(board, START, **message)
    assert fault in board.error
    assert board._page["error"] == board.error
    assert board.situation == Situation(START)


def test_messages_that_make_no_sense_do_nothing(board):
    for message in (None, 3, "turn", {}, {"kind": "fly"}, {"kind": ["turn"]}):
        board._receive(board, message, [])
    assert board._page["number"] == 0
    for path in (None, 5, [5], [[1, 2, 3]], [["8", 3]], [[8.0, 3]]):
        told(board, kind="turn", number=board._page["number"], path=path)
        assert "cannot be read" in board.error
    assert board.position == START


def test_a_warning_is_no_refusal():
    assert Board(START)._page["warning"] == ""
    stuck = Position.of(
        me={"bar": 2, **dict.fromkeys(range(1, 7), 2)}, opp={"bar": 2, **dict.fromkeys(range(1, 7), 2)}
    )
    assert Board(stuck)._page["warning"] == UNREACHABLE
    assert Board(Position.of(me={}, opp={1: 1}), (3, 1))._page["warning"] == "The game is over."


def test_no_position_of_a_game_has_a_warning():
    assert {Board(position)._page["warning"] for position in realistic(300, seed=3)} == {""}


def test_arrows(board):
    turn = find_turn(START, (3, 1), "8/5 6/5")
    for given in (turn, "8/5 6/5"):
        board.show(given)
        assert board._arrows == {"moves": [[8, 5], [6, 5]], "text": "8/5 6/5"}
    assert "Play 8/5 6/5." in board.svg()
    board.show(None)
    assert board._arrows["moves"] == []
    board.show(turn)
    board.dice = (6, 1)  # another question: they go
    assert board._arrows["moves"] == []
    with pytest.raises(InputError, match="another position"):
        board.show(find_turn(turn.after, (3, 1), "8/5 6/5"))
    with pytest.raises(InputError, match="needs a roll"):
        Board(START).show("8/5")


def test_python_plays_a_turn(board):
    heard = watch(board)
    board.play("8/5 6/5")
    assert board._page["animate"] == [[8, 5], [6, 5]]
    assert [name for name, *_ in heard] == ["situation", "position", "dice", "turn"]
    board.dice = (2, 1)
    assert board._page["animate"] == []


def test_the_picture_shows_cube_score_and_sides():
    board = Board(MATCH, flip=True, swap=True, theme="dark")
    drawn = board.svg()
    assert "On roll · 167 pips · 2 of 7" in drawn
    assert "On roll, yellow, moving to the top right" in drawn
    assert "Opponent, blue" in drawn
    assert "Cube 2, owned by the opponent. Score 2-4, match to 7." in drawn
    assert ">2</text>" in drawn
    assert board.svg(theme="light") != drawn
    with pytest.raises(InputError, match="No theme"):
        board.svg(theme="pink")


def test_texts(board):
    """W1 and W2."""
    assert str(board).startswith(" O: 167 pips, 0 off\n")
    assert "Dice 3-1." in str(board)
    assert "<svg" not in str(board)
    assert repr(board) == "<Board 4HPwATDgc/ABMA 3-1>"
    assert board._repr_svg_().startswith("<svg")
    bundle = board._repr_mimebundle_()
    assert bundle["text/plain"] == str(board)
    assert '<img src="data:image/svg+xml;base64,' in bundle["text/html"]
    assert bundle[WIDGET]["model_id"] == board.model_id


@pytest.fixture
def notebook(tmp_path, monkeypatch, root):
    """A notebook that shows a board and then plays on it, as a plain client stores it."""
    cells = [
        "import bglab\nboard = bglab.Board('4HPwATDgc/ABMA', dice=(3, 1))\nboard",
        "board.play('8/5 6/5')\nprint(board.position.id)",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    path = tmp_path / "board.ipynb"
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")]))
    nbformat.write(made, path)
    return path


def test_a_plain_client_stores_the_picture(notebook):
    stored = nbformat.read(notebook, as_version=4)
    NotebookClient(stored, kernel_name="python3", timeout=120, store_widget_state=False).execute()
    saved, view = stored.cells[0].outputs
    assert "<svg" in saved["data"]["image/svg+xml"]
    assert '<img src="data:image/svg+xml;base64,' in saved["data"]["text/html"]
    # The picture is the one after the play, which came later.
    assert "Position ID 4HPwATCwZ/ABMA" in saved["data"]["text/plain"]
    assert WIDGET not in saved["data"]
    assert list(view["data"]) == [WIDGET]


def test_a_committed_notebook_has_only_the_picture(notebook):
    stored = execute(notebook)
    (saved,) = stored.cells[0].outputs
    assert "text/plain" in saved["data"]
    assert WIDGET not in saved["data"]
