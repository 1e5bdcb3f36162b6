//! `firn sql` without a prompt, as scripts use it: formats, exit codes, files, sessions, streams that are closed early.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use firn_tests::cli::{Cli, code, errors, output};
use firn_tests::{Server, comes_true};

#[test]
fn results_are_written_in_every_format() {
    let cli = Cli::start();
    let sql = "select 1.50 as n, 'a,\"b\"' as t, null as x, array_construct(1, 'a b') as v";
    for (format, expected) in [
        ("json", "[\n{\"N\":1.50,\"T\":\"a,\\\"b\\\"\",\"X\":null,\"V\":[1,\"a b\"]}\n]\n"),
        ("jsonl", "{\"N\":1.50,\"T\":\"a,\\\"b\\\"\",\"X\":null,\"V\":[1,\"a b\"]}\n"),
        ("table", "   N  T      X     V\n----  -----  ----  ---------\n1.50  a,\"b\"  NULL  [1,\"a b\"]\n"),
    ] {
        let ran = cli.run(&["sql", sql, "-o", format]);
        assert_eq!((code(&ran), output(&ran).as_str(), errors(&ran).as_str()), (0, expected, ""), "{format}");
    }
    let sql = "select 1.50 as n, 'a,\"b\"' as t, null as x, '' as e";
    for (format, expected) in
        [("csv", "N,T,X,E\n1.50,\"a,\"\"b\"\"\",,\"\"\n"), ("tsv", "N\tT\tX\tE\n1.50\ta,\"b\"\t\\N\t\n")]
    {
        assert_eq!(output(&cli.run(&["sql", sql, "-o", format])), expected, "{format}");
    }
    let plain = "select 'x' as a, null as b union all select 'yy', 'z' order by 1";
    for (arguments, expected) in [
        (vec!["-o", "table"], "A   B\n--  ----\nx   NULL\nyy  z\n"),
        (vec!["-o", "markdown"], "| A | B |\n| --- | --- |\n| x | NULL |\n| yy | z |\n"),
        (vec!["-o", "vertical"], "-- row 1\nA  x\nB  NULL\n-- row 2\nA  yy\nB  z\n"),
        (vec!["--no-header"], "x,\nyy,z\n"),
        (vec!["--no-header", "--null", "-"], "x,-\nyy,z\n"),
        (vec!["-o", "table", "--color", "always", "--no-header"], "x   \u{1b}[2mNULL\u{1b}[0m\nyy  z\n"),
    ] {
        let ran = cli.run(&[&["sql", plain], arguments.as_slice()].concat());
        assert_eq!(output(&ran), expected, "{arguments:?}");
    }
    let two = cli.run(&["sql", "select 1 as a; select 2 as b", "-o", "markdown"]);
    assert_eq!(output(&two), "| A |\n| ---: |\n| 1 |\n\n| B |\n| ---: |\n| 2 |\n");
}

#[test]
fn instants_are_exact() {
    let cli = Cli::start();
    let sql = "alter session set timezone = 'Europe/Oslo'; \
               select '1969-12-31 23:59:59.5'::timestamp_ntz, '2024-01-05 02:00:00 +0200'::timestamp_tz, \
               '2024-07-01 12:00:00 +0000'::timestamp_ltz, '2024-02-29'::date";
    let ran = cli.run(&["sql", sql, "--no-header"]);
    let line = output(&ran);
    let cells: Vec<&str> = line.trim().split(',').collect();
    assert!(cells[0].starts_with("1969-12-31 23:59:59.5"), "{line}");
    assert!(cells[1].starts_with("2024-01-05 02:00:00") && cells[1].ends_with("+02:00"), "{line}");
    assert!(cells[2].starts_with("2024-07-01 14:00:00") && cells[2].ends_with("+02:00"), "{line}");
    assert_eq!(cells[3], "2024-02-29");
}

