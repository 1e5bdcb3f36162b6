//! A mapping of the document: its fields are taken one by one, and what nobody took is unknown.

use saphyr::{MarkedYaml, Scalar, YamlData};

use super::{ModelError, Place, Reading};

pub(super) struct Fields<'a> {
    /// What the mapping describes, for messages.
    pub(super) what: String,
    pub(super) place: Place,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    name: String,
    place: Place,
    value: &'a MarkedYaml<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(node: &'a MarkedYaml<'a>, what: &str) -> Result<Self, ModelError> {
        let place = Place::of(node);
        let YamlData::Mapping(mapping) = &node.data else {
            return Err(place.error(format!("{what} must be a mapping of fields, such as `name: …`")));
        };
        let mut entries = Vec::new();
        for (key, value) in mapping {
            let Some(name) = key.data.as_str() else {
                return Err(Place::of(key).error(format!("a field of {what} has a name that is not text")));
            };
            entries.push(Entry { name: name.to_owned(), place: Place::of(key), value });
        }
        Ok(Self { what: what.to_owned(), place, entries })
    }

    /// The field under one of its names; an empty one counts as absent.
    pub(super) fn take(&mut self, names: &[&str]) -> Result<Option<&'a MarkedYaml<'a>>, ModelError> {
        let mut found: Option<Entry<'a>> = None;
        while let Some(index) = self.entries.iter().position(|entry| names.contains(&entry.name.as_str())) {
            let entry = self.entries.remove(index);
            if let Some(first) = &found {
                let message = format!("`{}` and `{}` of {} mean the same; keep one", first.name, entry.name, self.what);
                return Err(entry.place.error(message));
            }
            found = Some(entry);
        }
        Ok(found.map(|entry| entry.value).filter(|value| !value.data.is_null()))
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ModelError> {
        let what = self.field(name);
        self.take(&[name])?.map(|node| text_of(node, &what)).transpose()
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
        match &node.data {
            YamlData::Value(Scalar::Boolean(flag)) => Ok(*flag),
            YamlData::Value(Scalar::String(text)) if text.eq_ignore_ascii_case("true") => Ok(true),
            YamlData::Value(Scalar::String(text)) if text.eq_ignore_ascii_case("false") => Ok(false),
            _ => Err(Place::of(node).error(format!("{} must be true or false", self.field(name)))),
        }
    }

    pub(super) fn whole_number(&mut self, name: &str) -> Result<Option<i64>, ModelError> {
        let Some(node) = self.take(&[name])? else { return Ok(None) };
        let number = match &node.data {
            YamlData::Value(Scalar::Integer(number)) => Some(*number),
            YamlData::Value(Scalar::FloatingPoint(number)) => Some(number.into_inner() as i64),
            YamlData::Value(Scalar::String(text)) => text.trim().parse().ok(),
            _ => None,
        };
        number.map(Some).ok_or_else(|| Place::of(node).error(format!("{} must be a whole number", self.field(name))))
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
                Err(Place::of(node).error(message))
            }
        }
    }

    /// A list of texts; numbers and dates are taken as they are written.
    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, ModelError> {
        let what = self.field(name);
        let Some(node) = self.take(&[name])? else { return Ok(Vec::new()) };
        match &node.data {
            YamlData::Sequence(items) => {
                items.iter().filter(|item| !item.data.is_null()).map(|item| text_of(item, &what)).collect()
            }
            YamlData::Value(_) => Ok(vec![text_of(node, &what)?]),
            _ => Err(Place::of(node).error(format!("{what} must be a list"))),
        }
    }

    /// A list of mappings under one of the names.
    pub(super) fn list(&mut self, names: &[&str]) -> Result<Vec<&'a MarkedYaml<'a>>, ModelError> {
        let what = self.field(names.first().copied().unwrap_or_default());
        let Some(node) = self.take(names)? else { return Ok(Vec::new()) };
        match &node.data {
            YamlData::Sequence(items) => Ok(items.iter().collect()),
            _ => Err(Place::of(node).error(format!("{what} must be a list; begin each entry with `- `"))),
        }
    }

    /// Warns of what nobody took.
    pub(super) fn finish(self, reading: &mut Reading) {
        for entry in &self.entries {
            reading.warn(entry.place, &format!("the field `{}` of {} is not known and ignored", entry.name, self.what));
        }
    }

    fn field(&self, name: &str) -> String {
        format!("`{name}` of {}", self.what)
    }
}

/// A scalar as text.
pub(super) fn text_of(node: &MarkedYaml<'_>, what: &str) -> Result<String, ModelError> {
    match &node.data {
        YamlData::Value(Scalar::String(text)) => Ok(text.to_string()),
        YamlData::Value(Scalar::Integer(number)) => Ok(number.to_string()),
        YamlData::Value(Scalar::FloatingPoint(number)) => Ok(number.to_string()),
        YamlData::Value(Scalar::Boolean(flag)) => Ok(flag.to_string()),
        _ => Err(Place::of(node).error(format!("{what} must be text"))),
    }
}
