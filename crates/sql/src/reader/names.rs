//! Identifiers, object names and plain values, folded as they are read.

use sqlparser::tokenizer::Token;

use super::Reader;
use crate::names::{DatabaseRoleName, ObjectName, SchemaName};
use crate::source::SourceStatement;
use crate::tokens::{is_variable, tokenize};
use crate::{Failure, ast};

impl Reader<'_> {
    pub fn identifier(&mut self) -> Result<String, Failure> {
        let name = match self.peek() {
            Token::Word(word) if word.quote_style.is_none() => word.value.to_ascii_uppercase(),
            Token::Word(word) if word.quote_style == Some('"') && !word.value.is_empty() => word.value.clone(),
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(name)
    }

    /// A name with dots; `db..t` has an empty part in the middle.
    pub fn name_parts(&mut self) -> Result<Vec<String>, Failure> {
        if self.at("IDENTIFIER") && *self.peek_nth(1) == Token::LParen {
            return self.identifier_from_text();
        }
        let mut parts = vec![self.identifier()?];
        while self.eat_token(&Token::Period) {
            if self.at_token(&Token::Period) {
                parts.push(String::new());
            } else {
                parts.push(self.identifier()?);
            }
        }
        Ok(parts)
    }

    fn identifier_from_text(&mut self) -> Result<Vec<String>, Failure> {
        self.expect("IDENTIFIER")?;
        self.expect_token(&Token::LParen)?;
        let text = self.string()?;
        self.expect_token(&Token::RParen)?;
        name_parts_of(&text)
    }

    pub fn object_name(&mut self) -> Result<ObjectName, Failure> {
        let place = self.place();
        if self.at_reserved_word() {
            return Err(self.unexpected());
        }
        ObjectName::of_parts(self.name_parts()?).ok_or_else(|| self.unexpected_at(place))
    }

    pub fn schema_name(&mut self) -> Result<SchemaName, Failure> {
        let place = self.place();
        let mut parts = self.name_parts()?.into_iter().rev();
        match (parts.next(), parts.next(), parts.next()) {
            (Some(schema), database, None) => Ok(SchemaName { database, schema }),
            _ => Err(self.unexpected_at(place)),
        }
    }

    pub fn database_role_name(&mut self) -> Result<DatabaseRoleName, Failure> {
        let SchemaName { database, schema } = self.schema_name()?;
        Ok(DatabaseRoleName { database, name: schema })
    }

    /// The name of an object of the account, which has one part.
    pub fn account_name(&mut self) -> Result<String, Failure> {
        let place = self.place();
        match <[String; 1]>::try_from(self.name_parts()?) {
            Ok([name]) => Ok(name),
            Err(_) => Err(self.unexpected_at(place)),
        }
    }

    pub fn column_list(&mut self) -> Result<Vec<String>, Failure> {
        self.expect_token(&Token::LParen)?;
        let mut columns = vec![self.identifier()?];
        while self.eat_token(&Token::Comma) {
            columns.push(self.identifier()?);
        }
        self.expect_token(&Token::RParen)?;
        Ok(columns)
    }

    /// A session variable is replaced by its value when the statement is parsed again.
    pub fn string(&mut self) -> Result<String, Failure> {
        let text = match self.peek() {
            Token::SingleQuotedString(text) => text.clone(),
            Token::DollarQuotedString(text) => text.value.clone(),
            Token::Placeholder(name) if is_variable(name) => name.clone(),
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(text)
    }

    pub fn integer(&mut self) -> Result<i64, Failure> {
        let sign = if self.eat_token(&Token::Minus) { "-" } else { "" };
        let Token::Number(digits, _) = self.peek() else { return Err(self.unexpected()) };
        let number = format!("{sign}{digits}").parse().map_err(|_| self.unexpected())?;
        self.advance();
        Ok(number)
    }
}

/// The parts of a name written in a string, as in `IDENTIFIER('db.schema.t')`.
pub(crate) fn name_parts_of(text: &str) -> Result<Vec<String>, Failure> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let mut reader = Reader::new(tokenize(&source)?, &source, 1);
    if reader.at("IDENTIFIER") {
        return Err(reader.unexpected());
    }
    let parts = reader.name_parts()?;
    reader.expect_end()?;
    Ok(parts)
}

/// The name of an object in the syntax tree.
pub(crate) fn name_from_tree(name: &ast::ObjectName) -> Result<ObjectName, Failure> {
    let mut parts = Vec::new();
    for part in &name.0 {
        match part {
            ast::ObjectNamePart::Identifier(identifier) => parts.push(fold(identifier, name)?),
            ast::ObjectNamePart::Function(function) => parts.extend(identifier_argument(function)?),
        }
    }
    ObjectName::of_parts(parts).ok_or_else(|| not_a_name(name))
}

fn fold(identifier: &ast::Ident, whole: &ast::ObjectName) -> Result<String, Failure> {
    match identifier.quote_style {
        None if identifier.value.starts_with(['@', '$', '~', '%']) => Err(Failure::unsupported("stage as a table")),
        None => Ok(identifier.value.to_ascii_uppercase()),
        Some('"') => Ok(identifier.value.clone()),
        Some(_) => Err(not_a_name(whole)),
    }
}

fn identifier_argument(function: &ast::ObjectNamePartFunction) -> Result<Vec<String>, Failure> {
    let is_identifier = function.name.value.eq_ignore_ascii_case("IDENTIFIER");
    if let (true, [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::Value(value)))]) =
        (is_identifier, function.args.as_slice())
        && let ast::Value::SingleQuotedString(text) = &value.value
    {
        return name_parts_of(text);
    }
    Err(Failure::unsupported(&function.name.value.to_ascii_uppercase()))
}

fn not_a_name(name: &ast::ObjectName) -> Failure {
    Failure::missing_object("Object", &name.to_string())
}
