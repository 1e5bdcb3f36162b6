//! Every function and statement of the dialect's reference, asked of the real server. The page `docs/sql.md` is
//! made from the answers and from the text in `tests/parity/page.md`; `FIRN_UPDATE_PAGES=1` writes it anew.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use firn_tests::Server;
use firn_tests::probe::{self, Family, Support};
use firn_tests::sqllogic::Connection;

/// How the page shows what is the same, deviates and is refused.
#[derive(Clone, Copy)]
enum Shape {
    Names,
    Rows,
}

#[test]
fn the_page_says_what_the_server_does() {
    let server = Server::start();
    server.admin().rows("CREATE DATABASE PARITY");
    let connection = Connection { client: server.admin(), database: "PARITY".to_owned() };
    let mut failures = Vec::new();
    let functions = outcomes(&connection, &probe::read(&text("functions.txt")), &mut failures);
    let statements = outcomes(&connection, &probe::read(&text("statements.txt")), &mut failures);
    assert!(failures.is_empty(), "{} probes fail\n\n{}", failures.len(), failures.join("\n"));

    let page = text("page.md")
        .replace("{{functions}}", &section(&functions, Shape::Names))
        .replace("{{statements}}", &section(&statements, Shape::Rows))
        .replace("{{share}}", &share(&functions));
    let path = repository().join("docs/sql.md");
    if std::env::var_os("FIRN_UPDATE_PAGES").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == page,
        "docs/sql.md differs from what the server does: {}",
        first_difference(&committed, &page)
    );
}

struct Outcome {
    title: String,
    entries: Vec<(String, Support, Option<String>)>,
}

fn outcomes(connection: &Connection, families: &[Family], failures: &mut Vec<String>) -> Vec<Outcome> {
    families
        .iter()
        .map(|family| {
            let mut entries = Vec::new();
            for probe in &family.probes {
                match probe.run(connection) {
                    Ok(support) => entries.push((probe.name.clone(), support, probe.deviation.clone())),
                    Err(failure) => failures.push(failure),
                }
            }
            Outcome { title: family.title.clone(), entries }
        })
        .collect()
}

impl Outcome {
    fn supported(&self) -> usize {
        self.entries.iter().filter(|(_, support, _)| *support != Support::Refused).count()
    }

    fn names(&self, wanted: Support) -> Vec<String> {
        self.entries.iter().filter(|(_, support, _)| *support == wanted).map(|(name, ..)| format!("`{name}`")).collect()
    }
}

fn share(families: &[Outcome]) -> String {
    let (supported, all) =
        families.iter().fold((0, 0), |(some, all), family| (some + family.supported(), all + family.entries.len()));
    let mut text = format!(
        "{supported} of the {all} names of the function reference are supported ({} %), the others are refused by name.\n\n\
         | family | supported | of |\n|---|---|---|\n",
        supported * 100 / all
    );
    for family in families {
        let _ = writeln!(text, "| {} | {} | {} |", family.title, family.supported(), family.entries.len());
    }
    text.trim_end().to_owned()
}

fn section(families: &[Outcome], shape: Shape) -> String {
    let mut text = String::new();
    for family in families {
        let _ = writeln!(text, "### {}\n", family.title);
        for (label, support) in [("Supported", Support::Same), ("Refused", Support::Refused)] {
            let names = family.names(support);
            match shape {
                _ if names.is_empty() => {}
                Shape::Names => {
                    let _ = writeln!(text, "{}\n", wrapped(&format!("{label}: {}.", names.join(", "))));
                }
                Shape::Rows => {
                    let _ = writeln!(text, "{label}:\n\n- {}\n", names.join("\n- "));
                }
            }
        }
        let deviating = family.entries.iter().filter(|(_, support, _)| *support == Support::Deviates);
        let notes: Vec<String> = deviating
            .map(|(name, _, note)| wrapped(&format!("- `{name}`: {}", note.as_deref().unwrap_or_default())))
            .collect();
        if !notes.is_empty() {
            let _ = writeln!(text, "Supported, and deviates:\n\n{}\n", notes.join("\n"));
        }
    }
    text.trim_end().to_owned()
}

/// Lines of at most 120 characters.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().unwrap();
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > 120 {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.join("\n")
}

fn first_difference(committed: &str, made: &str) -> String {
    let place = committed.lines().zip(made.lines()).position(|(one, other)| one != other);
    let line = place.unwrap_or_else(|| committed.lines().count().min(made.lines().count()));
    format!(
        "line {}:\n  is      {}\n  must be {}\nFIRN_UPDATE_PAGES=1 writes it anew",
        line + 1,
        committed.lines().nth(line).unwrap_or_default(),
        made.lines().nth(line).unwrap_or_default()
    )
}

fn text(file: &str) -> String {
    std::fs::read_to_string(repository().join("tests/parity").join(file)).unwrap()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}
