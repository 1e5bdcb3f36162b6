//! The session's output formats decide what bytes, dates and times become when they are turned into text.

use std::ops::ControlFlow;
use std::sync::Arc;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, ObjectNamePart, VisitorMut};

use super::build::{call, null, plain_arguments, text};
use crate::CellFormats;
use crate::formats::{BinaryFormat, FormatModel};

const DATE: &str = "YYYY-MM-DD";
const TIME: &str = "HH24:MI:SS";
const TIMESTAMP: &str = "YYYY-MM-DD HH24:MI:SS.FF3";
const TIMESTAMP_WITH_ZONE: &str = "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM";

/// Runs when all other passes have written their conversions to text: `firn_text(x)` and `firn_textual(x)`.
pub(super) struct SessionTexts<'formats>(pub(super) &'formats CellFormats);

impl VisitorMut for SessionTexts<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        rewrite(expr, self.0);
        ControlFlow::Continue(())
    }
}

fn rewrite(expr: &mut Expr, formats: &CellFormats) {
    let Some((name, value)) = converted(expr) else { return };
    let name = match formats.binary {
        BinaryFormat::Base64 if name == "firn_text" => "firn_text_base64",
        BinaryFormat::Utf8 if name == "firn_text" => "firn_text_utf8",
        _ => name,
    };
    let usual = call(name, vec![value.clone()]);
    let models = [
        own(&formats.date, DATE),
        own(&formats.time, TIME),
        own(&formats.timestamp_ntz, TIMESTAMP),
        own(&formats.timestamp_ltz, TIMESTAMP_WITH_ZONE),
        own(&formats.timestamp_tz, TIMESTAMP_WITH_ZONE),
    ];
    *expr = if models.iter().all(Option::is_none) {
        usual
    } else {
        let models = models.map(|model| model.map_or_else(null, text));
        call("firn_text_by", [value, usual].into_iter().chain(models).collect())
    };
}

/// The function that makes a text, and what of.
fn converted(expr: &Expr) -> Option<(&'static str, Expr)> {
    let Expr::Function(function) = expr else { return None };
    let [ObjectNamePart::Identifier(Ident { value: name, .. })] = &function.name.0[..] else { return None };
    let name = ["firn_text", "firn_textual"].into_iter().find(|known| known == name)?;
    match plain_arguments(function)?.as_slice() {
        [value] => Some((name, value.clone())),
        _ => None,
    }
}

/// A format that differs from what is written without one.
fn own<'format>(format: &'format Option<Arc<FormatModel>>, usual: &str) -> Option<&'format str> {
    format.as_deref().map(FormatModel::text).filter(|format| *format != usual)
}

#[cfg(test)]
mod tests {
    use firn_sql::print;

    use super::*;

    fn check(formats: &CellFormats, expected: &str) {
        let parsed = print::read_expression("firn_text(a)");
        let Ok(mut expr) = parsed else { panic!("the example does not parse") };
        rewrite(&mut expr, formats);
        assert_eq!(print::into_sql(expr), expected);
    }

    #[test]
    fn texts_follow_the_formats() {
        let model = |text: &str| FormatModel::parse(text).ok().map(Arc::new);
        check(&CellFormats::default(), "firn_text(a)");
        check(&CellFormats { binary: BinaryFormat::Base64, ..CellFormats::default() }, "firn_text_base64(a)");
        check(&CellFormats { date: model(DATE), ..CellFormats::default() }, "firn_text(a)");
        check(
            &CellFormats { date: model("DD.MM.YYYY"), ..CellFormats::default() },
            "firn_text_by(a, firn_text(a), 'DD.MM.YYYY', NULL, NULL, NULL, NULL)",
        );
    }
}
