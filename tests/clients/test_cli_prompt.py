"""The prompt of `firn sql` in a terminal: typed, completed, recalled, paged, cancelled."""

import os
import stat

import pytest
from conftest import ADMIN_TOKEN, start, stop
from terminal import CTRL_C, CTRL_D, TAB, UP, Terminal, environment


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    server = start(tmp_path_factory.mktemp("prompt") / "data", FIRN_DEMO="true")
    yield server
    stop(server)


@pytest.fixture
def prompt(demo, tmp_path):
    """Begins a prompt; whatever is left of it is ended with the test."""
    begun = []

    def begin(*arguments, **variables):
        given = {"FIRN_URL": demo.url, "FIRN_TOKEN": ADMIN_TOKEN, **variables}
        terminal = Terminal(
            os.environ["FIRN_BINARY"],
            ["sql", "--database", "demo", "--schema", "public", *arguments],
            environment(tmp_path, **given),
            tmp_path,
        )
        begun.append(terminal)
        terminal.wait_for_prompt()
        return terminal

    yield begin
    for terminal in begun:
        terminal.kill()


def test_a_statement_is_answered(prompt):
    terminal = prompt()
    terminal.wait_for(":ACCOUNTADMIN DEMO.PUBLIC>")
    terminal.enter("select 40 + 2 as answer, null as nothing;")
    terminal.wait_for("1 row")
    assert "ANSWER  NOTHING" in terminal.text()
    assert "    42  NULL" in terminal.text()
    terminal.wait_for_prompt()
    terminal.enter("\\q")
    assert terminal.end() == 0


def test_a_statement_of_several_lines_is_one_entry_of_the_history(prompt, tmp_path):
    terminal = prompt()
    terminal.enter("select 'a;b'")
    terminal.wait_for("\n…")
    terminal.enter("  as first_line;")
    terminal.wait_for("1 row")
    terminal.wait_for_prompt()
    terminal.enter("select 2 as other;")
    terminal.wait_for("OTHER")
    terminal.wait_for_prompt()
    terminal.enter("alter user admin set comment = 'x' password = 'not to be kept';")
    terminal.wait_for("successfully")
    terminal.wait_for_prompt()
    terminal.type(CTRL_D)
    assert terminal.end() == 0
    kept = tmp_path / ".local/state/firn/history"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "not to be kept" not in kept.read_text()
    again = prompt()
    again.type(UP)
    again.wait_for("select 2 as other;")
    again.type(UP)
    again.wait_for("as first_line;")
    assert any(line.endswith("> select 'a;b'") for line in again.lines())
    again.enter("")
    again.wait_for("1 row")


def test_names_are_completed(prompt):
    terminal = prompt()
    # The names are read beside the prompt; until they are there, nothing is offered.
    terminal.type("select * from regi")

    def is_completed():
        if "from regions" in terminal.text():
            return True
        terminal.type(TAB)
        terminal.read(0.3)
        return "from regions" in terminal.text()

    terminal.wait_until(is_completed, "a completed name")
    terminal.type(" r where r.region_n" + TAB)
    terminal.wait_for("r.region_name")
    terminal.type(CTRL_C)
    terminal.wait_for_prompt()
    terminal.type("SELEC" + TAB)
    terminal.wait_for("> SELECT")
    terminal.type(CTRL_C)


def test_ctrl_c_clears_the_line_and_cancels_what_runs(prompt, demo):
    terminal = prompt()
    terminal.type("select 'never sent")
    terminal.wait_for("never sent")
    terminal.type(CTRL_C)
    terminal.wait_for_prompt()
    terminal.enter("select count(*) from table(generator(rowcount => 1000000000)) a, table(generator(rowcount => 1000)) b;")
    terminal.wait_for("Ctrl-C cancels")
    terminal.type(CTRL_C)
    terminal.wait_for("cancelled")
    terminal.wait_for_prompt()
    terminal.enter("select 'still there' as a;")
    terminal.wait_for("1 row")
    history = demo.sql("select count(*) from table(information_schema.query_history()) where execution_status = 'RUNNING' and query_text like '%1000000000%' and query_text not like '%query_history%'", database="DEMO")
    assert history["data"] == [["0"]]


def test_the_session_stays(prompt):
    terminal = prompt()
    terminal.enter("set least = 4; use schema information_schema;")
    terminal.wait_for("DEMO.INFORMATION_SCHEMA>")
    terminal.enter("\\use demo.public")
    terminal.wait_until(lambda: terminal.text().rstrip().endswith("DEMO.PUBLIC>"), "the schema")
    terminal.enter("select $least + 1 as more;")
    terminal.wait_for("   5")
    terminal.wait_for_prompt()
    terminal.enter("select nope;")
    terminal.wait_for("invalid identifier")
    terminal.wait_for("^")
    terminal.wait_for_prompt()
    terminal.enter("\\role public")
    terminal.wait_for(":PUBLIC")
    terminal.wait_for_prompt()
    terminal.enter("\\nope")
    terminal.wait_for("there is no command \\nope")


