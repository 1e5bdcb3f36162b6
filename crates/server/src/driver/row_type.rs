//! The types of columns as drivers know them. Of types with parts they get the parts, where the statement API has the whole
//! name: drivers take a name that they do not know for that of a number.

use std::borrow::Cow;

use serde_json::{Value, json};

const WHOLE_NAME: &str = "extTypeName";

/// The `rowtype` of an answer.
pub fn for_drivers(row_type: &str) -> Cow<'_, str> {
    if !row_type.contains(WHOLE_NAME) {
        return Cow::Borrowed(row_type);
    }
    let Ok(Value::Array(mut columns)) = serde_json::from_str(row_type) else { return Cow::Borrowed(row_type) };
    for column in &mut columns {
        let name = column.as_object_mut().and_then(|fields| fields.remove(WHOLE_NAME));
        if let Some((element, dimension)) = name.as_ref().and_then(Value::as_str).and_then(vector) {
            column["vectorDimension"] = json!(dimension);
            column["fields"] = json!([element]);
        }
    }
    Cow::Owned(Value::Array(columns).to_string())
}

/// The type of a vector's elements, and how many it has: `VECTOR(INT, 3)`.
fn vector(name: &str) -> Option<(Value, u64)> {
    let (element, dimension) = name.strip_prefix("VECTOR(")?.strip_suffix(')')?.split_once(", ")?;
    let of_type = |type_name: &str, digits: Option<u8>| {
        json!({
            "name": "", "type": type_name, "nullable": false, "length": null, "byteLength": null, "precision": digits,
            "scale": digits.map(|_| 0), "fields": null,
        })
    };
    let element = if element == "INT" { of_type("fixed", Some(38)) } else { of_type("real", None) };
    Some((element, dimension.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::for_drivers;

    #[test]
    fn vectors_have_their_dimension_in_a_field_of_its_own() {
        let row_type = r#"[{"name":"V","type":"vector","extTypeName":"VECTOR(FLOAT, 3)"},{"name":"A","type":"array","extTypeName":"ARRAY(NUMBER(38,0))"}]"#;
        let columns: Value = serde_json::from_str(&for_drivers(row_type)).unwrap_or_default();
        assert_eq!((&columns[0]["vectorDimension"], &columns[0]["fields"][0]["type"]), (&3.into(), &"real".into()));
        assert!(columns[0].get("extTypeName").is_none() && columns[1].get("extTypeName").is_none());
        assert_eq!(columns[1]["type"], "array");
    }
}
