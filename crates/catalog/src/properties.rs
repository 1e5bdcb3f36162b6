//! Properties of users, warehouses and integrations: checked when set, stored as one JSON object.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use firn_sql::Failure;
use firn_sql::command::{Property, PropertyValue};
use serde::{Deserialize, Serialize};

use crate::error::CatalogError;

const TEXT_CHARS_MAX: usize = 100_000;

/// Property values by name, in the form they were checked into.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Properties(BTreeMap<String, Checked>);

/// A value that has passed its property's check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Checked {
    Text(String),
    List(Vec<String>),
}

impl Properties {
    pub(crate) fn from_json(json: &str) -> Result<Self, CatalogError> {
        serde_json::from_str(json).map_err(|error| CatalogError::Corrupt(error.to_string()))
    }

    pub(crate) fn to_json(&self) -> Result<String, CatalogError> {
        serde_json::to_string(self).map_err(|error| CatalogError::Corrupt(error.to_string()))
    }

    /// `None` takes the property away.
    pub(crate) fn set(&mut self, name: &str, value: Option<Checked>) {
        match value {
            Some(value) => self.0.insert(name.to_owned(), value),
            None => self.0.remove(name),
        };
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        match self.0.get(name) {
            Some(Checked::Text(text)) => Some(text.clone()),
            _ => None,
        }
    }

    pub(crate) fn list(&self, name: &str) -> Vec<String> {
        match self.0.get(name) {
            Some(Checked::List(items)) => items.clone(),
            Some(Checked::Text(text)) => vec![text.clone()],
            None => Vec::new(),
        }
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.text(name).map(|text| text == "true")
    }

    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.text(name)?.parse().ok()
    }

    /// Milliseconds since the epoch.
    pub(crate) fn instant(&self, name: &str) -> Option<i64> {
        self.text(name)?.parse().ok()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(|(name, value)| match value {
            Checked::Text(text) => Some((name.as_str(), text.as_str())),
            Checked::List(_) => None,
        })
    }
}

/// The outcome of checking one property: `None` when it was set to NULL.
pub(crate) type CheckedProperty = Result<Option<Checked>, Failure>;

pub(crate) fn text_of(property: &Property) -> Result<Option<String>, Failure> {
    match &property.value {
        PropertyValue::Null => Ok(None),
        PropertyValue::Text(text) if text.chars().count() > TEXT_CHARS_MAX => Err(Failure::invalid_value(
            &property.name,
            "…",
            &format!("a text of at most {TEXT_CHARS_MAX} characters is expected"),
        )),
        PropertyValue::Text(text) => Ok(Some(text.clone())),
        PropertyValue::List(items) => Err(invalid(property, &items.join(", "), "one value is expected, not a list")),
    }
}

pub(crate) fn check_text(property: &Property) -> CheckedProperty {
    Ok(text_of(property)?.map(Checked::Text))
}

/// One text counts as a list of one.
pub(crate) fn check_list(property: &Property) -> CheckedProperty {
    Ok(match &property.value {
        PropertyValue::Null => None,
        PropertyValue::Text(text) => Some(Checked::List(vec![text.clone()])),
        PropertyValue::List(items) => Some(Checked::List(items.clone())),
    })
}

pub(crate) fn check_flag(property: &Property) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    let flag = match text.to_ascii_uppercase().as_str() {
        "TRUE" => "true",
        "FALSE" => "false",
        _ => return Err(invalid(property, &text, "TRUE or FALSE is expected")),
    };
    Ok(Some(Checked::Text(flag.to_owned())))
}

pub(crate) fn check_number(property: &Property, range: RangeInclusive<u32>) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    match text.trim().parse::<u32>() {
        Ok(number) if range.contains(&number) => Ok(Some(Checked::Text(number.to_string()))),
        _ => {
            let way_out = format!("a whole number from {} to {} is expected", range.start(), range.end());
            Err(invalid(property, &text, &way_out))
        }
    }
}

/// Accepts the value in any letter case and stores it as `choices` spells it.
pub(crate) fn check_choice(property: &Property, choices: &[&str]) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    match choices.iter().find(|choice| choice.eq_ignore_ascii_case(&text)) {
        Some(choice) => Ok(Some(Checked::Text((*choice).to_owned()))),
        None => Err(invalid(property, &text, &format!("{} is expected", choices.join(" or ")))),
    }
}

pub(crate) fn invalid(property: &Property, value: &str, way_out: &str) -> Failure {
    Failure::invalid_value(&property.name, value, way_out)
}

pub(crate) fn unknown_property(name: &str, kind: &str) -> Failure {
    Failure::new("001420", "22023", format!("SQL compilation error:\ninvalid property '{name}' for '{kind}'."))
}
