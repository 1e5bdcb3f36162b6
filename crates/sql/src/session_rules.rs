//! Rules of a session by which its statements are read: what TIMESTAMP is, and whether quoted names keep their
//! letter case.

use std::ops::ControlFlow;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::Failure;
use crate::ast::{DataType as TreeType, Expr, Function, Ident, ObjectName, ObjectNamePart, TimezoneInfo, VisitorMut};
use crate::command::{Command, DataType};
use crate::parse::type_in_tree;
use crate::tree::outcome;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionRules {
    pub timestamps: TimestampMapping,
    pub quoted_names: QuotedNames,
    pub inputs: InputFormatsUse,
}

/// TIMESTAMP_TYPE_MAPPING.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimestampMapping {
    #[default]
    Ntz,
    Ltz,
    Tz,
}

/// QUOTED_IDENTIFIERS_IGNORE_CASE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum QuotedNames {
    #[default]
    AsWritten,
    InUpperCase,
}

/// By which formats texts become dates and times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputFormatsUse {
    #[default]
    Usual,
    OfSession,
}

impl TimestampMapping {
    pub fn parse(value: &str) -> Option<Self> {
        match value.trim().to_ascii_uppercase().as_str() {
            "TIMESTAMP_NTZ" => Some(Self::Ntz),
            "TIMESTAMP_LTZ" => Some(Self::Ltz),
            "TIMESTAMP_TZ" => Some(Self::Tz),
            _ => None,
        }
    }

    pub fn type_name(self) -> &'static str {
        match self {
            Self::Ntz => "TIMESTAMP_NTZ",
            Self::Ltz => "TIMESTAMP_LTZ",
            Self::Tz => "TIMESTAMP_TZ",
        }
    }

    fn data_type(self, scale: u8) -> DataType {
        match self {
            Self::Ntz => DataType::TimestampNtz { scale },
            Self::Ltz => DataType::TimestampLtz { scale },
            Self::Tz => DataType::TimestampTz { scale },
        }
    }

    /// The function that makes this type where the name leaves it open.
    fn function(self, name: &str) -> Option<String> {
        match name {
            "TO_TIMESTAMP" => Some(format!("TO_{}", self.type_name())),
            "TRY_TO_TIMESTAMP" => Some(format!("TRY_TO_{}", self.type_name())),
            "TIMESTAMP_FROM_PARTS" | "TIMESTAMPFROMPARTS" => Some(format!("{}_FROM_PARTS", self.type_name())),
            _ => None,
        }
    }
}

impl SessionRules {
    pub(crate) fn prepare(self, mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        if self.quoted_names == QuotedNames::InUpperCase {
            for token in &mut tokens {
                if let Token::Word(word) = &mut token.token
                    && word.quote_style.is_some()
                {
                    word.value = word.value.to_uppercase();
                }
            }
        }
        tokens
    }

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
