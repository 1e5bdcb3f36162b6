//! The dialect that the parser is configured with: the library's own, with a fast path for the beginnings of
//! expressions. The library tries to parse every word and value as a typed literal (`DATE '2020-01-01'`) before it parses
//! the column, number or call that it nearly always is.

use std::any::TypeId;

use sqlparser::ast::{ColumnOption, Expr, Ident, ObjectName, ObjectNamePart, Statement};
use sqlparser::dialect::{Dialect, Precedence, SnowflakeDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};

/// The dialect of the texts that people write.
pub(crate) static DIALECT: FirnDialect = FirnDialect::Written;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirnDialect {
    /// SQL of a request.
    Written,
    /// What `print` made of a tree: a backslash in a string is a character like any other, and aggregates may have
    /// the FILTER clause that normalized trees use.
    Printed,
}

/// Answers as the library's dialect does.
macro_rules! as_the_library {
    ($($question:ident),* $(,)?) => {
        $(fn $question(&self) -> bool {
            SnowflakeDialect.$question()
        })*
    };
}

impl Dialect for FirnDialect {
    fn dialect(&self) -> TypeId {
        SnowflakeDialect.dialect()
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        match &parser.peek_token_ref().token {
            Token::Number(..) | Token::SingleQuotedString(_) => Some(parser.parse_value().map(Expr::Value)),
            Token::Word(word) => match (word.keyword, begins_plainly(word)) {
                (Keyword::NULL | Keyword::TRUE | Keyword::FALSE, _) => Some(parser.parse_value().map(Expr::Value)),
                // The library would take the word for a column.
                (Keyword::AND | Keyword::OR, _) => Some(parser.expected_ref("an expression", parser.peek_token_ref())),
                // What is printed has calls where the library would read syntax of its own.
                (Keyword::CEIL | Keyword::FLOOR | Keyword::POSITION | Keyword::TRIM, _)
                    if *self == Self::Printed && is_call_with_commas(parser) =>
                {
                    plain_word(parser)
                }
                // The library would forget where the call is written.
                (Keyword::SUBSTR | Keyword::SUBSTRING, _) if is_call_with_commas(parser) => plain_word(parser),
                (_, true) => plain_word(parser),
                (_, false) => None,
            },
            // The library looks for a subquery behind the first parenthesis only.
            Token::LParen if *self == Self::Printed && is_nested_set_operation(parser) => Some(subquery(parser)),
            _ => None,
        }
    }

    as_the_library! {
        supports_projection_trailing_commas,
        supports_from_trailing_commas,
        supports_object_name_double_dot_notation,
        supports_within_after_array_aggregation,
        supports_outer_join_operator,
        supports_connect_by,
        supports_execute_immediate,
        supports_match_recognize,
        supports_dictionary_syntax,
        supports_window_function_null_treatment_arg,
        supports_parenthesized_set_variables,
        supports_comment_on,
        supports_extract_comma_syntax,
        supports_subquery_as_function_arg,
        supports_create_view_comment_syntax,
        supports_array_typedef_without_element_type,
        supports_parens_around_table_factor,
        supports_values_as_table_factor,
        describe_requires_table_keyword,
        allow_extract_custom,
        allow_extract_single_quotes,
        supports_show_like_before_in,
        supports_left_associative_joins_without_parens,
        supports_partiql,
        supports_table_versioning,
        supports_group_by_expr,
        supports_space_separated_column_options,
        supports_comma_separated_drop_column_list,
        supports_select_expr_star,
        supports_select_wildcard_exclude,
        supports_semantic_view_table_factor,
        supports_select_wildcard_replace,
        supports_select_wildcard_ilike,
        supports_select_wildcard_rename,
        supports_lambda_functions,
        supports_comma_separated_trim,
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        *self == Self::Written
    }

    /// What is written is normalized, so that it is distinct from a column of this name.
    fn supports_order_by_all(&self) -> bool {
        *self == Self::Printed
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        *self == Self::Printed
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        SnowflakeDialect.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        SnowflakeDialect.is_identifier_part(ch)
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        SnowflakeDialect.identifier_quote_style(identifier)
    }

    fn parse_statement(&self, parser: &mut Parser) -> Option<Result<Statement, ParserError>> {
        SnowflakeDialect.parse_statement(parser)
    }

