//! The types of expressions, for the binder and for `Bound::type_of`.

use firn_sql::ast::{
    BinaryOperator, CastKind, DataType as TreeType, Expr, Function, FunctionArg, FunctionArgExpr,
    FunctionArgumentClause, FunctionArguments, Ident, JsonPath, JsonPathElem, LambdaFunction, ObjectNamePart, Query,
    SelectItem, SetExpr, UnaryOperator, Value, WindowType,
};
use firn_sql::command::DataType;
use firn_sql::{StructuredType, declared_type};

use super::Binder;
use crate::arithmetic::Digits;
use crate::bound::{Bound, LoweredTypes, Node};
use crate::casts::refusing_function;
use crate::coercion::{common_collation, common_of};
use crate::error::BindError;
use crate::functions::{self, Argument, Call};
use crate::node::NodeId;
use crate::operators;
use crate::schema::SchemaError;
use crate::scope::Scope;
use crate::types::{TEXT, Type, ValueType, of_part};

/// The type of an expression of a bound tree.
pub(crate) fn type_of(expr: &Expr, bound: &Bound) -> ValueType {
    value_type(expr, &mut &*bound).unwrap_or_else(|_| ValueType::unknown())
}

/// The type of an expression that a lowering has rewritten in part.
pub(crate) fn type_of_lowered(expr: &Expr, bound: &Bound, lowered_types: &dyn LoweredTypes) -> ValueType {
    value_type(expr, &mut Lowered { bound, lowered_types }).unwrap_or_else(|_| ValueType::unknown())
}

/// How the leaves of an expression get their types.
trait Leaves {
    /// The type of a cast that is not the dialect's.
    fn engine_cast(&mut self, _: &TreeType) -> Option<Type> {
        None
    }

    /// The type of the call that an expression takes the place of.
    fn lowered_call(&self, _: &Expr) -> Option<ValueType> {
        None
    }

    /// An operator is given operands that it does not take.
    fn wrong_operands(&mut self, _first: &Expr, _operator: &str, _types: &[&Type]) {}

    fn column(&mut self, name: &[Ident]) -> Result<ValueType, SchemaError>;
    fn position(&mut self, expr: &Expr, position: usize) -> Result<ValueType, SchemaError>;
    fn call(&mut self, expr: &Expr, function: &Function) -> Result<ValueType, SchemaError>;
    /// The type of the first column.
    fn subquery(&mut self, query: &Query) -> Result<ValueType, SchemaError>;
    fn lambda(&mut self, lambda: &LambdaFunction) -> Result<ValueType, SchemaError>;
}

/// A bound tree has the types of its leaves.
impl Leaves for &Bound {
    fn column(&mut self, name: &[Ident]) -> Result<ValueType, SchemaError> {
        let node = name.last().and_then(NodeId::of_name).and_then(|id| self.nodes.get(id.index())?.as_ref());
        Ok(node.map_or_else(ValueType::unknown, |node| node.value.clone()))
    }

    fn position(&mut self, expr: &Expr, _: usize) -> Result<ValueType, SchemaError> {
        Ok(self.node(expr).map_or_else(ValueType::unknown, |node| node.value.clone()))
    }

    fn call(&mut self, expr: &Expr, _: &Function) -> Result<ValueType, SchemaError> {
        Ok(self.node(expr).map_or_else(ValueType::unknown, |node| node.value.clone()))
    }

    fn subquery(&mut self, query: &Query) -> Result<ValueType, SchemaError> {
        only_column(query, self)
    }

    fn lambda(&mut self, lambda: &LambdaFunction) -> Result<ValueType, SchemaError> {
        value_type(&lambda.body, self)
    }
}

/// A bound tree with calls and casts of an engine in it.
struct Lowered<'tree> {
    bound: &'tree Bound,
    lowered_types: &'tree dyn LoweredTypes,
}

