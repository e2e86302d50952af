"""The board in a browser: what Python sets, how fast it shows, and that the page does not grow."""

from __future__ import annotations

from typing import Any

from bglab import Position, Situation
from tests.browser import Bench, agree
from tests.samples import realistic

START = Position.start()


def test_views_of_one_board_stay_in_step(show):
    bench = show(START, (3, 1))
    bench.page.evaluate("void bench.add()")
    bench.click(8)
    texts = bench.page.locator(".bglab-status").all_inner_texts()
    assert texts == ["8/5: 1 to play."] * 2
    labels = "nodes => nodes.map(node => node.getAttribute('aria-label'))"
    first, second = (
        bench.page.locator(".bglab-board").nth(k).locator("[data-zone]").evaluate_all(labels) for k in (0, 1)
    )
    assert first == second
    before = bench.page.evaluate("bench.listeners()")
    bench.page.evaluate("bench.remove()")
    assert bench.page.locator(".bglab-board").count() == 1
    assert bench.page.evaluate("bench.listeners()") == before / 2


def test_settings_patch_the_picture(show):
    """No node is made or thrown away, and the focus stays."""
    bench = show(START, (3, 1))
    bench.page.locator('[data-zone="8"]').focus()
    bench.page.evaluate(
        """() => {
            window.changes = 0;
            new MutationObserver((all) => { window.changes += all.length; })
                .observe(document.querySelector(".bglab-picture"), { childList: true, subtree: false });
            window.nodes = [...document.querySelectorAll(".bglab-picture *")];
        }"""
    )
    for position in realistic(5, seed=4):
        bench.board.position = position
        bench.push()
    same = "() => window.changes === 0 && window.nodes.every((node) => node.isConnected)"
    assert bench.page.evaluate(same)
    assert bench.page.evaluate("document.activeElement.dataset.zone") == "8"


GHOST = ".bglab-picture > circle[data-ui]"


def pushed(bench: Bench, *states: dict[str, Any]) -> tuple[bool, bool]:
    """Give the page these states, one at once after the other: does a checker glide then, and is the view flipped?"""
    return tuple(
        bench.page.evaluate(
            f"""states => {{
                states.forEach(bench.push);
                const hit = (zone) => document.querySelector(`[data-zone="${{zone}}"] .bglab-hit`);
                const top = (zone) => Number(hit(zone).getAttribute("y"));
                return [!document.querySelector("{GHOST}").hasAttribute("display"), top(1) < top(24)];
            }}""",
            states,
        )
    )


def test_python_plays_slowly_enough_to_follow(show):
    bench = show(START, (3, 1), reduced_motion="no-preference")
    bench.board.play("13/9")
    assert pushed(bench, bench.state) == (True, False)
    bench.page.wait_for_function(f"() => document.querySelector('{GHOST}').hasAttribute('display')")
    agree(bench)


def test_a_play_is_not_cut_short_by_what_python_sets_next(show):
    bench = show(START, (6, 5), reduced_motion="no-preference")
    bench.board.play("24/13")
    play = bench.state
    bench.board.situation, bench.board.flip = Situation(START.flip(), (2, 1)), True
    assert pushed(bench, play, bench.state) == (True, False)
    bench.says("2-1: 2 to play.")
    assert pushed(bench) == (False, True)
    agree(bench)


def test_a_play_is_cut_short_by_the_user(show):
    bench = show(START, (6, 5), reduced_motion="no-preference")
    bench.board.play("24/13")
    play = bench.state
    bench.board.situation = Situation(START, (3, 1))
    assert pushed(bench, play, bench.state) == (True, False)
    bench.click(8)
    assert bench.status == "8/5: 1 to play."


def test_nothing_moves_if_the_board_was_set_again(show):
    bench = show(START, (6, 5), reduced_motion="no-preference")
    bench.board.play("24/13")
    bench.board.position = START
    assert pushed(bench, bench.state) == (False, False)
    agree(bench)


def test_a_hundred_positions_leave_the_page_as_it_was(show):
    bench = show(START, (3, 1))
    session = bench.page.context.new_cdp_session(bench.page)
    session.send("Performance.enable")
    session.send("HeapProfiler.enable")

    def measured() -> dict[str, float]:
        # What one collection leaves may go with the next: the least of several is what is held.
        found = []
        for _ in range(5):
            session.send("HeapProfiler.collectGarbage")
            found.append(
                {item["name"]: item["value"] for item in session.send("Performance.getMetrics")["metrics"]}
            )
        return {name: min(values[name] for values in found) for name in found[0]}

    def redraw(positions: list[Position]) -> None:
        for position in positions:
            bench.board.position = position
            bench.push()

    positions = realistic(120, seed=1)
    redraw(positions[:20])
    before = measured()
    redraw(
        [*positions[20:], positions[19]]
    )  # the last is the same, since numbers on tall stacks are nodes too
    after = measured()
    print({name: (before[name], after[name]) for name in ("Nodes", "JSEventListeners", "JSHeapUsedSize")})
    assert after["Nodes"] <= before["Nodes"]
    assert after["JSEventListeners"] <= before["JSEventListeners"]
    assert after["JSHeapUsedSize"] < before["JSHeapUsedSize"] + 200_000


def test_a_click_shows_at_once(show):
    """What a click changes is in the page when its handlers have run, so the next frame shows it."""
    bench = show(START, (3, 1))
    took = bench.page.evaluate(
        """() => new Promise((resolve) => {
            const zone = document.querySelector('[data-zone="8"]');
            const { x, y, width, height } = zone.getBoundingClientRect();
            const at = { clientX: x + width / 2, clientY: y + height / 2, pointerId: 1, button: 0, bubbles: true };
            const svg = document.querySelector(".bglab-picture");
            svg.setPointerCapture = () => {};
            requestAnimationFrame(() => {
                const began = performance.now();
                zone.dispatchEvent(new PointerEvent("pointerdown", at));
                zone.dispatchEvent(new PointerEvent("pointerup", at));
                const label = zone.getAttribute("aria-label"), handled = performance.now() - began;
                requestAnimationFrame(() => resolve({ label, handled, frame: performance.now() - began }));
            });
        })"""
    )
    print(took)
    assert took["label"] == "point 8, 2 checkers, yours"


def test_a_fault_is_shown_and_not_thrown(show):
    bench = show(START, (3, 1))
    bench.page.evaluate("bench.push({ _page: { number: 9, reply: ['', 0] } })")
    assert bench.status.startswith("The board has a fault:")
    bench.push()
    agree(bench)