    fn parse_column_option(
        &self,
        parser: &mut Parser,
    ) -> Result<Option<Result<Option<ColumnOption>, ParserError>>, ParserError> {
        SnowflakeDialect.parse_column_option(parser)
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        match at_collation(parser) {
            true => Some(Ok(self.prec_value(Precedence::DoubleColon))),
            false => SnowflakeDialect.get_next_precedence(parser),
        }
    }

    /// `a::VARCHAR COLLATE 'es'`: the library knows COLLATE behind names and values only.
    fn parse_infix(&self, parser: &mut Parser, expr: &Expr, _: u8) -> Option<Result<Expr, ParserError>> {
        if !at_collation(parser) {
            return None;
        }
        parser.advance_token();
        let collation = parser.parse_object_name(false);
        Some(collation.map(|collation| Expr::Collate { expr: Box::new(expr.clone()), collation }))
    }

    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        keyword == Keyword::CASE || SnowflakeDialect.is_reserved_for_identifier(keyword)
    }

    fn is_column_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        SnowflakeDialect.is_column_alias(keyword, parser)
    }

    fn is_table_alias(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        // Printed aliases are quoted; GLOBAL marks a join (`normalize::asof_joins`).
        (*self == Self::Written || *keyword != Keyword::GLOBAL) && SnowflakeDialect.is_table_alias(keyword, parser)
    }

    fn is_table_factor(&self, keyword: &Keyword, parser: &mut Parser) -> bool {
        SnowflakeDialect.is_table_factor(keyword, parser)
    }

    fn get_reserved_keywords_for_select_item_operator(&self) -> &[Keyword] {
        SnowflakeDialect.get_reserved_keywords_for_select_item_operator()
    }

    fn is_identifier_generating_function_name(&self, name: &Ident, parts: &[ObjectNamePart]) -> bool {
        SnowflakeDialect.is_identifier_generating_function_name(name, parts)
    }
}

/// Whether `COLLATE 'es'` comes next.
fn at_collation(parser: &Parser) -> bool {
    matches!(&parser.peek_token_ref().token, Token::Word(word) if word.keyword == Keyword::COLLATE)
        && matches!(parser.peek_nth_token_ref(1).token, Token::SingleQuotedString(_))
}

/// Whether a word is neither a type nor the beginning of special syntax.
fn begins_plainly(word: &Word) -> bool {
    use Keyword as K;
    let is_function = matches!(
        word.keyword,
        K::COUNT
            | K::SUM
            | K::MIN
            | K::MAX
            | K::AVG
            | K::COALESCE
            | K::NULLIF
            | K::ROW_NUMBER
            | K::RANK
            | K::DENSE_RANK
            | K::LAG
            | K::LEAD
            | K::FIRST_VALUE
            | K::LAST_VALUE
            | K::LOWER
            | K::UPPER
            | K::ABS
            | K::MOD
            | K::YEAR
            | K::MONTH
            | K::DAY
    );
    let is_name = matches!(
        word.keyword,
        K::NoKeyword | K::ID | K::NAME | K::STATUS | K::REGION | K::VALUE | K::KEY | K::COMMENT | K::OWNER
    );
    is_name || is_function
}

