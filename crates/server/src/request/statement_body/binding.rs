//! One binding: a type and a value, or one value per row.

use std::collections::HashMap;
use std::fmt;

use firn_sql::bindings::{Binding, BindingValue};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// A value for a placeholder.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Binding)]
#[serde(expecting = "a JSON object")]
pub struct BindingBody {
    /// FIXED, REAL, DECFLOAT, TEXT, BOOLEAN, DATE, TIME, TIMESTAMP_NTZ, TIMESTAMP_LTZ, TIMESTAMP_TZ or BINARY.
    #[serde(rename = "type")]
    #[schema(example = "FIXED")]
    type_name: String,
    /// The value as text, null, or an array of these: one per row of a bulk insert.
    #[schema(value_type = BindingValueSchema)]
    value: ValueBody,
}

/// Values by position or name, each given once.
#[derive(Debug, Default)]
pub struct BindingsBody(pub HashMap<String, BindingBody>);

impl<'de> Deserialize<'de> for BindingsBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BindingsVisitor)
    }
}

struct BindingsVisitor;

impl<'de> Visitor<'de> for BindingsVisitor {
    type Value = BindingsBody;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of bindings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<BindingsBody, A::Error> {
        let mut bindings = HashMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let value = map.next_value()?;
            if bindings.contains_key(&key) {
                return Err(A::Error::custom(format_args!("binding `{key}` is given twice")));
            }
            bindings.insert(key, value);
        }
        Ok(BindingsBody(bindings))
    }
}

/// The value as text, null, or an array of these.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(as = BindingValue)]
pub enum BindingValueSchema {
    One(Option<String>),
    Many(Vec<Option<String>>),
}

#[derive(Debug)]
struct ValueBody(BindingValue);

impl From<BindingBody> for Binding {
    fn from(body: BindingBody) -> Self {
        Self { type_name: body.type_name, value: body.value.0 }
    }
}

impl<'de> Deserialize<'de> for ValueBody {
    /// Reads the raw text, so that a number keeps every digit it was written with.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let value = if raw.get().starts_with('[') {
            let elements: Vec<&RawValue> = serde_json::from_str(raw.get()).map_err(D::Error::custom)?;
            BindingValue::Many(elements.into_iter().map(scalar).collect::<Result<_, _>>().map_err(D::Error::custom)?)
        } else {
            BindingValue::One(scalar(raw).map_err(D::Error::custom)?)
        };
        Ok(Self(value))
    }
}

/// A string's content; a number or boolean as it is written; nothing for null.
fn scalar(raw: &RawValue) -> Result<Option<String>, String> {
    match raw.get().as_bytes().first() {
        Some(b'"') => serde_json::from_str(raw.get()).map(Some).map_err(|error| error.to_string()),
        Some(b'n') => Ok(None),
        Some(b'[' | b'{') | None => Err("expected a string, null, or an array of strings and nulls".to_owned()),
        Some(_) => Ok(Some(raw.get().to_owned())),
    }
}
