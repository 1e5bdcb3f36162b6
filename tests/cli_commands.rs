//! The commands around `firn sql`: what they show and change, their help, completions and manual pages.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;

use firn_tests::cli::{Cli, code, errors, output};
use serde_json::Value;

fn json(cli: &Cli, arguments: &[&str]) -> Value {
    let ran = cli.run(arguments);
    assert_eq!(code(&ran), 0, "{arguments:?}: {}", errors(&ran));
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", output(&ran)))
}

fn done(cli: &Cli, arguments: &[&str]) -> String {
    let ran = cli.run(arguments);
    assert_eq!(code(&ran), 0, "{arguments:?}: {}", errors(&ran));
    output(&ran)
}

#[test]
fn the_status_tells_who_one_is() {
    let cli = Cli::start();
    let status = json(&cli, &["status", "--json", "--database", "demo"]);
    assert_eq!(
        (&status["user"], &status["role"], &status["database"]),
        (&"ADMIN".into(), &"ACCOUNTADMIN".into(), &"DEMO".into())
    );
    assert!(status["latencyMs"].is_number() && status["running"].is_number(), "{status}");
    assert_eq!(status["url"], cli.server().base_url());
    let text = done(&cli, &["status"]);
    assert!(text.contains("user       ADMIN\n") && text.contains(" ms\n"), "{text}");
}

#[test]
fn users_are_created_shut_out_and_let_in() {
    let cli = Cli::start();
    done(&cli, &["sql", "create role if not exists cli_role"]);
    assert_eq!(
        done(&cli, &["user", "create", "cli_anna", "--grant", "cli_role"]),
        "user CLI_ANNA created\nrole CLI_ROLE granted\n"
    );
    let created = cli.run_with("a password of hers\n", &["user", "create", "cli_bob", "--password", "--must-change"]);
    assert_eq!((code(&created), output(&created).as_str()), (0, "user CLI_BOB created\n"), "{}", errors(&created));
    let of = |name: &str| {
        let users = json(&cli, &["user", "list", "--json"]);
        users.as_array().unwrap().iter().find(|user| user["name"] == name).cloned().unwrap()
    };
    assert_eq!((&of("CLI_ANNA")["default_role"], &of("CLI_ANNA")["has_password"]), (&"CLI_ROLE".into(), &false.into()));
    assert_eq!((&of("CLI_BOB")["has_password"], &of("CLI_BOB")["must_change_password"]), (&true.into(), &true.into()));
    assert_eq!(
        done(&cli, &["user", "disable", "cli_anna", "cli_bob"]),
        "user CLI_ANNA disabled\nuser CLI_BOB disabled\n"
    );
    assert_eq!(of("CLI_BOB")["disabled"], true);
    assert_eq!(done(&cli, &["user", "enable", "cli_bob"]), "user CLI_BOB enabled\n");
    let set = cli.run_with("another of his\n", &["user", "password", "cli_bob"]);
    assert_eq!(output(&set), "password of CLI_BOB set\n", "{}", errors(&set));
    let empty = cli.run_with("", &["user", "password", "cli_bob"]);
    assert_eq!(code(&empty), 2, "{}", errors(&empty));
    let twice = cli.run(&["user", "create", "cli_anna"]);
    assert_eq!(code(&twice), 5, "{}", errors(&twice));
    let half = cli.run(&["user", "create", "cli_carl", "--grant", "cli_role", "--grant", "no_such_role"]);
    assert_eq!((code(&half), output(&half).as_str()), (5, ""), "{}", errors(&half));
    assert_eq!(code(&cli.run(&["user", "create", "cli_carl"])), 0, "nothing of the first one is left");
    let one_of_two = cli.run(&["user", "disable", "no_such_user", "cli_carl"]);
    assert_eq!((code(&one_of_two), output(&one_of_two).as_str()), (5, "user CLI_CARL disabled\n"));
    // A password is never an argument.
    assert_eq!(code(&cli.run(&["user", "create", "cli_eve", "--password", "secret"])), 2);
    assert!(done(&cli, &["user", "list"]).starts_with("name "));
}

#[test]
fn tokens_are_shown_once_and_withdrawn() {
    let cli = Cli::start();
    let made = cli.run(&["token", "create", "cli_once", "--days", "2", "--restrict-to", "public"]);
    let secret = output(&made).trim().to_owned();
    assert!(secret.starts_with("firn_") && errors(&made).contains("shown only this once"), "{}", errors(&made));
    assert_eq!(done(&cli, &["sql", "--no-header", "select current_role()", "--token", &secret]), "PUBLIC\n");
    let listed = done(&cli, &["token", "list"]);
    assert!(listed.contains("CLI_ONCE") && !listed.contains(&secret), "{listed}");
    assert_eq!(done(&cli, &["token", "revoke", "cli_once"]), "token CLI_ONCE of ADMIN revoked\n");
    assert_eq!(code(&cli.run(&["sql", "select 1", "--token", &secret])), 3);
    assert_eq!(code(&cli.run(&["token", "create", "long", "--days", "400"])), 2);
}

