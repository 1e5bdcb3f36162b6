//! LAG and LEAD with a default: both the value and the default are cast to their common type. The engine would cast the
//! default to the type of the value, which drops digits and times of day.

use firn_binder::{Family, Type, common_type};
use firn_sql::ast::Expr;
use firn_sql::command::DataType;
use firn_sql::functions::types::INTEGER;

use super::{Columns, read_as};

pub(super) fn coerce(columns: &Columns, arguments: &mut [&mut Expr]) {
    let [value, _, default] = arguments else { return };
    let bound = columns.bound();
    let (own, given) = (bound.type_of(value).data_type, bound.type_of(default).data_type);
    let common = common_type(&own, &given);
    let Some(wanted) = common.data_type() else { return };
    if !holds(&own, &common) {
        read_as(value, wanted);
    }
    // The engine casts a number to another number.
    if given.family() != common.family() && given != Type::Null {
        read_as(default, wanted);
    }
}

/// Whether values of the type are values of the common one as they are.
fn holds(own: &Type, common: &Type) -> bool {
    match own.family() {
        Family::Number => own == common || *own == Type::Of(DataType::Integer) && *common == Type::Of(INTEGER),
        family => family == common.family() || *own == Type::Null,
    }
}
