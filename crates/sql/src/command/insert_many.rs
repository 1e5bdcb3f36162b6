//! `INSERT ALL` and `INSERT FIRST`: one query's rows into several tables.

use crate::ast;
use crate::names::ObjectName;

/// `INSERT [OVERWRITE] ALL | FIRST …`: the rows of one query into several tables.
#[derive(Clone, Debug)]
pub struct InsertMany {
    pub overwrite: bool,
    pub choice: BranchChoice,
    pub branches: Vec<InsertBranch>,
    pub source: Box<ast::Query>,
}

/// Which branches a row takes whose conditions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchChoice {
    All,
    First,
}

#[derive(Clone, Debug)]
pub struct InsertBranch {
    pub condition: InsertCondition,
    pub targets: Vec<InsertTarget>,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a statement has a few of these; boxes would buy nothing")]
pub enum InsertCondition {
    Always,
    When(ast::Expr),
    /// No other condition of the statement holds.
    Else,
}

#[derive(Clone, Debug)]
pub struct InsertTarget {
    pub table: ObjectName,
    /// Empty: all columns of the table.
    pub columns: Vec<ast::Ident>,
    /// Absent: all columns of the query. A value that is `None` is the column's default.
    pub values: Option<Vec<Option<ast::Expr>>>,
}