impl Leaves for Lowered<'_> {
    fn engine_cast(&mut self, target: &TreeType) -> Option<Type> {
        self.lowered_types.type_of_cast(target)
    }

    fn lowered_call(&self, expr: &Expr) -> Option<ValueType> {
        self.bound.node(expr).map(|node| node.value.clone())
    }

    fn column(&mut self, name: &[Ident]) -> Result<ValueType, SchemaError> {
        (&mut &*self.bound).column(name)
    }

    fn position(&mut self, expr: &Expr, position: usize) -> Result<ValueType, SchemaError> {
        (&mut &*self.bound).position(expr, position)
    }

    /// A call that is lowered keeps its identity, so the type of an engine's call is asked for only where the lowering
    /// has put it in.
    fn call(&mut self, expr: &Expr, function: &Function) -> Result<ValueType, SchemaError> {
        if let Some(node) = self.bound.node(expr) {
            return Ok(node.value.clone());
        }
        Ok(ValueType::nullable(self.lowered_types.type_of_call(function, self.bound).unwrap_or_default()))
    }

    fn subquery(&mut self, query: &Query) -> Result<ValueType, SchemaError> {
        only_column(query, self)
    }

    fn lambda(&mut self, lambda: &LambdaFunction) -> Result<ValueType, SchemaError> {
        value_type(&lambda.body, self)
    }
}

/// The type of the only column that a query shows, where it is written out. A query without rows is NULL.
fn only_column<L: Leaves>(query: &Query, leaves: &mut L) -> Result<ValueType, SchemaError> {
    let SetExpr::Select(select) = &*query.body else { return Ok(ValueType::unknown()) };
    match select.projection.as_slice() {
        [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] => {
            Ok(ValueType { nullable: true, ..value_type(expr, leaves)? })
        }
        _ => Ok(ValueType::unknown()),
    }
}

impl Leaves for Binder<'_> {
    fn wrong_operands(&mut self, first: &Expr, operator: &str, types: &[&Type]) {
        self.bound.errors.push(BindError::operands(operator, types, first));
    }

    fn column(&mut self, name: &[Ident]) -> Result<ValueType, SchemaError> {
        // The value DEFAULT of an INSERT or UPDATE is the one name that is not quoted.
        if let [only] = name
            && only.quote_style.is_none()
            && only.value == "DEFAULT"
        {
            return Ok(ValueType::unknown());
        }
        Ok(self.column_reference(name))
    }

    fn position(&mut self, expr: &Expr, position: usize) -> Result<ValueType, SchemaError> {
        Ok(self.positional_reference(expr, position))
    }

    fn call(&mut self, expr: &Expr, function: &Function) -> Result<ValueType, SchemaError> {
        let value = self.function_call(function)?;
        self.set_node(NodeId::of(expr), Node { value: value.clone(), origin: None, reference: None });
        Ok(value)
    }

    fn subquery(&mut self, query: &Query) -> Result<ValueType, SchemaError> {
        let column = self.query(query)?.column(0);
        // A query without rows is NULL.
        Ok(column.map_or_else(ValueType::unknown, |column| ValueType { nullable: true, ..column.value }))
    }

    fn lambda(&mut self, lambda: &LambdaFunction) -> Result<ValueType, SchemaError> {
        self.lambda_of(lambda, &[])
    }
}

