//! `NAME = value` lists of CREATE and ALTER.

use sqlparser::tokenizer::Token;

use super::Reader;
use crate::Failure;
use crate::command::{Property, PropertyValue};
use crate::names::display_identifier;
use crate::tokens::is_variable;

impl Reader<'_> {
    /// Properties up to the end of the statement, with or without commas between them.
    pub fn properties(&mut self) -> Result<Vec<Property>, Failure> {
        let mut properties = Vec::new();
        while !self.at_end() {
            properties.push(self.property()?);
            self.eat_token(&Token::Comma);
        }
        Ok(properties)
    }

    /// As `properties`, where the statement makes no sense without one.
    pub fn some_properties(&mut self) -> Result<Vec<Property>, Failure> {
        if self.at_end() { Err(self.unexpected()) } else { self.properties() }
    }

    pub fn property(&mut self) -> Result<Property, Failure> {
        let name = self.identifier()?;
        self.expect_token(&Token::Eq)?;
        Ok(Property { name, value: self.property_value()? })
    }

    pub fn property_value(&mut self) -> Result<PropertyValue, Failure> {
        if self.eat_token(&Token::LParen) {
            return self.property_list();
        }
        if self.eat("NULL") {
            return Ok(PropertyValue::Null);
        }
        self.property_text().map(PropertyValue::Text)
    }

    fn property_list(&mut self) -> Result<PropertyValue, Failure> {
        let mut values = Vec::new();
        while !self.eat_token(&Token::RParen) {
            values.push(self.property_text()?);
            if !self.eat_token(&Token::Comma) && !self.at_token(&Token::RParen) {
                return Err(self.unexpected());
            }
        }
        Ok(PropertyValue::List(values))
    }

    fn property_text(&mut self) -> Result<String, Failure> {
        match self.peek() {
            Token::SingleQuotedString(_) | Token::DollarQuotedString(_) => self.string(),
            Token::Placeholder(name) if is_variable(name) => {
                // Its value is known when the statement is parsed again; until then this is a text and a number.
                self.advance();
                Ok("0".to_owned())
            }
            Token::Placeholder(_) => {
                Err(Failure::unsupported("bound value of a property; write the value into the statement"))
            }
            Token::Number(..) | Token::Minus => self.number_text(),
            _ => {
                let parts = self.name_parts()?;
                match parts.as_slice() {
                    [word] => Ok(word.clone()),
                    parts => Ok(parts.iter().map(|part| display_identifier(part)).collect::<Vec<_>>().join(".")),
                }
            }
        }
    }

    fn number_text(&mut self) -> Result<String, Failure> {
        let sign = if self.eat_token(&Token::Minus) { "-" } else { "" };
        let Token::Number(digits, _) = self.peek() else { return Err(self.unexpected()) };
        let text = format!("{sign}{digits}");
        self.advance();
        Ok(text)
    }

    /// The days of `DATA_RETENTION_TIME_IN_DAYS = n`.
    pub fn retention_days(value: &PropertyValue, days_max: u8) -> Result<u8, Failure> {
        let text = match value {
            PropertyValue::Text(text) => text.as_str(),
            _ => "NULL",
        };
        let days = text.parse::<u8>().ok().filter(|days| *days <= days_max);
        days.ok_or_else(|| {
            let hint = format!("give a number from 0 to {days_max}");
            Failure::invalid_value("parameter 'DATA_RETENTION_TIME_IN_DAYS'", text, &hint)
        })
    }

    /// The names after UNSET, up to the end of the statement.
    pub fn unset_names(&mut self) -> Result<Vec<String>, Failure> {
        let mut names = vec![self.identifier()?];
        while !self.at_end() {
            self.eat_token(&Token::Comma);
            names.push(self.identifier()?);
        }
        Ok(names)
    }

    /// `COMMENT = 'text'`, or `COMMENT 'text'` where columns are declared.
    pub fn comment(&mut self) -> Result<Option<String>, Failure> {
        if !self.eat("COMMENT") {
            return Ok(None);
        }
        self.eat_token(&Token::Eq);
        self.string().map(Some)
    }
}
