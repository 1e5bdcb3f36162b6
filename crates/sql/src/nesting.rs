//! Bounds how deep a syntax tree can grow, before it is built: a tree too deep to drop or print
//! must never exist.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::Failure;

/// The deepest tree of operators inside brackets and out. Engines stop not far above it.
const DEPTH_MAX: usize = 500;

/// Of a relation: wildcards over wildcards double their columns at each level.
pub const COLUMNS_MAX: usize = 20_000;

/// ANDs and ORs of one condition, which are balanced later and so make no depth.
const LOGICAL_MAX: usize = 10_000;

/// Set operations of one query, balanced likewise.
const SET_OPERATORS_MAX: usize = 2_000;

/// Operators of one condition or query that make no deep tree.
const SHORT_MAX: usize = 100;

/// Calls of POSITION in the arguments of each other. The parser reads the arguments twice, first as `POSITION(a IN b)`, so
/// that its time doubles with every level.
const POSITIONS_MAX: usize = 10;

/// Joins that wait for their conditions: `a JOIN b JOIN c ON … ON …` is a join inside of a join, which the parser reads by
/// recursion.
const OPEN_JOINS_MAX: usize = 100;

/// What a word does to the tree.
enum Part {
    Opening,
    Closing,
    SetOperator,
    /// AND and OR, which have the lowest precedence.
    Logical,
    Operator,
    /// Begins a new, shallower part of the same bracket level.
    Separator,
    Query,
    Join,
    JoinCondition,
    Other,
}

impl Part {
    /// `before` is the word before it.
    fn of(keyword: Keyword, before: Keyword) -> Self {
        use Keyword as K;
        match (keyword, before) {
            // IS DISTINCT FROM and WITHIN GROUP are inside of expressions.
            (K::FROM, K::DISTINCT) | (K::GROUP, K::WITHIN) => return Self::Other,
            (K::JOIN, K::CROSS) => return Self::Separator,
            _ => {}
        }
        match keyword {
            K::CASE => Self::Opening,
            K::END => Self::Closing,
            K::UNION | K::INTERSECT | K::EXCEPT | K::MINUS => Self::SetOperator,
            K::AND | K::OR => Self::Logical,
            K::NOT | K::IS | K::LIKE | K::ILIKE | K::RLIKE | K::REGEXP | K::IN | K::BETWEEN | K::COLLATE => {
                Self::Operator
            }
            K::XOR | K::AT | K::OVERLAPS | K::SIMILAR | K::MEMBER | K::NOTNULL | K::DIV => Self::Operator,
            K::SELECT => Self::Query,
            K::FROM | K::WHERE | K::SET | K::WHEN | K::THEN | K::ELSE => Self::Separator,
            K::HAVING | K::QUALIFY | K::GROUP | K::ORDER | K::BY | K::LIMIT | K::VALUES => Self::Separator,
            K::JOIN => Self::Join,
            K::ON | K::USING => Self::JoinCondition,
            _ => Self::Other,
        }
    }
}

#[derive(Default)]
struct Level {
    set_operators: usize,
    /// ANDs and ORs since the last separator.
    logical: usize,
    /// The deepest term between them.
    term: usize,
    /// Operators of the present term.
    chain: usize,
    /// The deepest bracket of the present term.
    inner: usize,
    /// The deepest part between separators.
    deepest: usize,
    open_joins: usize,
}

impl Level {
    fn finish_term(&mut self) {
        self.term = self.term.max(self.chain + self.inner);
        (self.chain, self.inner) = (0, 0);
    }

    fn finish_part(&mut self) {
        self.deepest = self.deepest.max(self.part_depth());
        (self.logical, self.term, self.chain, self.inner) = (0, 0, 0, 0);
    }

    fn check(&self) -> Result<(), Failure> {
        if self.logical > LOGICAL_MAX {
            return Err(Failure::limit_exceeded("number of ANDs and ORs in a condition", LOGICAL_MAX));
        }
        if self.set_operators > SET_OPERATORS_MAX {
            return Err(Failure::limit_exceeded("number of set operations in a query", SET_OPERATORS_MAX));
        }
        if self.open_joins > OPEN_JOINS_MAX {
            return Err(Failure::limit_exceeded("number of joins that have no condition, or not yet", OPEN_JOINS_MAX));
        }
        if self.depth() > DEPTH_MAX {
            return Err(Failure::limit_exceeded("depth of an expression", DEPTH_MAX));
        }
        Ok(())
    }

    fn part_depth(&self) -> usize {
        balanced(self.logical) + self.term.max(self.chain + self.inner)
    }