#[test]
fn exit_codes_tell_what_happened() {
    let cli = Cli::start();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["sql", "select 1"], 0, ""),
        (&["sql", "select nope"], 5, "invalid identifier"),
        (&["sql", "selec 1"], 5, "selec 1\n  ^"),
        (&["sql", "select 1", "-o", "xml"], 2, "possible values"),
        (&["sql", "-f", "/no/such/file.sql"], 2, "/no/such/file.sql"),
        (&["sql", "select 1", "-D", "1a=2"], 2, "cannot name a variable"),
        (&["sql", "select 1", "-c", "nowhere"], 2, "has no [connections.nowhere]"),
        (&["sql", "select 1", "--url", "127.0.0.1:1"], 2, "begins with http"),
        (&["sql", "select 1", "--url", "http://127.0.0.1:1"], 3, "no answer from http://127.0.0.1:1"),
        (&["sql", "select 1", "--token", "wrong-token-wrong-token-wrong"], 3, "firn: "),
        (&["status", "--token", "wrong-token-wrong-token-wrong"], 3, "firn: "),
        (&["sql", "select 1", "--role", "nobody"], 3, "NOBODY"),
        (&["stage", "get", "@~/none"], 1, "there is no file"),
    ];
    for (arguments, expected, words) in cases {
        let ran = cli.run(arguments);
        assert_eq!(code(&ran), *expected, "{arguments:?}: {}", errors(&ran));
        assert!(errors(&ran).contains(words), "{arguments:?}: {}", errors(&ran));
        assert!(!errors(&ran).contains("wrong-token"), "a token is never shown");
    }
    let without = cli.without_token().run(&["sql", "select 1"]);
    assert_eq!(code(&without), 3);
    assert!(errors(&without).contains("a token is missing"), "{}", errors(&without));
}

#[test]
fn a_file_is_one_session() {
    let cli = Cli::start();
    let file = cli.file(
        "session.sql",
        "create database cli_session; -- in use from here on\n\
         use schema cli_session.public;\n\
         set least = 2;\n\
         create temporary table t (a int, b varchar);\n\
         begin;\n\
         insert into t values (1, 'a;b'), (2, $$it's; 2$$), (3, '--');\n\
         commit;\n\
         select a, b from t where a >= $least order by a;\n\
         begin let total int := 0; total := (select sum(a) from t); return total; end;\n",
    );
    let ran = cli.run(&["sql", "-f", &file]);
    assert_eq!(
        (code(&ran), output(&ran).as_str()),
        (0, "A,B\n2,it's; 2\n3,--\nanonymous block\n6\n"),
        "{}",
        errors(&ran)
    );
    assert!(errors(&ran).contains("Table T successfully created."), "{}", errors(&ran));
    assert!(errors(&ran).contains("number of rows inserted 3"), "{}", errors(&ran));
    let quiet = cli.run(&["sql", "-q", "create or replace database cli_session"]);
    assert_eq!((code(&quiet), errors(&quiet).as_str(), output(&quiet).as_str()), (0, "", ""));
}

#[test]
fn a_failure_stops_a_file_at_its_place() {
    let cli = Cli::start();
    let file = cli.file("broken.sql", "select 1 as a;\n\nselect 2 as b,\n   nope;\nselect 3 as c;\n");
    let ran = cli.run(&["sql", "-f", &file]);
    assert_eq!((code(&ran), output(&ran).as_str()), (5, "A\n1\n"));
    assert!(
        errors(&ran).contains("broken.sql:4: ") && errors(&ran).contains("\n     nope\n     ^"),
        "{}",
        errors(&ran)
    );
    let continued = cli.run(&["sql", "-f", &file, "--continue"]);
    assert_eq!((code(&continued), output(&continued).as_str()), (5, "A\n1\nC\n3\n"));
    // What no statement begins with stops it at the same place, after what came before.
    let file = cli.file("syntax.sql", "select 1 as a;\nselec 2;\nselect 3 as c;\n");
    let ran = cli.run(&["sql", "-f", &file]);
    assert_eq!((code(&ran), output(&ran).as_str()), (5, "A\n1\n"));
    assert!(errors(&ran).contains("syntax.sql:2: "), "{}", errors(&ran));
    let unclosed = cli.file("unclosed.sql", "select 1;\nselect 'a;\n");
    let ran = cli.run(&["sql", "-f", &unclosed]);
    assert_eq!((code(&ran), output(&ran).as_str()), (5, ""), "{}", errors(&ran));
}

#[test]
fn what_is_left_of_a_failed_transaction_does_not_run() {
    let cli = Cli::start();
    let file = cli.file(
        "transaction.sql",
        "create or replace database cli_rest;\n\
         create table cli_rest.public.t (a int);\n\
         use schema cli_rest.public;\n\
         set kept = 7;\n\
         begin;\ninsert into t values (1);\ninsert into nowhere values (2);\ninsert into t values (3);\ncommit;\n\
         insert into t values ($kept);\nselect a from t;\n",
    );
    let ran = cli.run(&["sql", "-f", &file, "--continue", "--no-header"]);
    assert_eq!((code(&ran), output(&ran).as_str()), (5, "7\n"), "{}", errors(&ran));
    assert!(errors(&ran).contains("transaction.sql:7: "), "{}", errors(&ran));
}

