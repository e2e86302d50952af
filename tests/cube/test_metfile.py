"""Match equity tables from files of both kinds, and files that are refused in a sentence."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bglab.cube.match_equity import MatchEquity
from bglab.cube.metfile import load_met, save_met, shipped_tables
from bglab.errors import InputError
from tests.value.gnu import data_file

XML = """<?xml version="1.0"?>
<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">
<met>
  <info><name>Small</name><description>Made
    up</description><length>3</length></info>
  <pre-crawford-table type="explicit">
    <row><me>0.5</me><me>0.7</me><me>0.75</me></row>
    <row><me>0.3</me><me>0.5</me><me>0.6</me></row>
    <row><me>0.25</me><me>0.4</me><me>0.5</me></row>
  </pre-crawford-table>
  <post-crawford-table type="explicit" player="both"><row><me>0.5</me><me>0.48</me></row></post-crawford-table>
</met>
"""


def test_written_and_read(tmp_path):
    table = load_met()
    save_met(MatchEquity(table.pre, table.post, "Mine", "made up"), tmp_path / "mine.json")
    found = load_met(tmp_path / "mine.json")
    assert (found.pre == table.pre).all()
    assert (found.post == table.post).all()
    assert (found.name, found.origin) == ("Mine", "made up")
    assert shipped_tables() == ["Kazaross-XG2"]
    assert load_met("Kazaross-XG2") is table


def test_xml_of_gnu_backgammon(tmp_path):
    """A post-Crawford row may lack its last number, which no match can ask for."""
    path = tmp_path / "small.xml"
    path.write_text(XML)
    table = load_met(path)
    assert table.pre.tolist() == [[0.5, 0.7, 0.75], [0.3, 0.5, 0.6], [0.25, 0.4, 0.5]]
    assert table.post[:2].tolist() == [0.5, 0.48]
    assert (table.name, table.origin, table.length) == ("Small", "Made up", 3)


def test_the_shipped_table_is_gnu_backgammons():
    found, table = load_met(data_file("met/Kazaross-XG2.xml")), load_met()
    assert (found.pre == table.pre).all()
    assert (found.post == table.post).all()


def test_files_that_are_no_tables(tmp_path):
    kind = {"kind": "match equity table", "name": "Bad"}
    square = [[0.5, 0.7], [0.3, 0.5]]
    for name, text, fault in (
        ("a.json", "{", "cannot be read"),
        ("b.json", "[1, 2]", "no bglab match equity table"),
        ("c.json", json.dumps({"kind": "network"}), "no bglab match equity table"),
        ("d.json", json.dumps(kind), "give a square"),
        ("e.json", json.dumps(kind | {"pre_crawford": [["x"]], "post_crawford": [0.5]}), "no numbers"),
        (
            "f.json",
            json.dumps(kind | {"pre_crawford": [[0.5], [1, 2]], "post_crawford": [0.5]}),
            "no numbers",
        ),
        ("g.json", json.dumps(kind | {"pre_crawford": square, "post_crawford": []}), "give a square"),
        (
            "h.json",
            json.dumps(kind | {"pre_crawford": [[0.5, 0.7], [0.2, 0.5]], "post_crawford": [0.5]}),
            "sum",
        ),
        ("i.json", "[" * 100_000, "cannot be read"),
        ("a.xml", "<met>", "cannot be read"),
        ("b.xml", "<xml/>", "no match equity table of GNU"),
        ("c.xml", XML.replace('"explicit"', '"zadeh"'), "formula"),
        ("d.xml", XML.replace("0.48", "much"), "no numbers"),
        ("e.xml", XML.replace("<me>0.48</me>", "").replace("0.4<", "0.6<"), "give a square"),
        ("f.xml", XML.replace("0.4<", "0.5<"), "do not sum"),
        (
            "g.xml",
            XML.replace(
                "</met>",
                '<post-crawford-table player="1"><row><me>0.4</me></row></post-crawford-table></met>',
            ),
            "different strength",
        ),
    ):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(InputError, match=fault) as refused:
            load_met(path)
        assert "\n" not in str(refused.value)
        assert str(path) in str(refused.value)
    with pytest.raises(InputError, match="Kazaross-XG2"):
        load_met("unheard of")


@pytest.mark.parametrize("name", [None, 5, b"Kazaross-XG2"])
def test_what_is_no_name(name, unchecked):
    with pytest.raises(InputError, match=r"There is no match equity table .*: give the path of"):
        load_met(name)


def test_rounded_tables_are_read(tmp_path):
    """Two decimals leave sums of 0.99 to 1.01."""
    table = load_met()
    rounded = MatchEquity(np.round(table.pre, 2)[:12, :12], np.round(table.post, 2)[:12])
    save_met(rounded, tmp_path / "rounded.json")
    assert load_met(tmp_path / "rounded.json").length == 12
