//! PARSE_XML, CHECK_XML, XMLGET and TO_XML.

use firn_values::variant::xml::{Conversion, find_element, of_value, parse_document};
use firn_values::variant::{Number, Variant};

use super::arguments::{Arguments, stored, text};
use crate::columns::Column;
use crate::definition::{Answer, Definition, Kind};

pub(super) const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_parse_xml", &[Kind::Any], Kind::Object, parse_xml),
    Definition::new(c"firn_parse_xml", &[Kind::Any, Kind::Any], Kind::Object, parse_xml),
    Definition::new(c"firn_check_xml", &[Kind::Any], Kind::Text, check_xml),
    Definition::new(c"firn_check_xml", &[Kind::Any, Kind::Any], Kind::Text, check_xml),
    Definition::new(c"firn_xmlget", &[Kind::Any, Kind::Any], Kind::Object, xmlget),
    Definition::new(c"firn_xmlget", &[Kind::Any, Kind::Any, Kind::Any], Kind::Object, xmlget),
    Definition::new(c"firn_to_xml", &[Kind::Any], Kind::Text, |columns, row| {
        Ok(text(Arguments { columns, row }.value(0).map(|value| of_value(&value))))
    }),
];

fn read(arguments: Arguments<'_>) -> Option<Result<Variant, String>> {
    let conversion = match arguments.boolean(1) {
        Some(true) => Conversion::None,
        _ => Conversion::Automatic,
    };
    arguments.text(0).map(|text| parse_document(&text, conversion))
}

fn parse_xml<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let parsed = read(Arguments { columns, row }).transpose();
    parsed.map(stored).map_err(|reason| format!("firn:100100:Error parsing XML: {reason}"))
}

fn check_xml<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    Ok(text(read(Arguments { columns, row }).and_then(Result::err)))
}

fn xmlget<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    let arguments = Arguments { columns, row };
    let (Some(members), Some(name)) = (arguments.object(0)?, arguments.text(1)) else { return Ok(Answer::Null) };
    let instance = match (arguments.count(), arguments.value(2)) {
        (2, _) => Some(0),
        (_, Some(Variant::Number(Number { digits, scale: 0 }))) => usize::try_from(digits).ok(),
        _ => None,
    };
    Ok(stored(instance.and_then(|instance| find_element(&members, &name, instance))))
}
