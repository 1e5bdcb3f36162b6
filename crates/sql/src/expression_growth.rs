//! Limits how far rewriting lets an expression grow. A rewrite that uses an argument twice doubles it, so that nested calls
//! of such functions grow with the power of their depth; nothing else stops that before the memory is exhausted.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Visitor};
use crate::tree::Tree;

/// The expressions that rewriting may add to one, beyond a multiple of those that are there.
const ADDED_MAX: usize = 100_000;
const MULTIPLE_MAX: usize = 4;
/// How many times as large a rewrite may make one expression; only affects how often expressions are counted.
const COPIES: usize = 4;
/// Expressions that may have become larger than this are counted.
const COUNTED_FROM: usize = 4_000;

/// The sizes of the expressions around the one that a walk is at. The walk rewrites an expression after its parts.
#[derive(Default)]
pub struct ExpressionGrowth {
    open: Vec<Size>,
}

/// How many expressions one consists of.
#[derive(Clone, Copy, Default)]
struct Size {
    before: usize,
    /// As it was counted last, or as it is if no rewrite has copied anything since.
    after: usize,
    /// What it is at most.
    after_max: usize,
}

impl Size {
    /// Large ones are counted at every level, small ones at every third.
    fn is_uncertain(&self) -> bool {
        let is_large = self.after > COUNTED_FROM;
        self.after_max > COUNTED_FROM && (is_large || self.after_max > self.after.saturating_mul(COPIES * COPIES))
    }
}

impl ExpressionGrowth {
    pub fn enter(&mut self) {
        self.open.push(Size::default());
    }

    /// Fails if the expression, which was rewritten, is too large now.
    pub fn leave(&mut self, expr: &Expr) -> Result<(), Failure> {
        let inside = self.open.pop().unwrap_or_default();
        let before = inside.before + 1;
        let mut size =
            Size { before, after: inside.after + 1, after_max: (inside.after_max + 1).saturating_mul(COPIES) };
        if size.is_uncertain() {
            let most = before.saturating_mul(MULTIPLE_MAX).saturating_add(ADDED_MAX);
            let counted = count(expr, most);
            if counted > most {
                return Err(Failure::limit_exceeded(
                    "number of expressions into which a nested one is rewritten",
                    ADDED_MAX,
                ));
            }
            (size.after, size.after_max) = (counted, counted);
        }
        if let Some(outside) = self.open.last_mut() {
            outside.before += size.before;
            outside.after += size.after;
            outside.after_max = outside.after_max.saturating_add(size.after_max);
        }
        Ok(())
    }
}

/// How many expressions one consists of, or one more than `most`.
pub(crate) fn count(expr: &Expr, most: usize) -> usize {
    let mut counted = Counted { found: 0, most };
    // It breaks where it need not go on.
    let _ = expr.walk(&mut counted);
    counted.found
}

struct Counted {
    found: usize,
    most: usize,
}

impl Visitor for Counted {
    type Break = Failure;

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<Failure> {
        self.found += 1;
        match self.found > self.most {
            true => ControlFlow::Break(Failure::limit_exceeded("number of expressions", self.most)),
            false => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use std::ops::ControlFlow;

    use super::ExpressionGrowth;
    use crate::Failure;
    use crate::ast::{BinaryOperator, Expr, VisitorMut};
    use crate::print;
    use crate::tree::{Tree, outcome};

    /// Doubles what is negated.
    #[derive(Default)]
    struct Doubling(ExpressionGrowth);

    impl VisitorMut for Doubling {
        type Break = Failure;

        fn pre_visit_expr(&mut self, _: &mut Expr) -> ControlFlow<Failure> {
            self.0.enter();
            ControlFlow::Continue(())
        }

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
            if let Expr::UnaryOp { expr: inside, .. } = expr {
                let (left, right) = (inside.clone(), inside.clone());
                *expr = Expr::BinaryOp { left, op: BinaryOperator::Plus, right };
            }
            self.0.leave(expr).map_or_else(ControlFlow::Break, ControlFlow::Continue)
        }
    }

    #[test]
    fn growth_ends_and_size_alone_is_allowed() {
        let doubled = |text: &str| {
            let mut expr = print::read_expression(text).unwrap();
            outcome(expr.walk_mut(&mut Doubling::default()))
        };
        let nested = |depth: usize| format!("{}a{}", "-(".repeat(depth), ")".repeat(depth));
        assert!(doubled(&nested(8)).is_ok());
        assert!(doubled(&nested(20)).is_err_and(|failure| failure.code == "000603"));
        assert!(doubled(&format!("f({}a)", "a, ".repeat(200_000))).is_ok());
        assert!(doubled(&format!("f({}a)", "-(a), ".repeat(100_000))).is_ok());
    }
}