    fn depth(&self) -> usize {
        self.deepest.max(self.part_depth()) + balanced(self.set_operators) + 1
    }
}

/// The depth of a balanced tree with this many operators.
fn balanced(operators: usize) -> usize {
    operators.checked_ilog2().map_or(0, |depth| depth as usize + 1)
}

/// Whether a statement has chains of ANDs, ORs or set operations that have to be balanced before the tree is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chains {
    Short,
    Long,
}

pub(crate) fn check(tokens: &[TokenWithSpan], nesting_depth_max: usize) -> Result<Chains, Failure> {
    let mut outer: Vec<Level> = Vec::new();
    let mut level = Level::default();
    let mut chains = Chains::Short;
    let mut positions = Positions::default();
    let mut before = Keyword::NoKeyword;
    for token in tokens {
        positions.see(&token.token)?;
        if !matches!(token.token, Token::Word(_) | Token::Whitespace(_)) {
            before = Keyword::NoKeyword;
        }
        match &token.token {
            Token::LParen | Token::LBracket | Token::LBrace => outer.push(std::mem::take(&mut level)),
            Token::RParen | Token::RBracket | Token::RBrace => close(&mut outer, &mut level),
            // A quoted word is no keyword.
            Token::Word(word) => match Part::of(word.keyword, std::mem::replace(&mut before, word.keyword)) {
                Part::Opening => outer.push(std::mem::take(&mut level)),
                Part::Closing => close(&mut outer, &mut level),
                Part::SetOperator => {
                    level.finish_part();
                    level.set_operators += 1;
                    level.open_joins = 0;
                }
                Part::Logical => {
                    level.finish_term();
                    level.logical += 1;
                }
                Part::Operator => level.chain += 1,
                Part::Separator => level.finish_part(),
                Part::Query => {
                    level.finish_part();
                    level.open_joins = 0;
                }
                Part::Join => {
                    level.finish_part();
                    level.open_joins += 1;
                }
                Part::JoinCondition => {
                    level.finish_part();
                    level.open_joins = level.open_joins.saturating_sub(1);
                }
                Part::Other => {}
            },
            Token::Comma => level.finish_part(),
            token if is_operand(token) => {}
            _ => level.chain += 1,
        }
        if outer.len() > nesting_depth_max {
            return Err(Failure::limit_exceeded("nesting depth", nesting_depth_max));
        }
        level.check()?;
        if level.logical > SHORT_MAX || level.set_operators > SHORT_MAX {
            chains = Chains::Long;
        }
    }
    Ok(chains)
}

/// The brackets that are open.
#[derive(Default)]
struct Positions {
    /// Of each, whether it has the arguments of POSITION.
    open: Vec<bool>,
    nested: usize,
    /// Whether the last token is that name.
    is_named: bool,
}

impl Positions {
    fn see(&mut self, token: &Token) -> Result<(), Failure> {
        match token {
            Token::LParen => {
                self.nested += usize::from(self.is_named);
                self.open.push(self.is_named);
            }
            Token::RParen => self.nested -= usize::from(self.open.pop().unwrap_or(false)),
            Token::Whitespace(_) => return Ok(()),
            _ => {}
        }
        self.is_named = matches!(token, Token::Word(word) if word.keyword == Keyword::POSITION);
        match self.nested > POSITIONS_MAX {
            true => Err(Failure::limit_exceeded("nesting depth of POSITION", POSITIONS_MAX)),
            false => Ok(()),
        }
    }
}

fn close(outer: &mut Vec<Level>, level: &mut Level) {
    if let Some(parent) = outer.pop() {
        let closed = std::mem::replace(level, parent);
        // A bracket is a level of the tree, and so is what it is applied to.
        level.inner = level.inner.max(closed.depth());
        level.chain += 1;
    }
}

