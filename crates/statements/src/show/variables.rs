//! SHOW VARIABLES: what SET has set in this session.

use super::listing::{Listing, Viewer, instant, text};
use crate::show::type_names::wire_name;

pub fn variables(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of("session_id created_on:instant updated_on:instant name value type comment");
    let variables = &viewer.state.variables;
    for (name, value) in &variables.values {
        let times = variables.times.get(name);
        listing.add([
            text(&viewer.state.session_id),
            times.and_then(|times| instant(times.created_on_ms)),
            times.and_then(|times| instant(times.updated_on_ms)),
            text(name),
            value.text.clone(),
            text(wire_name(&value.data_type)),
            text(""),
        ]);
    }
    listing
}
