//! Texts of statements that take several requests, or fail on the way: transactions stay whole, the session lasts, and failures
//! have their place.

use firn_tests::cli::{Cli, code, errors, output};

fn rows(cli: &Cli, sql: &str) -> String {
    let ran = cli.run(&["sql", "--no-header", sql]);
    assert_eq!(code(&ran), 0, "{sql}: {}", errors(&ran));
    output(&ran)
}

/// The exit code and the results of a text on the standard input, and what is said of failures.
fn ran(cli: &Cli, text: &str, arguments: &[&str]) -> (i32, String, String) {
    let ran = cli.run_with(text, &[&["sql", "-q", "--no-header"], arguments].concat());
    (code(&ran), output(&ran), errors(&ran))
}

#[test]
fn nothing_is_done_of_a_transaction_with_a_syntax_error() {
    let cli = Cli::start();
    rows(&cli, "create or replace database cli_cut");
    let at = ["--database", "cli_cut", "--schema", "public", "--continue"];
    for (name, wrong) in
        [("a", "selec x"), ("b", "insert into b values (;"), ("c", "select * from nope"), ("d", "comit")]
    {
        for end in ["rollback", "commit"] {
            rows(&cli, &format!("create or replace table cli_cut.public.{name} (v int)"));
            let text = format!(
                "insert into {name} values (0);\nbegin;\ninsert into {name} values (1);\n{wrong};\n\
                 insert into {name} values (7);\n{end};\ninsert into {name} values (8);\n"
            );
            let (code, _, said) = ran(&cli, &text, &at);
            assert!(code == 5 && said.contains("standard input:4: "), "{text}: {said}");
            let left = rows(&cli, &format!("select v from cli_cut.public.{name} order by v"));
            assert_eq!(left, "0\n8\n", "{text}");
        }
    }
    let (code, _, said) = ran(&cli, "begin; alter user admin add programmatic access token cut; commit;", &at);
    assert!(code == 5 && said.contains("not given in a transaction"), "{said}");
}

#[test]
fn a_transaction_over_two_files_is_one() {
    let cli = Cli::start();
    rows(&cli, "create or replace database cli_two; create table cli_two.public.t (v int);");
    let one = cli.file("one.sql", "begin;\ninsert into cli_two.public.t values (1);\n");
    for (end, expected) in [("rollback", ""), ("commit", "1\n2\n")] {
        let two = cli.file("two.sql", &format!("insert into cli_two.public.t values (2);\n{end};\n"));
        let ran = cli.run(&["sql", "-f", &one, "-f", &two]);
        assert_eq!(code(&ran), 0, "{}", errors(&ran));
        assert_eq!(rows(&cli, "select v from cli_two.public.t order by v"), expected);
    }
    let wrong = cli.file("wrong.sql", "select 1;\nselect nope;\n");
    let ran = cli.run(&["sql", "-f", &one, "-f", &wrong]);
    assert!(errors(&ran).contains("wrong.sql:2: "), "{}", errors(&ran));
    let unclosed = cli.file("unclosed.sql", "select 1;\nselect 'a;\n");
    let ran = cli.run(&["sql", "-f", &wrong, "-f", &unclosed]);
    assert_eq!((code(&ran), output(&ran).as_str()), (5, ""), "nothing runs");
    assert!(errors(&ran).contains("unclosed.sql:2: "), "{}", errors(&ran));
}

