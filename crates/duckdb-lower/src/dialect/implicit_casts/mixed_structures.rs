//! ARRAYs, OBJECTs and VARIANTs in one column are VARIANTs. The engine would take the type of the first for all of them.

use firn_binder::Family;
use firn_sql::ast::Expr;
use firn_sql::command::DataType;

use super::{Columns, read_as};

pub(super) fn make_variants(columns: &Columns, values: &mut [&mut Expr]) {
    let families: Vec<Family> = values.iter().map(|value| columns.bound().type_of(value).family()).collect();
    let is_structure = |family: &&Family| matches!(family, Family::Array | Family::Object | Family::Variant);
    let mut structures = families.iter().filter(is_structure);
    let Some(first) = structures.next() else { return };
    if structures.all(|other| other == first) {
        return;
    }
    for (value, family) in values.iter_mut().zip(&families) {
        if matches!(family, Family::Array | Family::Object) {
            read_as(value, &DataType::Variant);
        }
    }
}