impl Binder<'_> {
    pub(super) fn expression(&mut self, expr: &Expr) -> Result<ValueType, SchemaError> {
        value_type(expr, self)
    }

    /// Parameters have their declared types, those of the values they are bound to, or are VARIANTs.
    fn lambda_of(&mut self, lambda: &LambdaFunction, values: &[Argument<'_>]) -> Result<ValueType, SchemaError> {
        let parameters = lambda.params.iter().enumerate().map(|(place, parameter)| {
            let declared = parameter.data_type.as_ref().and_then(|data_type| declared_type(data_type).ok());
            let value = match (declared, values.get(place)) {
                (Some(declared), _) => ValueType::nullable(declared),
                (None, Some(bound)) => bound.value.clone(),
                (None, None) => ValueType::nullable(DataType::Variant),
            };
            (parameter.name.value.clone(), value)
        });
        self.scopes.push(Scope { lambda_parameters: parameters.collect(), ..Scope::default() });
        let value = value_type(&lambda.body, self);
        self.scopes.pop();
        value
    }

    fn function_call(&mut self, function: &Function) -> Result<ValueType, SchemaError> {
        self.enter_call(function);
        let mut arguments = Vec::new();
        if let FunctionArguments::List(list) = &function.args {
            for argument in &list.args {
                // The body of a user's function is a lambda over the values of its arguments.
                if let FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Lambda(lambda))) = argument
                    && is_user_function(function)
                {
                    return self.lambda_of(lambda, &arguments);
                }
                arguments.push(self.argument(argument)?);
            }
            for clause in &list.clauses {
                if let FunctionArgumentClause::OrderBy(keys) = clause {
                    self.expressions(keys.iter().map(|key| &key.expr))?;
                }
            }
        }
        self.expressions(function.filter.as_deref())?;
        let mut ordered = None;
        for key in &function.within_group {
            let value = self.expression(&key.expr)?;
            ordered.get_or_insert(value);
        }
        if let Some(WindowType::WindowSpec(window)) = &function.over {
            self.window(window)?;
        }
        self.leave_call(function);
        if let Some(value) = self.user_function(function, &arguments) {
            return Ok(value);
        }
        let call = Call { function, arguments: &arguments, ordered: ordered.as_ref() };
        let wrong = functions::misuse(&call, |expr| self.shown(expr)).or_else(|| functions::wrong_arguments(&call));
        self.bound.errors.extend(wrong);
        Ok(functions::return_type(&call))
    }

    pub(super) fn argument<'expr>(&mut self, argument: &'expr FunctionArg) -> Result<Argument<'expr>, SchemaError> {
        match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))
            | FunctionArg::Named { arg: FunctionArgExpr::Expr(expr), .. }
            | FunctionArg::ExprNamed { arg: FunctionArgExpr::Expr(expr), .. } => {
                Ok(Argument { expr: Some(expr), value: self.expression(expr)? })
            }
            FunctionArg::Unnamed(FunctionArgExpr::WildcardWithOptions(options)) => {
                let mut columns = Vec::new();
                if self.wildcard(None, options, &mut columns)? && columns.is_empty() {
                    self.bound.errors.push(BindError::NoColumns);
                }
                Ok(Argument { expr: None, value: ValueType::unknown() })
            }
            _ => Ok(Argument { expr: None, value: ValueType::unknown() }),
        }
    }
}

/// `__BOUND(value, …, (name, …) -> body)`.
fn is_user_function(function: &Function) -> bool {
    matches!(function.name.0.as_slice(), [ObjectNamePart::Identifier(name)] if name.value == "__BOUND")
}