fn is_operand(token: &Token) -> bool {
    matches!(
        token,
        Token::EOF
            | Token::Word(_)
            | Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::Placeholder(_)
            | Token::Period
            | Token::Whitespace(_)
            | Token::SemiColon
    )
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use crate::script::parse_statement;
    use crate::source::{ParseLimits, SourceStatement};

    fn parse(text: String) -> Result<crate::Statement, crate::Failure> {
        let limits = ParseLimits { text_bytes_max: usize::MAX, statements_max: 1, nesting_depth_max: 100 };
        parse_statement(&SourceStatement { text, line: 1, position: 0 }, &limits)
    }

    fn nested(depth: usize) -> String {
        format!("select {}1{}", "(".repeat(depth), ")".repeat(depth))
    }

    /// As much as the server's threads have.
    fn on_a_stack(work: impl FnOnce() + Send + 'static) {
        std::thread::Builder::new().stack_size(32 << 20).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    fn deep_but_allowed_statements_parse() {
        on_a_stack(|| {
            parse(nested(100)).unwrap();
            parse(format!("select 1 where {}", vec!["t.a = 1"; 9_000].join(" or "))).unwrap();
            parse(vec!["select 1"; 1_900].join(" union all ")).unwrap();
            parse(format!("insert into t values {}", vec!["(1, -2, 'x')"; 3_000].join(", "))).unwrap();
            parse(format!("select * from t where a in ({})", vec!["1"; 5_000].join(", "))).unwrap();
            parse(format!("select * from t{}", " join t on true".repeat(1_000))).unwrap();
            parse(format!("select * from t{}", " cross join t".repeat(1_000))).unwrap();
            parse(format!("select * from t{}{}", " join t".repeat(90), " on true".repeat(90))).unwrap();
            for (opening, inside, closing) in [
                ("abs(", "1", ")"),
                ("case when true then ", "1", " end"),
                ("f((select ", "1", "))"),
                ("transform(a, x -> ", "1", ")"),
                ("(select * from (", "select 1", "))"),
                ("(select * from t join (", "select 1", ") using (a))"),
                ("(with a as (", "select 1", ") select * from a)"),
                ("exists (select 1 where a in (", "select 1", "))"),
                ("(select * from (", "select 1", ") pivot (sum(a) for b in (1, 2)))"),
            ] {
                let levels = 96 / opening.matches('(').count().max(1);
                let text = format!("select {}{inside}{}", opening.repeat(levels), closing.repeat(levels));
                parse(text).unwrap();
            }
        });
    }

    #[test]
    fn too_deep_statements_are_refused_by_name() {
        for text in [
            nested(101),
            nested(20_000),
            format!("select {}1", "(".repeat(20_000)),
            format!("select {}1", "-".repeat(3_000).replace('-', "- ")),
            format!("select {}1", "not ".repeat(20_000)),
            format!("select 1{}", "+1".repeat(20_000)),
            format!("select a{}", "::int".repeat(20_000)),
            format!("select a{}", "[0]".repeat(20_000)),
            format!("select a{}", " is null".repeat(20_000)),
            format!("select a{}", ":b".repeat(20_000)),
            format!("select a{}", " in (1)".repeat(20_000)),
            format!("select 1{}", " is not distinct from 1".repeat(20_000)),
            format!("select a{}", " at time zone 'utc'".repeat(20_000)),
            format!("select a{}", " xor a".repeat(20_000)),
            format!("select a{}", " || listagg(a) within group (order by a)".repeat(20_000)),
            format!("select 1 from t{}", " join t".repeat(20_000)),
            format!("select 1 from t{}", " left outer join (select 1) t".repeat(20_000)),
            format!("select 1 from t{}{}", " join t".repeat(5_000), " on 1=1".repeat(5_000)),
            format!("with {} select 1", vec!["a as (select 1)"; 1_001].join(", ")),
            format!("select {}", "case when ".repeat(20_000)),
            format!("select {}'a'{}", "position (".repeat(60), ", 'b')".repeat(60)),
            vec!["select 1"; 20_000].join(" union all "),
            vec!["select 1"; 500].join(" except "),
            format!("select {}", vec!["a"; 20_000].join(" and ")),
            format!("select * from t pivot (max(b) for a in ({}))", vec!["1"; 20_001].join(", ")),
        ] {
            let failure = parse(text.clone()).unwrap_err();
            assert_eq!(failure.code, "000603", "{} {}", &text[..30], failure.message);
        }
    }

    #[test]
    fn an_admitted_tree_is_copied_printed_and_dropped_on_the_stack_of_a_server_thread() {
        let chain = format!("select {}", vec!["a"; 490].join(" || "));
        let condition = format!("select 1 where {}", vec!["a = 1 and b = 2"; 4_000].join(" or "));
        let union = vec!["select 1"; 1_900].join(" union all ");
        let mixed = vec!["select 1"; 100].join(" except ");
        let subqueries = format!("{}select 1{}", "select * from (".repeat(100), ")".repeat(100));
        on_a_stack(move || {
            for text in [chain, condition, union, mixed, subqueries, nested(100)] {
                let crate::Command::Query(query) = parse(text).unwrap().command else { panic!("no query") };
                assert!(!query.clone().to_string().is_empty());
            }
        });
    }
}