#[test]
fn the_session_lasts_from_request_to_request() {
    let cli = Cli::start();
    rows(&cli, "create role if not exists cli_lasting; grant role cli_lasting to user admin");
    let many = "select 1;\n".repeat(800);
    let text = format!(
        "use schema demo.public;\ncreate temporary table kept (v int);\ninsert into kept values (5);\nset x = 3;\n{many}\
         select v + $x + $y from kept;\nuse role cli_lasting;\n{many}use role accountadmin;\n\
         select current_role();\n"
    );
    let (code, written, said) = ran(&cli, &text, &["-D", "y=1"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(written.contains("\n9\n") && written.ends_with("\nACCOUNTADMIN\n"), "{}", written.replace("1\n", ""));
    let after = "create temporary table kept (v int);\nuse role cli_lasting;\nselec 1;\nuse role accountadmin; use schema demo.public;\n\
                 insert into kept values (6);\nselect nope;\nselect v from kept;\n";
    let (code, written, said) = ran(&cli, after, &["--continue", "--database", "demo", "--schema", "public"]);
    assert_eq!((code, written.as_str()), (5, "6\n"), "{said}");
    assert!(said.contains("standard input:3: ") && said.contains("standard input:6: "), "{said}");
}

#[test]
fn without_lasting_sessions_variables_go_along() {
    let cli = Cli::start();
    let admin = cli.server().admin();
    admin.rows("CREATE USER CLI_MANY");
    let token = admin.rows("ALTER USER CLI_MANY ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let many = cli.server().client(&token);
    let open = firn_tests::Request::post("/api/v2/sessions").json(&serde_json::json!({}));
    while many.send(&open).status == 201 {}
    let text = format!(
        "set x = 3;\nalter session set timezone = 'Asia/Tokyo';\n{}select $x;\nselec 2;\n",
        "select 1;\n".repeat(800)
    );
    let (code, written, said) = ran(&cli, &text, &["--token", &token]);
    assert_eq!((code, written.ends_with("\n3\n")), (5, true), "{said}");
    assert!(said.contains("standard input:804: ") && said.contains("line 1 at position 0"), "{said}");
    assert!(said.contains("\n  selec 2\n  ^"), "{said}");
}

#[test]
fn failures_have_their_place() {
    let cli = Cli::start();
    let cases = [
        ("select 1;\nselect 2;\nselect 3;\nbegin\n let x int := 1;\n select 1/0;\n end;\n", 6),
        ("select 1; select 2; begin select 1/0; end;", 1),
        ("-- words\nbegin\n select 1/0;\nend;", 3),
        ("alter session set timezone = 'UTC';\nselec 2;\n", 2),
        ("select 1;\n\nselect\n nope;", 4),
        ("select 1;\nexecute immediate 'select\n 1/0';", 2),
    ];
    for (text, line) in cases {
        let (code, _, said) = ran(&cli, text, &[]);
        assert!(code == 5 && said.contains(&format!("standard input:{line}: ")), "{text}: {said}");
    }
    let (first, second) =
        (cli.file("q1.sql", "alter session set timezone = 'UTC';\n"), cli.file("q2.sql", "selec 2;\n"));
    let ran = cli.run(&["sql", "-f", &first, "-f", &second]);
    assert!(errors(&ran).contains("q2.sql:1: SQL compilation error"), "{}", errors(&ran));
    assert!(errors(&ran).contains("\n  selec 2\n  ^"), "{}", errors(&ran));
    let long = format!("long={}", "x".repeat(300));
    let ran = cli.run(&["sql", "select $long", "-D", &long]);
    assert!(code(&ran) == 2 && errors(&ran).contains("-D LONG: "), "{}", errors(&ran));
    let ran = cli.run(&["sql", "--continue", "select 1; select $long", "-D", &long]);
    assert!(code(&ran) == 2 && errors(&ran).contains("-D LONG: "), "{}", errors(&ran));
}

#[test]
fn a_mark_of_the_byte_order_is_no_text() {
    let cli = Cli::start();
    let file = cli.file("bom.sql", "\u{feff}select 1");
    assert_eq!(output(&cli.run(&["sql", "--no-header", "-f", &file])), "1\n");
    assert_eq!(ran(&cli, "\u{feff}", &[]), (0, String::new(), String::new()));
    assert_eq!(ran(&cli, "\u{feff}select 2", &[]).1, "2\n");
}

#[test]
fn messages_do_not_steer_the_terminal() {
    let cli = Cli::start();
    let ran = cli.run(&["sql", "select to_number(chr(27) || ']0;OWN' || chr(7))"]);
    assert!(code(&ran) == 5 && !errors(&ran).contains(['\u{1b}', '\u{7}']), "{:?}", errors(&ran));
    assert!(errors(&ran).contains("\\u{1b}]0;OWN"), "{}", errors(&ran));
    let json = cli.run(&["sql", "-o", "jsonl", "select 'a' || chr(155) as a, array_construct(1, null, 'x') as v"]);
    assert_eq!(output(&json), "{\"A\":\"a\\u009b\",\"V\":[1,null,\"x\"]}\n");
}