fn value_type<L: Leaves>(expr: &Expr, leaves: &mut L) -> Result<ValueType, SchemaError> {
    match expr {
        Expr::Identifier(name) => leaves.column(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(parts) => leaves.column(parts),
        Expr::Value(value) => match &value.value {
            Value::Placeholder(name) => match name.strip_prefix('$').and_then(|place| place.parse().ok()) {
                Some(position) => leaves.position(expr, position),
                None => Ok(ValueType::unknown()),
            },
            literal => Ok(of_literal(literal)),
        },
        Expr::Function(function) => leaves.call(expr, function),
        Expr::Nested(inside) => value_type(inside, leaves),
        Expr::Cast { kind, expr, data_type, .. } => cast(kind, expr, data_type, leaves),
        Expr::UnaryOp { op, expr } => {
            let operand = value_type(expr, leaves)?;
            let data_type = match op {
                UnaryOperator::Not => DataType::Boolean.into(),
                _ => {
                    if operators::refuses(&[&operand.data_type]) {
                        leaves.wrong_operands(expr, &op.to_string(), &[&operand.data_type]);
                    }
                    operators::sign(&operand.data_type)
                }
            };
            Ok(ValueType { nullable: operand.nullable, ..ValueType::nullable(data_type) })
        }
        Expr::BinaryOp { left, op, right } => operation(left, op, right, leaves),
        Expr::Case { operand, conditions, else_result, .. } => {
            if let Some(known) = leaves.lowered_call(expr) {
                return Ok(known);
            }
            if let Some(operand) = operand {
                value_type(operand, leaves)?;
            }
            let mut results = Vec::with_capacity(conditions.len() + 1);
            for branch in conditions {
                value_type(&branch.condition, leaves)?;
                results.push(value_type(&branch.result, leaves)?);
            }
            if let Some(otherwise) = else_result {
                results.push(value_type(otherwise, leaves)?);
            }
            let data_type = common_of(results.iter().map(|result| &result.data_type));
            Ok(ValueType { collation: common_collation(&results), ..ValueType::nullable(data_type) })
        }
        Expr::Subquery(query) => leaves.subquery(query),
        Expr::JsonAccess { value, path } => access(value, path, leaves),
        Expr::Lambda(lambda) => leaves.lambda(lambda),
        _ => predicate(expr, leaves),
    }
}

/// What is true, false or NULL, and what holds expressions without being one.
fn predicate<L: Leaves>(expr: &Expr, leaves: &mut L) -> Result<ValueType, SchemaError> {
    let boolean = ValueType::nullable(DataType::Boolean);
    let mut all = |parts: &[&Expr]| parts.iter().try_for_each(|part| value_type(part, leaves).map(drop));
    match expr {
        Expr::IsNull(inside) | Expr::IsNotNull(inside) => {
            all(&[inside])?;
            Ok(ValueType::not_null(DataType::Boolean))
        }
        Expr::IsTrue(inside)
        | Expr::IsNotTrue(inside)
        | Expr::IsFalse(inside)
        | Expr::IsNotFalse(inside)
        | Expr::IsUnknown(inside)
        | Expr::IsNotUnknown(inside) => all(&[inside]).map(|()| boolean),
        Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right)
        | Expr::AnyOp { left, right, .. }
        | Expr::AllOp { left, right, .. } => all(&[left, right]).map(|()| boolean),
        Expr::Like { expr, pattern, .. } | Expr::ILike { expr, pattern, .. } | Expr::RLike { expr, pattern, .. } => {
            all(&[expr, pattern]).map(|()| boolean)
        }
        Expr::Between { expr, low, high, .. } => all(&[expr, low, high]).map(|()| boolean),
        Expr::InList { expr, list, .. } => {
            value_type(expr, leaves)?;
            list.iter().try_for_each(|item| value_type(item, leaves).map(drop))?;
            Ok(boolean)
        }
        Expr::InSubquery { expr, subquery, .. } => {
            value_type(expr, leaves)?;
            leaves.subquery(subquery)?;
            Ok(boolean)
        }
        Expr::Exists { subquery, .. } => leaves.subquery(subquery).map(|_| boolean),
        Expr::Tuple(parts) => {
            parts.iter().try_for_each(|part| value_type(part, leaves).map(drop))?;
            Ok(ValueType::unknown())
        }
        Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
            sets.iter().flatten().try_for_each(|part| value_type(part, leaves).map(drop))?;
            Ok(ValueType::unknown())
        }
        _ => Ok(ValueType::unknown()),
    }
}

fn operation<L: Leaves>(
    left: &Expr,
    op: &BinaryOperator,
    right: &Expr,
    leaves: &mut L,
) -> Result<ValueType, SchemaError> {
    let one = value_type(left, leaves)?;
    if let Expr::Interval(interval) = right {
        return Ok(ValueType::nullable(operators::plus_interval(&one.data_type, interval)));
    }
    let other = value_type(right, leaves)?;
    let types = [&one.data_type, &other.data_type];
    if operators::is_for_numbers(op) && operators::refuses(&types) {
        leaves.wrong_operands(left, &op.to_string(), &types);
    }
    let is_total = matches!(op, BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply);
    let data_type = operators::binary(&one.data_type, op, &other.data_type);
    let nullable = !is_total || one.nullable || other.nullable;
    let is_text = *op == BinaryOperator::StringConcat;
    let collation = if is_text { common_collation([&one, &other]) } else { None };
    Ok(ValueType { data_type, nullable, collation })
}

