//! Which columns of an error the statement itself names.

use firn_sql::Failure;

/// The column that a failure does not find, if the text of the statement does not name it.
pub fn unnamed_column(text: &str, failure: &Failure) -> Option<String> {
    let (_, shown) = failure.message.rsplit_once("invalid identifier '")?;
    let path = shown.trim_end_matches('\'').replace('"', "");
    let column = path.rsplit('.').next().unwrap_or_default().to_ascii_uppercase();
    (!column.is_empty() && !names(text, &column)).then_some(column)
}

pub fn names(text: &str, column: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    text.to_ascii_uppercase().split(|character| !is_part(character)).any(|identifier| identifier == column)
}
