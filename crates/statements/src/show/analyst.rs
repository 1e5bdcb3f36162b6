//! SHOW ANALYST FEEDBACK.

use super::listing::{Listing, Viewer, comment, instant, text};
use crate::run_error::RunError;

/// The account's administrator sees all of it, everyone else their own; the latest comes first.
pub fn feedback(viewer: &Viewer) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant request_id user_name positive feedback_message question semantic_model statement",
    );
    let catalog = &viewer.services.catalog;
    let principals = catalog.principals();
    for given in catalog.analyst_feedback(viewer.state.sees_questions_of())? {
        let user = principals.users().find(|user| user.id == given.user_id);
        listing.add([
            instant(given.created_on_ms),
            text(&given.request_id),
            comment(user.map(|user| user.name.as_str())),
            Some(given.positive.to_string()),
            comment(given.message.as_deref()),
            text(&given.question),
            text(&given.semantic_model),
            comment(given.sql.as_deref()),
        ]);
    }
    Ok(listing)
}