/// True for `f(a, b)`, and not for `f(a FROM b FOR c)` or `f(a IN b)`.
fn is_call_with_commas(parser: &Parser) -> bool {
    let mut depth = 0_usize;
    for place in 1.. {
        match &parser.peek_nth_token_ref(place).token {
            Token::LParen => depth += 1,
            Token::RParen if depth <= 1 => return depth == 1,
            Token::RParen => depth -= 1,
            Token::Word(word) if depth == 1 && matches!(word.keyword, Keyword::FROM | Keyword::FOR | Keyword::IN) => {
                return false;
            }
            Token::EOF => return false,
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// True for `((SELECT 1) UNION SELECT 2)`.
fn is_nested_set_operation(parser: &Parser) -> bool {
    let mut depth = 0_usize;
    for place in 1.. {
        match &parser.peek_nth_token_ref(place).token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return is_set_operator(&parser.peek_nth_token_ref(place + 1).token),
            Token::RParen if depth > 1 => depth -= 1,
            Token::EOF => return false,
            _ if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

fn is_set_operator(token: &Token) -> bool {
    use Keyword as K;
    matches!(token, Token::Word(word) if matches!(word.keyword, K::UNION | K::EXCEPT | K::INTERSECT | K::MINUS))
}

fn subquery(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.expect_token(&Token::LParen)?;
    let query = parser.parse_query()?;
    parser.expect_token(&Token::RParen)?;
    Ok(Expr::Subquery(query))
}

/// A column, the first part of a name, or a call.
fn plain_word(parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
    let is_call = match &parser.peek_nth_token_ref(1).token {
        // `a (+)` marks an outer join.
        Token::LParen if parser.peek_nth_token_ref(2).token == Token::Plus => return None,
        Token::LParen => true,
        // Lambdas, with and without a type, strings with a character set, and elements.
        Token::Arrow | Token::LBracket => return None,
        Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) | Token::HexStringLiteral(_) => return None,
        Token::Word(_) if parser.peek_nth_token_ref(2).token == Token::Arrow => return None,
        _ => false,
    };
    parser.advance_token();
    let token = parser.get_current_token();
    let Token::Word(word) = &token.token else { return None };
    let name = word.to_ident(token.span);
    Some(if is_call { parser.parse_function(ObjectName::from(vec![name])) } else { Ok(Expr::Identifier(name)) })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    fn read(dialect: &dyn Dialect, text: &str) -> Result<Vec<Statement>, ParserError> {
        Parser::parse_sql(dialect, text)
    }

    #[test]
    fn the_short_way_finds_what_the_library_finds() {
        for expression in [
            "a",
            "\"a\"",
            "a.b.c",
            "a.b(1)",
            "f()",
            "f(1, 'x', null, true)",
            "f(a => 1)",
            "f(select 1)",
            "count(*)",
            "count(distinct a)",
            "sum(a) over (partition by b order by c)",
            "listagg(a, ',') within group (order by a)",
            "first_value(a) ignore nulls over (order by b)",
            "a(+) = b",
            "transform(a, x -> x + 1)",
            "f(a, x int -> x)",
            "a[0]",
            "a[0].b",
            "a:b.c[1]::int",
            "a['x']",
            "-1",
            "1.5e3",
            "'it''s'",
            "'a' 'b'",
            "date '2020-01-01'",
            "timestamp '2020-01-01'",
            "date",
            "date(a)",
            "year(a)",
            "left(a, 1)",
            "interval '1 day'",
            "interval",
            "cast(a as int)",
            "a::date",
            "case when a then b else c end",
            "x'ff'",
            "_utf8'x'",
            "null",
            "a is null",
            "a in (1, 2)",
            "a between 1 and 2",
            "not a",
            "prior a",
            "exists (select 1)",
            "a.*",
            "$1",
            "t.$1",
            "?",
            ":1",
            "id",
            "name.value",
            "status(1)",
            "comment 'x'",
            "key[0]",
            "a collate 'en-ci'",
            "{'a': 1}",
            "[1, 2]",
            "current_date",
            "current_timestamp(3)",
            "trim(a)",
            "position('a' in b)",
            "extract(year from a)",
            // Errors, too.
            "f(",
            "a.",
            "count(",
            "f(a,)",
            "a b c",
            "f(1",
            "null null null",
            "1 2 3",
            "a(+",
        ] {
            for text in [format!("select {expression}"), format!("select 1 from t where {expression} order by 1")] {
                let short = read(&FirnDialect::Written, &text).map_err(|error| error.to_string());
                assert_eq!(short, read(&SnowflakeDialect, &text).map_err(|error| error.to_string()), "{text}");
            }
        }
    }

    #[test]
    fn what_is_printed_is_read_as_it_was() {
        for text in [
            "SELECT ((SELECT 1) UNION SELECT 2)",
            "SELECT (((SELECT 1) UNION SELECT 2) UNION ALL SELECT 3 ORDER BY 1 LIMIT 1) + 1",
            "SELECT f(((SELECT 1) INTERSECT SELECT 2), ((SELECT 1)))",
            "SELECT ((SELECT 1) + 1), ((1) + (2)), a IN ((SELECT 1) UNION SELECT 2)",
            "SELECT a FROM t ORDER BY ALL DESC NULLS LAST",
            "SELECT \"ALL\" FROM t ORDER BY \"ALL\"",
        ] {
            assert_eq!(read(&FirnDialect::Printed, text).unwrap()[0].to_string(), text);
        }
    }

    /// A syntax error in deep nesting must not be parsed again at every level.
    #[test]
    fn a_wrong_end_is_found_once() {
        for opening in ["f(", "count(f(", "(f(", "case when f(", "f(a, x -> ", "f((1 + count("] {
            let text = format!("select {}1 1 1", opening.repeat(20));
            read(&FirnDialect::Written, &text).unwrap_err();
        }
    }
}
