//! Looks for syntax errors in all texts of a block, without running it. A text with variables is parsed when their
//! values are known, so only those without are read here.

use sqlparser::tokenizer::Token;

use crate::blocks::{Action, Assigned, Block, DeclaredKind, Fragment, Loop, Returned, Source, Step, special};
use crate::script;
use crate::source::ParseLimits;
use crate::tokens::tokenize;
use crate::{Failure, Substitutes, build};

const SYNTAX_ERROR: &str = "001003";

/// The first syntax error of a block, if it has one.
pub fn check(block: &Block, limits: &ParseLimits) -> Result<(), Failure> {
    let checker = Checker { limits };
    for declaration in &block.declarations {
        checker.declared(&declaration.kind)?;
    }
    checker.steps(&block.steps)?;
    block.handlers.iter().try_for_each(|handler| checker.steps(&handler.steps))
}

struct Checker<'a> {
    limits: &'a ParseLimits,
}

impl Checker<'_> {
    fn steps(&self, steps: &[Step]) -> Result<(), Failure> {
        steps.iter().try_for_each(|step| self.action(&step.action))
    }

    fn action(&self, action: &Action) -> Result<(), Failure> {
        match action {
            Action::Declare(declaration) => self.declared(&declaration.kind),
            Action::Assign { value: Assigned::Expression(text), .. } => self.expression(text),
            Action::Assign { value: Assigned::Query(text), .. } => self.statement(text),
            Action::If { branches, otherwise } => {
                self.branches(branches)?;
                self.steps(otherwise)
            }
            Action::Case { operand, branches, otherwise } => {
                operand.iter().try_for_each(|text| self.expression(text))?;
                self.branches(branches)?;
                self.steps(otherwise.as_deref().unwrap_or_default())
            }
            Action::ForRange { from, to, body, .. } => {
                self.expression(from)?;
                self.expression(to)?;
                self.round(body)
            }
            Action::While { condition: text, body } | Action::Repeat { until: text, body } => {
                self.expression(text)?;
                self.round(body)
            }
            Action::ForRows { source, body, .. } => {
                if let Source::Statement(text) = source {
                    self.statement(text)?;
                }
                self.round(body)
            }
            Action::Loop(body) => self.round(body),
            Action::Return(Returned::Expression(text)) => self.expression(text),
            Action::Return(Returned::Query(text)) | Action::Statement(text) => self.statement(text),
            Action::Open { using, .. } => using.iter().try_for_each(|text| self.expression(text)),
            Action::Nested(block) => check(block, self.limits),
            Action::Return(Returned::Nothing | Returned::ResultSet(_))
            | Action::Break(_)
            | Action::Continue(_)
            | Action::Raise(_)
            | Action::Fetch { .. }
            | Action::Close(_)
            | Action::Nothing => Ok(()),
        }
    }

    fn branches(&self, branches: &[(Fragment, Vec<Step>)]) -> Result<(), Failure> {
        branches.iter().try_for_each(|(condition, steps)| {
            self.expression(condition)?;
            self.steps(steps)
        })
    }

    fn round(&self, body: &Loop) -> Result<(), Failure> {
        self.steps(&body.steps)
    }

    fn declared(&self, kind: &DeclaredKind) -> Result<(), Failure> {
        match kind {
            DeclaredKind::Variable { value: Some(text), .. } => self.expression(text),
            DeclaredKind::Cursor(Source::Statement(text)) | DeclaredKind::ResultSet(Some(Source::Statement(text))) => {
                self.statement(text)
            }
            _ => Ok(()),
        }
    }

    fn statement(&self, text: &Fragment) -> Result<(), Failure> {
        if has_variables(text)? || special(text)?.is_some() {
            return Ok(());
        }
        only_syntax(script::parse_statement(text, self.limits).map(drop))
    }

    fn expression(&self, text: &Fragment) -> Result<(), Failure> {
        if has_variables(text)? {
            return Ok(());
        }
        let select = |expr| build::select(vec![expr]);
        let parsed =
            script::parse_expression(tokenize(text)?, text, self.limits, Substitutes::default(), select).map(drop);
        only_syntax(parsed)
    }
}

fn has_variables(text: &Fragment) -> Result<bool, Failure> {
    let marks = tokenize(text)?;
    Ok(marks.iter().any(|token| matches!(token.token, Token::Colon | Token::Placeholder(_))))
}

/// What is refused for another reason is refused when it runs, if it does.
fn only_syntax(parsed: Result<(), Failure>) -> Result<(), Failure> {
    match parsed {
        Err(failure) if failure.code == SYNTAX_ERROR => Err(failure),
        _ => Ok(()),
    }
}
