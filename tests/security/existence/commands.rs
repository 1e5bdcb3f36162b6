//! The statements of `commands.txt`, every choice written out.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::names::Kind;

const COMMANDS: &str = include_str!("commands.txt");

static MADE: AtomicUsize = AtomicUsize::new(0);

/// A statement with `{}` in the place of the name that is asked about.
pub struct Template {
    pub kind: Kind,
    pub text: String,
    /// It may change what exists.
    pub is_last: bool,
}

impl Template {
    /// The statement about `name`.
    pub fn about(&self, name: &str) -> String {
        let text = self.text.replace("{}", name);
        match text.contains("{new}") {
            true => text.replace("{new}", &format!("N{:06}", MADE.fetch_add(1, Ordering::Relaxed))),
            false => text,
        }
    }
}

pub fn all() -> Vec<Template> {
    let mut templates = Vec::new();
    let mut kind = Kind::Database;
    for line in COMMANDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("== ") {
            Some(word) => kind = Kind::of(word),
            None => {
                let is_last = line.starts_with("! ");
                let texts = written_out(line.trim_start_matches("! "));
                templates.extend(texts.into_iter().map(|text| Template { kind, text, is_last }));
            }
        }
    }
    templates
}

/// Every way to choose among the `[a|b]` of a line.
pub fn written_out(line: &str) -> Vec<String> {
    let choice = line.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?)));
    let Some((before, (choices, after))) = choice else { return vec![plain(line)] };
    choices.split('|').flat_map(|choice| written_out(&format!("{before}{choice}{after}"))).collect()
}

/// Without the spaces that an empty choice leaves.
fn plain(line: &str) -> String {
    line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
