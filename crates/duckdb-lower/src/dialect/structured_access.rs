//! Access into structured values: an element has its declared type, where that of a semi-structured value is a VARIANT.

use std::rc::Rc;

use firn_binder::Bound;
use firn_sql::ast::{CastKind, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, JsonPathElem};
use firn_sql::command::DataType;
use firn_sql::{Failure, StructuredType};

use super::build::{call_name, null, plain_arguments, text};
use super::casts::{convert, structured_value};
use super::columns::Columns;
use super::literal_values::{integer_of, text_of};
use super::variant_functions::structured_type;
use super::{function_names, semi_structured};

const FUNCTIONS_OF_TYPED_MAPS: &[&str] = &["MAP_CAT", "MAP_DELETE", "MAP_INSERT", "MAP_KEYS", "MAP_PICK"];

pub(super) struct StructuredColumns {
    bound: Rc<Bound>,
}

impl StructuredColumns {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) -> Result<(), Failure> {
        let found = match expr {
            Expr::JsonAccess { value, path } => self.type_of(value).and_then(|whole| at_path(whole, &mut path.path)),
            Expr::Function(function) => {
                self.cast_map(function);
                self.element(function)
            }
            _ => None,
        };
        let Some(found) = found else { return Ok(()) };
        semi_structured::rewrite(expr)?;
        function_names::rewrite(expr)?;
        let part = std::mem::replace(expr, null());
        *expr = match &found {
            StructuredType::Plain(DataType::Variant) => part,
            StructuredType::Plain(data_type) => convert(&CastKind::Cast, part, data_type),
            structured => structured_value(part, structured),
        };
        Ok(())
    }

    fn type_of(&self, expr: &Expr) -> Option<StructuredType> {
        match expr {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.bound_type(expr),
            Expr::Nested(inside) => self.type_of(inside),
            other => structured_type(other).or_else(|| self.bound_type(other)),
        }
    }

    /// The type of a name or a call.
    fn bound_type(&self, expr: &Expr) -> Option<StructuredType> {
        match self.bound.node(expr)?.value.data_type.data_type()? {
            DataType::Structured(structured) => Some((**structured).clone()),
            _ => None,
        }
    }

    /// Adds an explicit cast: the functions that depend on the type of a map look for one.
    fn cast_map(&self, function: &mut Function) {
        let takes_map = call_name(function).is_some_and(|name| FUNCTIONS_OF_TYPED_MAPS.contains(&name));
        let FunctionArguments::List(list) = &mut function.args else { return };
        if let Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(map))) = list.args.first_mut().filter(|_| takes_map)
            && matches!(map, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
            && let Some(structured) = self.type_of(map)
        {
            *map = structured_value(std::mem::replace(map, null()), &structured);
        }
    }

    /// `GET(x, 'a')`.
    fn element(&self, function: &Function) -> Option<StructuredType> {
        if call_name(function)? != "GET" {
            return None;
        }
        let &[value, key] = &plain_arguments(function)?[..] else { return None };
        self.type_of(value)?.part(text_of(key)).cloned()
    }
}

fn at_path(whole: StructuredType, path: &mut [JsonPathElem]) -> Option<StructuredType> {
    path.iter_mut().try_fold(whole, |inside, step| {
        let key = match step {
            JsonPathElem::Dot { key, .. } => Some(key.as_str()),
            JsonPathElem::Bracket { key } | JsonPathElem::ColonBracket { key } => {
                if matches!(inside, StructuredType::Map { .. })
                    && let Some(number) = integer_of(key)
                {
                    *key = text(&number.to_string());
                }
                text_of(key)
            }
        };
        inside.part(key).cloned()
    })
}
