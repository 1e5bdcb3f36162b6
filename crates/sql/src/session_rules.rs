//! Rules of a session by which its statements are read: what TIMESTAMP is, and whether quoted names keep their
//! letter case.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::data_types::DataType;

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

    pub(crate) fn data_type(self, scale: u8) -> DataType {
        match self {
            Self::Ntz => DataType::TimestampNtz { scale },
            Self::Ltz => DataType::TimestampLtz { scale },
            Self::Tz => DataType::TimestampTz { scale },
        }
    }

    /// The function that makes this type where the name leaves it open.
    pub(crate) fn function(self, name: &str) -> Option<String> {
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
}
