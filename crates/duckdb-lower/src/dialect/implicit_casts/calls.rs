//! Arguments of calls, by the parameters of the function table.

use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};
use firn_sql::command::DataType;
use firn_sql::functions::{FunctionEntry, Parameter, Returns, Rule, find};

use super::literal_texts::is_word;
use super::{ImplicitCasts, OPERAND, cast_to_kind_of, read_as, shifted, wrap};
use crate::dialect::build::{is_null, only_part};
use crate::dialect::instants::{choose_instant, order_by_instant};
use crate::dialect::kinds::{Kind, common_kind};
use crate::dialect::null_texts::text_of_null;

impl ImplicitCasts<'_> {
    pub(super) fn call(&self, function: &mut Function) {
        let Some(name) = only_part(&function.name) else { return };
        let FunctionArguments::List(list) = &mut function.args else { return };
        let mut arguments: Vec<&mut Expr> = list
            .args
            .iter_mut()
            .filter_map(|argument| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
                _ => None,
            })
            .collect();
        let Some(entry) = find(name) else { return };
        match (name, &entry.returns) {
            ("GREATEST" | "GREATEST_IGNORE_NULLS" | "LEAST" | "LEAST_IGNORE_NULLS", _) => {
                let kinds: Option<Vec<Kind>> = arguments.iter().map(|value| self.kinds.kind(value)).collect();
                self.unify(arguments);
                if kinds.is_some_and(|kinds| common_kind(&kinds) == Some(Kind::TimestampTz)) {
                    choose_instant(function);
                }
            }
            (_, Returns::Common(from)) => {
                let results = arguments.split_off((*from).min(arguments.len()));
                self.coerce(entry, arguments);
                self.unify(results);
            }
            (_, Returns::By(Rule::Shifted)) => shifted::coerce(self.columns, &mut arguments),
            ("MAX_BY" | "MIN_BY", _) => {
                if let Some(key) = arguments.get_mut(1) {
                    order_by_instant(&self.kinds, key);
                }
            }
            ("NULLIF", _) => {
                if let [left, right] = &mut arguments[..] {
                    self.compare_keeping_first(left, right);
                }
            }
            ("EQUAL_NULL", _) => {
                if let [left, right] = &mut arguments[..] {
                    self.compare(left, right);
                }
            }
            // To a part of a date.
            ("TRUNC", _) if matches!(&arguments[..], [_, part] if self.kinds.kind(part) == Some(Kind::Text)) => {}
            ("DECODE", _) => self.decode(arguments),
            ("TO_DATE" | "TO_TIMESTAMP" | "TO_TIMESTAMP_LTZ" | "TO_TIMESTAMP_NTZ" | "TO_TIMESTAMP_TZ", _) => {
                self.epoch(&mut arguments);
            }
            _ => self.coerce(entry, arguments),
        }
    }

    /// By the parameters of the function.
    fn coerce(&self, entry: &FunctionEntry, mut arguments: Vec<&mut Expr>) {
        let moves_instant = entry.parameters.contains(&Parameter::Instant);
        for (place, value) in arguments.iter_mut().enumerate() {
            match entry.parameter(place) {
                Parameter::Float | Parameter::Summand => self.float(value),
                Parameter::Numeric if moves_instant => self.amount(value),
                Parameter::Numeric => self.number(value),
                Parameter::TextOrBinary if place == 0 && is_null(value) => **value = text_of_null(),
                Parameter::Boolean => self.truth(value),
                Parameter::Clock if is_null(value) => read_as(value, &DataType::TimestampNtz { scale: 9 }),
                _ => {}
            }
        }
        if moves_instant {
            self.instants(entry, arguments);
        }
    }

    /// Seconds or their fractions since the epoch, in a column of whole numbers.
    fn epoch(&self, arguments: &mut [&mut Expr]) {
        if let Some(value) = arguments.first_mut()
            && let Some(DataType::Number { scale: 0, .. }) = self.columns.type_of(value)
        {
            read_as(value, &DataType::Integer);
        }
    }

    fn decode(&self, mut arguments: Vec<&mut Expr>) {
        if arguments.len() < 3 {
            return;
        }
        let pairs = arguments.split_off(1);
        let (mut results, mut wanted) = (Vec::new(), Vec::new());
        let count = pairs.len();
        for (place, value) in pairs.into_iter().enumerate() {
            if place % 2 == 1 || place + 1 == count {
                results.push(value);
            } else {
                wanted.push(value);
            }
        }
        if let Some(tested) = arguments.first_mut() {
            self.compare_with_each(tested, wanted);
        }
        self.unify(results);
    }

    fn number(&self, value: &mut Expr) {
        match self.kinds.kind(value) {
            Some(Kind::Text) => read_as(value, &OPERAND),
            Some(_) => {}
            None => wrap(value, "firn_as_number"),
        }
    }

    /// What is added to an instant.
    fn amount(&self, value: &mut Expr) {
        match self.kinds.kind(value) {
            Some(Kind::SemiStructured) => read_as(value, &OPERAND),
            _ => self.number(value),
        }
    }

    fn float(&self, value: &mut Expr) {
        match self.kinds.kind(value) {
            Some(Kind::Text) => read_as(value, &DataType::Float),
            Some(_) => {}
            None => wrap(value, "firn_as_float"),
        }
    }

    fn instants(&self, entry: &FunctionEntry, mut arguments: Vec<&mut Expr>) {
        let is_instant = |place: &usize| entry.parameter(*place) == Parameter::Instant;
        let places: Vec<usize> = (0..arguments.len()).filter(is_instant).collect();
        let kind_at = |place: &usize| arguments.get(*place).and_then(|value| self.kinds.kind(value));
        let are_all_null = places.iter().all(|place| arguments.get(*place).is_some_and(|value| is_null(value)));
        let is_of_clocks = places.iter().any(|place| kind_at(place) == Some(Kind::Time));
        for place in &places {
            let Some(value) = arguments.get_mut(*place) else { continue };
            let is_text = self.kinds.kind(value) == Some(Kind::Text) && !is_word(value);
            // A NULL beside an instant takes its type.
            if is_null(value) && are_all_null {
                read_as(value, &DataType::TimestampNtz { scale: 9 });
            } else if is_text && is_of_clocks {
                read_as(value, &DataType::Time { scale: 9 });
            } else if is_text {
                cast_to_kind_of(value, Kind::TimestampNtz);
            }
        }
    }
}
