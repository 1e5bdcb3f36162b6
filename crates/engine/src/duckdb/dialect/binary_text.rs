//! BINARY_OUTPUT_FORMAT decides what BINARY becomes when it is turned into text.

use firn_sql::ast::{Expr, Ident, ObjectNamePart};

use crate::formats::BinaryFormat;

/// `firn_text(x)` is the conversion to text that every other pass writes.
pub(super) fn rewrite(expr: &mut Expr, format: BinaryFormat) {
    let name = match format {
        BinaryFormat::Hex => return,
        BinaryFormat::Base64 => "firn_text_base64",
        BinaryFormat::Utf8 => "firn_text_utf8",
    };
    if let Expr::Function(function) = expr
        && let [ObjectNamePart::Identifier(ident)] = function.name.0.as_mut_slice()
        && ident.value == "firn_text"
    {
        *ident = Ident::new(name);
    }
}

#[cfg(test)]
mod tests {
    use firn_sql::print;

    use super::*;

    #[test]
    fn text_of_binary_follows_the_format() {
        let cases = [
            (BinaryFormat::Hex, "firn_text(a)"),
            (BinaryFormat::Base64, "firn_text_base64(a)"),
            (BinaryFormat::Utf8, "firn_text_utf8(a)"),
        ];
        for (format, expected) in cases {
            let parsed = print::read_expression("firn_text(a)");
            let Ok(mut expr) = parsed else { panic!("the example does not parse") };
            rewrite(&mut expr, format);
            assert_eq!(print::into_sql(expr), expected);
        }
    }
}