#[test]
fn the_console_opens_with_a_token_of_a_day() {
    let cli = Cli::start();
    let mut last = String::new();
    for _ in 0..5 {
        last = done(&cli, &["console", "--no-open"]).trim().to_owned();
    }
    let (address, token) = last.split_once("/#token=").unwrap();
    assert_eq!(address, cli.server().base_url());
    assert_eq!(done(&cli, &["sql", "--no-header", "select current_user()", "--token", token]), "ADMIN\n");
    let tokens = json(&cli, &["token", "list", "--json"]);
    let own =
        tokens.as_array().unwrap().iter().filter(|token| token["name"].as_str().unwrap().starts_with("FIRN_CONSOLE_"));
    assert!(own.count() <= 3, "{tokens}");
    // Nothing on this machine could open a browser.
    let ran = cli.run(&["console"]);
    assert!(errors(&ran).contains("no browser could be opened"), "{}", errors(&ran));
}

#[test]
fn completions_manual_pages_and_version_are_written() {
    let cli = Cli::start();
    for shell in ["bash", "zsh", "fish"] {
        assert!(done(&cli, &["completions", shell]).contains("markdown"), "{shell}");
    }
    assert_eq!(code(&cli.run(&["completions", "tcsh"])), 2);
    let said = done(&cli, &["man", "pages"]);
    let pages = fs::read_dir(cli.home().join("pages")).unwrap().count();
    assert_eq!(said, format!("{pages} pages in pages\n"));
    let page = fs::read_to_string(cli.home().join("pages/firn-sql.1")).unwrap();
    assert!(page.starts_with(".ie") && page.contains("firn\\-sql") && page.contains("Examples:"), "{page}");
    assert!(cli.home().join("pages/firn-stage-put.1").exists());
    let version = done(&cli, &["--version"]);
    let named = version.trim().strip_prefix("firn ").unwrap();
    let commit = named.split_once(" (").map(|(_, commit)| commit.trim_end_matches(')'));
    assert!(
        commit.is_none_or(|commit| commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit())),
        "{version}"
    );
}

/// The commands below one, each with its words.
fn commands_below(cli: &Cli, words: &[String], found: &mut Vec<Vec<String>>) {
    let words_and_help: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let help = done(cli, &words_and_help);
    found.push(words.to_vec());
    let Some((_, listed)) = help.split_once("\nCommands:\n") else { return };
    for line in listed.lines().take_while(|line| line.starts_with("  ")) {
        let name = line.split_whitespace().next().unwrap();
        if name != "help" && !line.starts_with("   ") {
            commands_below(cli, &[words, &[name.to_owned()]].concat(), found);
        }
    }
}

/// Commands that need a server or a folder of their own, whose examples are not run here.
const NOT_RUN: [&str; 5] =
    ["firn serve --demo", "firn backup --name", "firn backup --data-dir", "firn restore", "-c prod"];

#[test]
fn every_help_ends_with_two_examples_that_work() {
    let cli = Cli::start();
    prepare_for_examples(&cli);
    let mut commands = Vec::new();
    commands_below(&cli, &[], &mut commands);
    assert!(commands.len() > 20, "{commands:?}");
    let mut run = std::collections::BTreeSet::new();
    for command in commands {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let help = done(&cli, &words);
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("no examples: {help}"));
        let examples: Vec<&str> = examples.lines().map(str::trim).collect();
        assert_eq!(examples.len(), 2, "{command:?}");
        for example in examples {
            let is_run = !NOT_RUN.iter().any(|part| example.contains(part));
            if !is_run || !run.insert(example.to_owned()) {
                continue;
            }
            let ran = cli.shell(example);
            assert_eq!(code(&ran), 0, "{example}: {}{}", output(&ran), errors(&ran));
        }
    }
}

/// A command's own options stand before those of the connection, under a heading of their own.
#[test]
fn the_options_of_the_connection_stand_together() {
    let cli = Cli::start();
    let mut commands = Vec::new();
    commands_below(&cli, &[], &mut commands);
    let of_connection = |help: &str| {
        let (_, listed) = help.split_once("\nConnection:\n")?;
        Some(listed.lines().take_while(|line| !line.is_empty()).map(str::to_owned).collect::<Vec<_>>())
    };
    let helps = commands.iter().map(|command| {
        let words: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        done(&cli, &words)
    });
    let found: Vec<Vec<String>> = helps.filter_map(|help| of_connection(&help)).collect();
    assert!(found.len() > 10, "{found:?}");
    for options in &found {
        assert_eq!(options.len(), 9, "{options:?}");
        assert!(options.iter().any(|option| option.contains("--proxy")), "{options:?}");
    }
}

