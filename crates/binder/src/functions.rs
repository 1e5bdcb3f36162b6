//! The types of calls, by their entries in the function table (`firn_sql::functions`).

mod arguments;
mod misuses;
mod rules;

use std::sync::Arc;

pub(crate) use arguments::wrong_arguments;
use firn_sql::ast::{Expr, Function, ObjectNamePart};
use firn_sql::functions::{Nulls, Returns, find};
pub(crate) use misuses::misuse;

use crate::coercion::{common_collation, common_of};
use crate::types::{Family, Type, ValueType};

/// A call with the types of its arguments.
pub(crate) struct Call<'call> {
    pub(crate) function: &'call Function,
    pub(crate) arguments: &'call [Argument<'call>],
    /// The type of the first key of WITHIN GROUP.
    pub(crate) ordered: Option<&'call ValueType>,
}

pub(crate) struct Argument<'call> {
    /// `None` for a wildcard.
    pub(crate) expr: Option<&'call Expr>,
    pub(crate) value: ValueType,
}

impl<'call> Call<'call> {
    fn name(&self) -> Option<&'call str> {
        name_of(self.function)
    }

    pub(crate) fn argument(&self, index: usize) -> &Type {
        self.arguments.get(index).map_or(&Type::Unknown, |argument| &argument.value.data_type)
    }

    pub(crate) fn expr(&self, index: usize) -> Option<&'call Expr> {
        self.arguments.get(index)?.expr
    }
}

fn name_of(function: &Function) -> Option<&str> {
    match function.name.0.as_slice() {
        [ObjectNamePart::Identifier(name)] => Some(&name.value),
        _ => None,
    }
}

pub(crate) fn return_type(call: &Call<'_>) -> ValueType {
    let Some(entry) = call.name().and_then(find) else { return ValueType::unknown() };
    let types = |from: usize| call.arguments.iter().skip(from).map(|argument| &argument.value.data_type);
    let data_type = match &entry.returns {
        Returns::Unknown | Returns::Rows(_) => Type::Unknown,
        Returns::Fixed(data_type) => Type::Of(data_type.clone()),
        Returns::Like(index) => call.argument(*index).clone(),
        Returns::Common(from) => common_of(types(*from)),
        Returns::By(rule) => rules::apply(*rule, call),
    };
    let collation = match entry.returns {
        _ if entry.name == "COLLATE" => call.expr(1).and_then(rules::text_of).map(Arc::from),
        Returns::Like(index) => call.arguments.get(index).and_then(|argument| argument.value.collation.clone()),
        _ if data_type.family() != Family::Text => None,
        Returns::Common(from) => common_collation(call.arguments.iter().skip(from).map(|argument| &argument.value)),
        Returns::By(rule) if rules::keeps_collation(rule) => {
            common_collation(call.arguments.iter().map(|argument| &argument.value))
        }
        _ => None,
    };
    ValueType { data_type, nullable: entry.nulls != Nulls::NeverNull, collation }
}