def test_the_session_is_one_of_the_server(prompt):
    terminal = prompt()
    for text in ["create temporary table cli_kept as select 41 as v;", "alter session set timezone = 'Asia/Tokyo';"]:
        terminal.enter(text)
        terminal.wait_for("successfully")
        terminal.wait_for_prompt()
    terminal.enter("select v + 1 as more from cli_kept;")
    terminal.wait_for("  42")
    terminal.wait_for_prompt()
    terminal.enter("\\d cli_kept")
    terminal.wait_for("primary key")
    terminal.wait_for_prompt()
    terminal.enter("selec 1;")
    terminal.wait_for("line 1 at position 0")
    assert "cannot be set again" not in terminal.text()
    terminal.wait_for_prompt()
    terminal.enter("select to_varchar('2024-01-01 12:00:00 +0000'::timestamp_ltz, 'HH24') || 'h' as hour;")
    terminal.wait_for("21h")


@pytest.mark.parametrize(
    "lost, mended",
    [
        ("use schema firn.public; use role securityadmin;", "use role accountadmin;"),
        ("use database cli_lost; drop database cli_lost;", "use database demo;"),
        ("use schema cli_lost.gone; drop schema cli_lost.gone;", "use schema demo.public;"),
        ("use warehouse cli_lost; drop warehouse cli_lost;", "use warehouse compute_wh;"),
    ],
)
def test_the_prompt_outlives_what_it_uses(prompt, demo, lost, mended):
    for text in ["create or replace database cli_lost", "create schema cli_lost.gone", "create or replace warehouse cli_lost"]:
        demo.sql(text)
    terminal = prompt()
    terminal.enter(lost)
    terminal.wait_until(lambda: terminal.text().count("successfully") == lost.count(";"), "the context lost")
    terminal.wait_for_prompt()
    terminal.enter(mended)
    terminal.wait_until(lambda: terminal.text().count("successfully") >= lost.count(";") + 1, "a context again")
    terminal.wait_for_prompt()
    terminal.enter("select count(*) || ' found' as n from demo.public.regions;")
    terminal.wait_for(" found")
    assert "not found" not in terminal.text()


def test_the_prompt_outlives_its_session(tmp_path):
    server = start(tmp_path / "data", FIRN_DEMO="true")
    given = environment(tmp_path, FIRN_URL=server.url, FIRN_TOKEN=ADMIN_TOKEN)
    terminal = Terminal(os.environ["FIRN_BINARY"], ["sql", "--database", "demo"], given, tmp_path)
    try:
        terminal.wait_for_prompt()
        terminal.enter("set kept = 1; select 'set' || '!' as a;")
        terminal.wait_for("set!")
        terminal.wait_for_prompt()
        stop(server)
        server = start(tmp_path / "data", server.host)
        # What may count on the old session is not run.
        terminal.enter("select 'not run' || '!' as a;")
        terminal.wait_for("a new one has begun")
        terminal.wait_for_prompt()
        assert "not run!" not in terminal.text()
        terminal.enter("select 'run' || '!' as a;")
        terminal.wait_for("\nrun!")
        terminal.wait_for_prompt()
        stop(server)
        server = start(tmp_path / "data", server.host)
        terminal.enter("select 'run again' || current_database() as a;")
        terminal.wait_for("run againDEMO")
    finally:
        terminal.kill()
        stop(server)


def test_nothing_steers_the_terminal(prompt):
    terminal = prompt()
    for before, text in [
        ("", "select to_number(chr(27) || ']0;OWN2' || chr(7)) as a;"),
        ("\\format csv", "select chr(27) || ']0;OWN2' || chr(7) as a;"),
    ]:
        if before:
            terminal.enter(before)
            terminal.wait_for("are written as")
        terminal.raw = b""
        terminal.enter(text)
        terminal.wait_for("\\u{1b}]0;OWN2\\u{7}")
        assert b"\x1b]0;OWN2" not in terminal.raw
        terminal.wait_for_prompt()
        terminal.screen.reset()


def test_columns_of_what_stands_behind_the_cursor_are_completed(prompt):
    terminal = prompt()
    terminal.type("select ion_n from regions" + "\x01" + "\x1b[C" * 7 + "reg")

    def is_completed():
        if "select region_n" in terminal.text():
            return True
        terminal.type(TAB)
        terminal.read(0.3)
        return "region_id" in terminal.text() or "region_name" in terminal.text()

    terminal.wait_until(is_completed, "a completed column")
    terminal.type(CTRL_C)