/// The cast of a literal has a value; of anything else it may be NULL.
fn cast<L: Leaves>(
    kind: &CastKind,
    operand: &Expr,
    data_type: &TreeType,
    leaves: &mut L,
) -> Result<ValueType, SchemaError> {
    if let Some(data_type) = leaves.engine_cast(data_type) {
        return Ok(ValueType::nullable(data_type));
    }
    let operand_type = value_type(operand, leaves)?;
    let data_type = declared_type(data_type).map_or(Type::Unknown, Type::Of);
    if *kind != CastKind::TryCast
        && let Some(function) = refusing_function(&operand_type.data_type, &data_type)
    {
        leaves.wrong_operands(operand, function, &[&operand_type.data_type]);
    }
    let is_certain = *kind != CastKind::TryCast && matches!(operand, Expr::Value(_)) && !operand_type.nullable;
    Ok(ValueType { nullable: !is_certain, ..ValueType::nullable(data_type) })
}

fn of_literal(literal: &Value) -> ValueType {
    match literal {
        Value::Number(digits, _) => {
            let exact = Digits::of_literal(digits).map(Digits::data_type);
            ValueType::not_null(exact.unwrap_or(DataType::Float))
        }
        Value::SingleQuotedString(text)
        | Value::DollarQuotedString(sqlparser::ast::DollarQuotedString { value: text, .. }) => {
            let length = u64::try_from(text.chars().count()).ok().filter(|length| *length > 0);
            ValueType::not_null(DataType::Varchar { length })
        }
        Value::Boolean(_) => ValueType::not_null(DataType::Boolean),
        Value::Null => ValueType::nullable(Type::Null),
        Value::NationalStringLiteral(_) => ValueType::nullable(TEXT),
        _ => ValueType::unknown(),
    }
}

/// `v:a[0]`: a part of a structured value has its declared type, of any other it is a VARIANT.
fn access<L: Leaves>(value: &Expr, path: &JsonPath, leaves: &mut L) -> Result<ValueType, SchemaError> {
    let whole = value_type(value, leaves)?;
    for element in &path.path {
        if let JsonPathElem::Bracket { key } = element {
            value_type(key, leaves)?;
        }
    }
    if operators::has_no_parts(&whole.data_type)
        && let Some(first) = path.path.first()
    {
        leaves.wrong_operands(value, "GET", &[&whole.data_type, &key_type(first)]);
    }
    let data_type = match &whole.data_type {
        Type::Of(DataType::Structured(structured)) => part_at(structured, path),
        _ => DataType::Variant.into(),
    };
    Ok(ValueType::nullable(data_type))
}

/// The type of the first step of a path.
fn key_type(element: &JsonPathElem) -> Type {
    match element {
        JsonPathElem::Dot { key, .. } => of_literal(&Value::SingleQuotedString(key.clone())).data_type,
        JsonPathElem::Bracket { key: Expr::Value(key) } | JsonPathElem::ColonBracket { key: Expr::Value(key) } => {
            of_literal(&key.value).data_type
        }
        _ => TEXT.into(),
    }
}

fn part_at(structured: &StructuredType, path: &JsonPath) -> Type {
    let mut part = structured;
    for element in &path.path {
        let key = match element {
            JsonPathElem::Dot { key, .. } => Some(key.as_str()),
            JsonPathElem::Bracket { key: Expr::Value(value) } => match &value.value {
                Value::SingleQuotedString(key) => Some(key.as_str()),
                _ => None,
            },
            _ => None,
        };
        match part.part(key) {
            Some(inside) => part = inside,
            None => return Type::Unknown,
        }
    }
    of_part(part)
}
