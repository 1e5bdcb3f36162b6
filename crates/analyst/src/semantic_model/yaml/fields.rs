//! A mapping of the document: its fields are taken one by one, and what nobody took is unknown.

use std::collections::HashSet;
use std::rc::Rc;

use chrono::{DateTime, NaiveDate, NaiveDateTime};

use super::document::{Content, Node};
use super::{ModelError, Place, Reading};

pub(super) struct Fields<'a> {
    /// What the mapping describes, for messages.
    pub(super) what: String,
    pub(super) place: Place,
    entries: Vec<Entry<'a>>,
    /// Fields that are given again further down.
    repeated: Vec<(String, Place)>,
}

struct Entry<'a> {
    name: String,
    place: Place,
    value: &'a Node,
}

impl<'a> Fields<'a> {
    pub(super) fn of(node: &'a Node, what: &str) -> Result<Self, ModelError> {
        let place = node.place;
        let Content::Mapping(mapping) = &node.content else {
            return Err(place.error(format!("{what} must be a mapping of fields, such as `name: …`")));
        };
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut repeated = Vec::new();
        let mut seen = HashSet::new();
        for (key, value) in mapping.iter().rev() {
            let Some(name) = key.text() else {
                return Err(key.place.error(format!("a field of {what} has a name that is not text")));
            };
            match seen.insert(name) {
                true => entries.push(Entry { name: name.to_owned(), place: key.place, value }),
                false => repeated.push((name.to_owned(), key.place)),
            }
        }
        entries.reverse();
        Ok(Self { what: what.to_owned(), place, entries, repeated })
    }

    /// The field under one of its names; an empty one counts as absent.
    pub(super) fn take(&mut self, names: &[&str]) -> Result<Option<&'a Node>, ModelError> {
        let mut found: Option<Entry<'a>> = None;
        while let Some(index) = self.entries.iter().position(|entry| names.contains(&entry.name.as_str())) {
            let entry = self.entries.remove(index);
            if let Some(first) = &found {
                let message = format!("`{}` and `{}` of {} mean the same; keep one", first.name, entry.name, self.what);
                return Err(entry.place.error(message));
            }
            found = Some(entry);
        }
        Ok(found.map(|entry| entry.value).filter(|value| !value.is_null()))
    }

    /// Fields that are known and say nothing that is used.
    pub(super) fn pass_over(&mut self, names: &[&str]) {
        self.entries.retain(|entry| !names.contains(&entry.name.as_str()));
    }

    /// The same of a field, where its text is one that is known.
    pub(super) fn pass_over_if(&mut self, name: &str, is_known: &dyn Fn(&str) -> bool) {
        self.entries.retain(|entry| entry.name != name || !entry.value.text().is_some_and(is_known));
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ModelError> {
        let what = self.field(name);
        self.take(&[name])?.map(|node| text_of(node, &what)).transpose()
    }

    /// A text, or a list of texts that are paragraphs of one.
    pub(super) fn paragraphs(&mut self, name: &str) -> Result<Option<String>, ModelError> {
        let texts = self.texts(name)?;
        Ok((!texts.is_empty()).then(|| texts.join("\n")))
    }

    pub(super) fn required_text(&mut self, name: &str) -> Result<String, ModelError> {
        let place = self.entries.iter().find(|entry| entry.name == name).map_or(self.place, |entry| entry.place);
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            _ => Err(place.error(format!("{} has no `{name}`", self.what))),
        }
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, ModelError> {
        let Some(node) = self.take(&[name])? else { return Ok(false) };
        let word = node.text().map(str::to_ascii_lowercase);
        match word.as_deref() {
            Some("true" | "yes" | "on" | "y") => Ok(true),
            Some("false" | "no" | "off" | "n") => Ok(false),
            _ => Err(node.place.error(format!("{} must be true or false", self.field(name)))),
        }
    }

    /// Seconds since 1970, or a date with or without a time of day.
    pub(super) fn point_in_time(&mut self, name: &str) -> Result<Option<i64>, ModelError> {
        let Some(node) = self.take(&[name])? else { return Ok(None) };
        let seconds = node.text().and_then(|text| seconds_of(text.trim()));
        let message = || format!("{} must be seconds since 1970, or a date", self.field(name));
        seconds.map(Some).ok_or_else(|| node.place.error(message()))
    }

    /// One of the words, in any case of letters.
    pub(super) fn choice<T: Copy>(&mut self, name: &str, choices: &[(&str, T)]) -> Result<Option<T>, ModelError> {
        let Some(node) = self.take(&[name])? else { return Ok(None) };
        let given = text_of(node, &self.field(name))?;
        match choices.iter().find(|(word, _)| word.eq_ignore_ascii_case(given.trim())) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
                let message = format!("{} is '{given}'; it can be {}", self.field(name), words.join(", "));
                Err(node.place.error(message))
            }
        }
    }

    /// A list of texts; numbers and dates are taken as they are written.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, ModelError> {
        let what = self.field(name);
        let Some(node) = self.take(&[name])? else { return Ok(Vec::new()) };
        match &node.content {
            Content::Sequence(items) => {
                items.iter().filter(|item| !item.is_null()).map(|item| text_of(item, &what)).collect()
            }
            Content::Scalar { .. } => Ok(vec![text_of(node, &what)?]),
            Content::Mapping(_) => Err(node.place.error(format!("{what} must be a list"))),
        }
    }

    /// A list of mappings under one of the names.
    pub(super) fn list(&mut self, names: &[&str]) -> Result<Vec<&'a Node>, ModelError> {
        let what = self.field(names.first().copied().unwrap_or_default());
        let Some(node) = self.take(names)? else { return Ok(Vec::new()) };
        match &node.content {
            Content::Sequence(items) => Ok(items.iter().map(Rc::as_ref).collect()),
            _ => Err(node.place.error(format!("{what} must be a list; begin each entry with `- `"))),
        }
    }

    /// Warns of what nobody took.
    pub(super) fn finish(self, reading: &mut Reading) {
        for (name, place) in &self.repeated {
            reading.warn(
                *place,
                &format!("the field `{name}` of {} is given again further down; that one counts", self.what),
            );
        }
        for entry in &self.entries {
            reading.warn(entry.place, &format!("the field `{}` of {} is not known and ignored", entry.name, self.what));
        }
    }

    fn field(&self, name: &str) -> String {
        format!("`{name}` of {}", self.what)
    }
}

fn seconds_of(text: &str) -> Option<i64> {
    let digits = text.replace('_', "");
    let number = digits.parse().ok().or_else(|| digits.parse::<f64>().ok().map(|number| number as i64));
    let zoned = || DateTime::parse_from_rfc3339(&text.replacen(' ', "T", 1)).ok().map(|point| point.timestamp());
    let local = || NaiveDateTime::parse_from_str(&text.replacen('T', " ", 1), "%Y-%m-%d %H:%M:%S%.f").ok();
    let day = || text.parse::<NaiveDate>().ok()?.and_hms_opt(0, 0, 0);
    number.or_else(zoned).or_else(|| Some(local().or_else(day)?.and_utc().timestamp()))
}

/// A scalar as text.
pub(super) fn text_of(node: &Node, what: &str) -> Result<String, ModelError> {
    match &node.content {
        Content::Scalar { text, .. } if !node.is_null() => Ok(text.clone()),
        _ => Err(node.place.error(format!("{what} must be text"))),
    }
}