/// What the examples are about.
fn prepare_for_examples(cli: &Cli) {
    cli.file("report.sql", "select count(*) as orders from demo.public.orders where year(ordered_at) <= $year;\n");
    cli.file("questions.txt", "How many orders were cancelled?\n");
    cli.file("orders.csv", "1,2\n");
    cli.file("password.txt", "correct horse battery\n");
    let questions = "- question: How many orders were cancelled?\n  sql: SELECT COUNT(*) FROM DEMO.PUBLIC.ORDERS WHERE STATUS = 'cancelled'\n";
    cli.file("questions.yaml", questions);
    done(cli, &["sql", "create role if not exists analyst"]);
    for file in ["shop.yaml", "demo.yaml"] {
        let model = done(cli, &["model", "generate", "--database", "demo"]);
        cli.file(file, &model);
    }
}

#[test]
fn what_is_no_firn_server_is_told() {
    let page = answering(
        b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html></html>",
    );
    let cli = Cli::start();
    for arguments in [&["status"][..], &["user", "list"], &["sql", "select 1"]] {
        let ran = cli.run(&[arguments, &["--url", &page]].concat());
        assert!([1, 3].contains(&code(&ran)) && output(&ran).is_empty(), "{arguments:?}: {}", output(&ran));
    }
    assert!(errors(&cli.run(&["status", "--url", &page])).contains("no firn server"));
    let silent = answering(b"");
    let ran = cli.run(&["status", "--url", &silent]);
    assert_eq!(code(&ran), 3, "{}", errors(&ran));
    assert!(errors(&ran).contains("does not answer in time"), "{}", errors(&ran));
}

/// The address of a listener that gives the same answer to every request; without one it says nothing.
fn answering(answer: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut asked = vec![0; 64 << 10];
            let _ = stream.read(&mut asked);
            let _ = stream.write_all(answer);
            if answer.is_empty() {
                open.push(stream);
            }
        }
    });
    url
}

#[test]
fn what_is_no_address_and_what_is_no_stage_are_wrong_arguments() {
    let cli = Cli::start();
    for arguments in [
        vec!["sql", "--url", "http://a b", "select 1"],
        vec!["sql", "--url", "http://host:port", "select 1"],
        vec!["stage", "ls", "nosuch"],
    ] {
        let ran = cli.run(&arguments);
        assert_eq!(code(&ran), 2, "{arguments:?}: {}", errors(&ran));
    }
    let missing = cli.run(&["stage", "ls", "@nosuch"]);
    assert_eq!((code(&missing), errors(&missing).lines().count()), (1, 1), "{}", errors(&missing));
}

#[test]
fn files_that_cannot_be_used_are_wrong_arguments() {
    let cli = Cli::start();
    let (one, two) = (cli.file("one/same.csv", "1\n"), cli.file("two/same.csv", "2\n"));
    let cases: &[&[&str]] = &[
        &["stage", "put", "nofile", "@~/x/"],
        &["stage", "put", &one, "nofile", "@~/same/"],
        &["stage", "put", &one, &two, "@~/same/"],
        &["ask", "how many?", "--model", "nofile.yaml"],
        &["model", "validate", "nofile.yaml"],
        &["model", "generate"],
        &["model", "add-verified", "nofile.yaml", "--question", "q", "--sql", "select 1"],
        &["eval", "nofile.yaml", "--model", "nofile.yaml"],
        &["serve", "--config", "nofile.toml"],
        &["sql", "select 1", "-D", "a=1", "-D", "A=2"],
    ];
    for arguments in cases {
        let ran = cli.run(arguments);
        assert_eq!((code(&ran), output(&ran).as_str()), (2, ""), "{arguments:?}: {}", errors(&ran));
    }
    assert_eq!(done(&cli, &["stage", "ls", "@~/same/"]), "", "nothing was sent");
    let ran = cli.run(&["stage", "put", &one, &two, "@~/same/"]);
    assert!(errors(&ran).contains("one/same.csv` and"), "{}", errors(&ran));
}

#[test]
fn a_variable_of_the_server_that_is_empty_counts_as_none() {
    let cli = Cli::start().with_variable("FIRN_LISTEN", "").with_variable("FIRN_THREADS", "");
    assert!(done(&cli, &["serve", "--print-config"]).contains("listen = "));
    for wrong in [["--listen", "foo"], ["--threads", "0"]] {
        assert_eq!(code(&cli.run(&["serve", "--data-dir", "nowhere", wrong[0], wrong[1]])), 2, "{wrong:?}");
    }
}
