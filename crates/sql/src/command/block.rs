//! Blocks of SQL scripting as they are read: declarations, steps and exception handlers.

use super::Routine;
use crate::data_types::DataType;
use crate::source::SourceStatement;

/// A part of the block's text, with its place in the request.
pub type Fragment = SourceStatement;

#[derive(Clone, Debug)]
pub struct Block {
    /// Only carries CALL or EXECUTE IMMEDIATE, whose failure is the statement's own.
    pub carries_statement: bool,
    pub declarations: Vec<Declaration>,
    pub steps: Vec<Step>,
    pub handlers: Vec<Handler>,
}

#[derive(Clone, Debug)]
pub struct Declaration {
    pub name: String,
    pub kind: DeclaredKind,
}

#[derive(Clone, Debug)]
pub enum DeclaredKind {
    Variable {
        data_type: Option<DataType>,
        value: Option<Fragment>,
    },
    Cursor(Source),
    ResultSet(Option<Source>),
    Exception {
        code: i64,
        message: String,
    },
    /// A procedure that only this block can call.
    Procedure(Box<Routine>),
}

/// Where a cursor's or result set's rows come from.
#[derive(Clone, Debug)]
pub enum Source {
    /// A query, or EXECUTE IMMEDIATE, CALL, SHOW and the like.
    Statement(Fragment),
    /// A result set by its name; in FOR also a cursor.
    ResultSet(String),
}

/// A step and where it begins: line from 1, position from 0.
#[derive(Clone, Debug)]
pub struct Step {
    pub line: u64,
    pub position: u64,
    pub action: Action,
}

#[derive(Clone, Debug)]
pub enum Action {
    Declare(Declaration),
    Assign {
        name: String,
        value: Assigned,
    },
    If {
        branches: Vec<(Fragment, Vec<Step>)>,
        otherwise: Vec<Step>,
    },
    Case {
        operand: Option<Fragment>,
        branches: Vec<(Fragment, Vec<Step>)>,
        otherwise: Option<Vec<Step>>,
    },
    ForRange {
        variable: String,
        from: Fragment,
        to: Fragment,
        reverse: bool,
        body: Loop,
    },
    /// The source is a query, or the name of a cursor or a result set.
    ForRows {
        variable: String,
        source: Source,
        body: Loop,
    },
    While {
        condition: Fragment,
        body: Loop,
    },
    Loop(Loop),
    Repeat {
        until: Fragment,
        body: Loop,
    },
    Break(Option<String>),
    Continue(Option<String>),
    Return(Returned),
    Raise(Option<String>),
    Open {
        cursor: String,
        using: Vec<Fragment>,
    },
    Fetch {
        cursor: String,
        into: Vec<String>,
    },
    Close(String),
    Statement(Fragment),
    Nested(Block),
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub label: Option<String>,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub enum Assigned {
    Expression(Fragment),
    /// `rs := (SELECT …)`: a value or a result set, whatever the name is.
    Query(Fragment),
}

#[derive(Clone, Debug)]
pub enum Returned {
    Nothing,
    Expression(Fragment),
    ResultSet(String),
    Query(Fragment),
}

#[derive(Clone, Debug)]
pub struct Handler {
    /// Names of exceptions; OTHER takes all.
    pub names: Vec<String>,
    pub steps: Vec<Step>,
    pub then: AfterHandler,
}

/// What happens once a handler has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterHandler {
    /// The block ends.
    Exit,
    /// The step after the one that failed is next.
    Continue,
}