#[test]
fn files_and_the_standard_input_follow_each_other() {
    let cli = Cli::start();
    let (one, two) = (cli.file("one.sql", "set x = 1;"), cli.file("two.sql", "select $x + $y as z"));
    let ran = cli.run(&["sql", "-f", &one, "-f", &two, "-D", "y=2", "--no-header"]);
    assert_eq!((code(&ran), output(&ran).as_str()), (0, "3\n"), "{}", errors(&ran));
    let ran =
        cli.run_with("select $name as n, $code as c;", &["sql", "-D", "name=it's", "-D", "code=007", "-o", "jsonl"]);
    assert_eq!(output(&ran), "{\"N\":\"it's\",\"C\":\"007\"}\n", "{}", errors(&ran));
    let ran = cli.run_with("select 3 as c", &["sql", "-f", &one, "-f", "-"]);
    assert_eq!(output(&ran), "C\n3\n", "{}", errors(&ran));
    let nothing = cli.run_with("-- nothing\n", &["sql"]);
    assert_eq!((code(&nothing), output(&nothing).as_str(), errors(&nothing).as_str()), (0, "", ""));
}

#[test]
fn many_statements_take_several_requests() {
    let cli = Cli::start();
    let mut text =
        String::from("create or replace database cli_many; use schema cli_many.public; create table t (a int);");
    for number in 0..1_200 {
        text.push_str(&format!("insert into t values ({number});\n"));
    }
    text.push_str("select count(*), sum(a) from t;");
    let ran = cli.run(&["sql", "-q", "--no-header", "-f", &cli.file("many.sql", &text)]);
    assert_eq!((code(&ran), output(&ran).as_str()), (0, "1200,719400\n"), "{}", errors(&ran));
}

#[test]
fn a_large_result_is_streamed_and_may_be_left_early() {
    let cli = Cli::start();
    let sql = "select seq4() as n, repeat('x', 50) as t from table(generator(rowcount => 1000000))";
    let mut process =
        cli.command(&["sql", sql, "--no-header"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().ends_with("xxx"));
    let peak = peak_memory_bytes(process.id());
    drop(lines);
    let ended = process.wait_with_output().unwrap();
    assert_eq!((code(&ended), errors(&ended).as_str()), (0, ""));
    assert!(peak < 300 << 20, "{peak} bytes for a result of 60 MB");
    let whole = cli.run(&["sql", sql, "--no-header"]);
    assert_eq!(output(&whole).lines().count(), 1_000_000);
}

fn peak_memory_bytes(process_id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process_id}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).and_then(|text| text.parse::<u64>().ok()).unwrap() << 10
}

#[test]
fn signals_cancel_on_the_server() {
    let cli = Cli::start();
    for (signal, exit_code) in [("INT", 130), ("TERM", 143)] {
        check_signal(&cli, signal, exit_code);
    }
}

fn check_signal(cli: &Cli, signal: &str, exit_code: i32) {
    let sql =
        "select count(*) from table(generator(rowcount => 1000000000)) a, table(generator(rowcount => 1000)) b -- long";
    let mut process = cli.command(&["sql", sql]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until_it_runs(cli.server(), "1");
    send_signal(process.id(), signal);
    let mut said = String::new();
    process.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(exit_code), "{said}");
    assert!(said.contains("cancelled"), "{said}");
    wait_until_it_runs(cli.server(), "0");
}

fn send_signal(process_id: u32, signal: &str) {
    let sent =
        std::process::Command::new("kill").args([&format!("-{signal}"), &process_id.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Until as many statements with the mark run.
fn wait_until_it_runs(server: &Server, expected: &str) {
    let count = "SELECT COUNT(*) FROM TABLE(FIRN.INFORMATION_SCHEMA.QUERY_HISTORY()) WHERE EXECUTION_STATUS = 'RUNNING' \
                 AND QUERY_TEXT LIKE 'select count(*) from table(generator(rowcount => 1000000000))%'";
    assert!(comes_true(|| server.admin().cell(count) == expected), "never {expected} statements ran");
}

#[test]
fn a_secret_is_shown_to_who_asks_for_it() {
    let cli = Cli::start();
    let ran =
        cli.run(&["sql", "alter user admin add programmatic access token from_sql days_to_expiry = 1", "-o", "jsonl"]);
    assert!(output(&ran).contains("\"token_secret\":\"firn_"), "{} {}", output(&ran), errors(&ran));
}
