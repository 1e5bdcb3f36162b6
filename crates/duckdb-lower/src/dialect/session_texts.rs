//! The session's output formats decide what bytes, dates and times become when they are turned into text.

use std::ops::ControlFlow;

use firn_engine::CellFormats;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, ObjectNamePart, VisitorMut};
use firn_values::formats::{BinaryFormat, FormatModel};

use super::build::{call, plain_arguments, text};

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
    let bytes = match formats.binary {
        BinaryFormat::Hex => "HEX",
        BinaryFormat::Base64 => "BASE64",
        BinaryFormat::Utf8 => "UTF-8",
    };
    let models = [&formats.date, &formats.time, &formats.timestamp_ntz, &formats.timestamp_ltz, &formats.timestamp_tz];
    let models = models.map(|model| text(model.as_deref().map_or("AUTO", FormatModel::text)));
    *expr = call(&format!("{name}_by"), [value, text(bytes)].into_iter().chain(models).collect());
}

/// The function that makes a text, and what of.
fn converted(expr: &Expr) -> Option<(&'static str, Expr)> {
    let Expr::Function(function) = expr else { return None };
    let [ObjectNamePart::Identifier(Ident { value: name, .. })] = &function.name.0[..] else { return None };
    let name = ["firn_text", "firn_textual"].into_iter().find(|known| known == name)?;
    match plain_arguments(function)?.as_slice() {
        &[value] => Some((name, value.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
        check(
            &CellFormats { date: model("DD.MM.YYYY"), ..CellFormats::default() },
            "firn_text_by(a, 'HEX', 'DD.MM.YYYY', 'AUTO', 'AUTO', 'AUTO', 'AUTO')",
        );
        check(
            &CellFormats { binary: BinaryFormat::Base64, ..CellFormats::default() },
            "firn_text_by(a, 'BASE64', 'AUTO', 'AUTO', 'AUTO', 'AUTO', 'AUTO')",
        );
    }
}
