//! TIMESTAMP in the trees of a command, by the rules of the session.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{DataType as TreeType, Expr, Function, Ident, ObjectName, ObjectNamePart, TimezoneInfo, VisitorMut};
use crate::command::Command;
use crate::data_types::type_in_tree;
use crate::session_rules::{SessionRules, TimestampMapping};
use crate::tree::outcome;

impl SessionRules {
    /// Says of every TIMESTAMP in a command's trees which one it is.
    pub(crate) fn apply(self, command: &mut Command) -> Result<(), Failure> {
        match self.timestamps {
            TimestampMapping::Ntz => Ok(()),
            mapping => outcome(command.visit_tree_mut(&mut Mapping(mapping))),
        }
    }
}

struct Mapping(TimestampMapping);

impl VisitorMut for Mapping {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Cast { data_type, .. } => self.map_type(data_type),
            Expr::TypedString(typed) => self.map_type(&mut typed.data_type),
            Expr::Function(function) => self.map_function(function),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

impl Mapping {
    fn map_type(&self, data_type: &mut TreeType) {
        if let TreeType::Timestamp(scale, TimezoneInfo::None) = data_type
            && let Ok(scale) = u8::try_from(scale.unwrap_or(9))
        {
            *data_type = type_in_tree(&self.0.data_type(scale));
        }
    }

    fn map_function(&self, function: &mut Function) {
        let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else { return };
        if let Some(mapped) = self.0.function(&name.value.to_ascii_uppercase()) {
            function.name = ObjectName::from(vec![Ident { value: mapped, ..name.clone() }]);
        }
    }
}