def test_objects_are_described(prompt):
    terminal = prompt(PAGER="cat")
    terminal.enter("\\d")
    terminal.wait_for("base table")
    terminal.wait_for("REGIONS")
    terminal.wait_for_prompt()
    terminal.enter("!d regions")
    terminal.wait_for("REGION_NAME")
    terminal.wait_for("primary key")
    terminal.wait_for_prompt()
    terminal.enter("\\l")
    terminal.wait_for("DEMO ")
    terminal.wait_for_prompt()
    terminal.enter("\\?")
    terminal.wait_for("\\watch [SECONDS]")


def test_a_statement_is_watched_until_ctrl_c(prompt):
    terminal = prompt()
    terminal.enter("select 'tick' as watched;")
    terminal.wait_for("1 row")
    terminal.wait_for_prompt()
    terminal.enter("\\watch 0.2")
    terminal.wait_until(lambda: terminal.text().count("every 0.2 s; Ctrl-C ends it") >= 3, "three rounds")
    terminal.type(CTRL_C)
    terminal.wait_for_prompt()
    terminal.enter("select 'over' as a;")
    terminal.wait_for("over")


def test_the_pager_is_for_what_the_screen_cannot_hold(prompt):
    terminal = prompt(PAGER="sed s/^/PAGED:/")
    terminal.enter("select 'short' as a;")
    terminal.wait_for("1 row")
    assert "PAGED:" not in terminal.text()
    terminal.wait_for_prompt()
    terminal.enter("select seq4() as n from table(generator(rowcount => 50));")
    terminal.wait_for("50 rows")
    assert sum(line.startswith("PAGED:") for line in terminal.lines()) == 52
    terminal.wait_for_prompt()
    terminal.enter("select repeat('w', 150) as wide;")
    terminal.wait_for("PAGED:WIDE")
    terminal.wait_for_prompt()
    terminal.enter("\\last")
    terminal.wait_until(lambda: terminal.text().count("PAGED:WIDE") == 2, "the last result again")
    terminal.wait_for_prompt()
    terminal.enter("\\x auto")
    terminal.enter("\\last")
    terminal.wait_for("-- row 1")


def test_a_pager_that_is_left_early_ends_the_result_alone(prompt):
    terminal = prompt(PAGER="head -n 3")
    terminal.enter("select seq4() as n, repeat('x', 90) as t from table(generator(rowcount => 300000));")
    terminal.wait_for("xxx")
    terminal.wait_for_prompt()
    terminal.enter("select 'still there' as a;")
    terminal.wait_for("still there")


def test_files_are_read_written_and_edited(prompt, tmp_path):
    (tmp_path / "in.sql").write_text("select 'from a file' as a;\nselect broken;\n")
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\necho \"select 'edited' as b;\" > \"$1\"\n")
    editor.chmod(0o700)
    terminal = prompt(EDITOR=str(editor))
    terminal.enter("\\i in.sql")
    terminal.wait_for("from a file")
    terminal.wait_for("in.sql:2: ")
    terminal.wait_for_prompt()
    terminal.enter("\\o out.csv")
    terminal.enter("\\format csv")
    terminal.enter("select 1 as a, 'x,y' as b;")
    terminal.wait_for("1 row")
    terminal.enter("\\o")
    terminal.wait_for("results go to the screen")
    assert (tmp_path / "out.csv").read_text() == 'A,B\n1,"x,y"\n'
    terminal.enter("\\timing on")
    terminal.enter("\\e")
    terminal.wait_for("> select 'edited' as b;")
    terminal.enter("")
    terminal.wait_for(" ms")
    assert "\nedited" in terminal.text()


def test_questions_are_asked_in_plain_english(prompt):
    terminal = prompt()
    terminal.enter("\\ask How many orders were cancelled?")
    terminal.wait_for("confidence ")
    terminal.wait_for("1 row")
    terminal.wait_for_prompt()
    terminal.enter("\\model")
    terminal.wait_for("\\ask asks DEMO.PUBLIC.RETAIL")


def test_wrong_ways_in_say_so(demo, tmp_path):
    for arguments, words, code in [
        (["--url", "http://127.0.0.1:1"], "no answer from", 3),
        (["--token", "wrong-token-wrong-token-wrong"], "firn: ", 3),
        (["-c", "nowhere"], "has no [connections.nowhere]", 2),
    ]:
        given = environment(tmp_path, FIRN_URL=demo.url, FIRN_TOKEN=ADMIN_TOKEN)
        terminal = Terminal(os.environ["FIRN_BINARY"], ["sql", *arguments], given, tmp_path)
        shown = terminal.process.read().decode()
        assert terminal.end() == code, shown
        assert words in shown


def test_colours_are_left_out_if_asked(prompt):
    terminal = prompt(NO_COLOR="1")
    terminal.raw = b""
    terminal.enter("select null as a;")
    terminal.wait_for("1 row")
    assert b"\x1b[2mNULL" not in terminal.raw
    coloured = prompt()
    coloured.enter("select null as a;")
    coloured.wait_for("1 row")
    assert b"\x1b[2mNULL" in coloured.raw
