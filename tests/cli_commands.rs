//! The commands around `firn sql`: what they show and change, their help, completions and manual pages.

use std::fs;

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
    assert_eq!(
        (&of("CLI_ANNA")["default_role"], &of("CLI_ANNA")["has_password"]),
        (&"CLI_ROLE".into(), &"false".into())
    );
    assert_eq!(
        (&of("CLI_BOB")["has_password"], &of("CLI_BOB")["must_change_password"]),
        (&"true".into(), &"true".into())
    );
    assert_eq!(
        done(&cli, &["user", "disable", "cli_anna", "cli_bob"]),
        "user CLI_ANNA disabled\nuser CLI_BOB disabled\n"
    );
    assert_eq!(of("CLI_BOB")["disabled"], "true");
    assert_eq!(done(&cli, &["user", "enable", "cli_bob"]), "user CLI_BOB enabled\n");
    let set = cli.run_with("another of his\n", &["user", "password", "cli_bob"]);
    assert_eq!(output(&set), "password of CLI_BOB set\n", "{}", errors(&set));
    let empty = cli.run_with("", &["user", "password", "cli_bob"]);
    assert_eq!(code(&empty), 2, "{}", errors(&empty));
    let twice = cli.run(&["user", "create", "cli_anna"]);
    assert_eq!(code(&twice), 5, "{}", errors(&twice));
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
