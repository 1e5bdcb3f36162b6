//! The names of functions as the function table has them.

use crate::Failure;
use crate::ast::{Function, Ident, ObjectName, ObjectNamePart};
use crate::functions::{find, is_notification};

/// Makes the name one upper-case word. A quoted name that is not in upper case can be that of a user's function only.
pub(super) fn plain_name(function: &mut Function) -> Result<String, Failure> {
    let whole = function.name.to_string();
    match function.name.0.as_mut_slice() {
        [ObjectNamePart::Identifier(name)] => {
            let mut upper = name.value.to_ascii_uppercase();
            if name.quote_style.is_some() && name.value != upper {
                return Ok(whole);
            }
            if let Some(entry) = find(&upper).filter(|entry| entry.name != upper) {
                entry.name.clone_into(&mut upper);
            }
            name.value.clone_from(&upper);
            name.quote_style = None;
            Ok(upper)
        }
        [
            ObjectNamePart::Identifier(database),
            ObjectNamePart::Identifier(schema),
            ObjectNamePart::Identifier(name),
        ] if database.value.eq_ignore_ascii_case("SNOWFLAKE")
            && schema.value.eq_ignore_ascii_case("NOTIFICATION")
            && is_notification(&name.value.to_ascii_uppercase()) =>
        {
            let upper = name.value.to_ascii_uppercase();
            function.name = ObjectName::from(vec![Ident::new(&upper)]);
            Ok(upper)
        }
        // Only user-defined functions have qualified names; unknown ones are reported during name resolution.
        _ => Ok(whole.to_uppercase()),
    }
}
