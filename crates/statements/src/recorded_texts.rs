//! The room that the texts of statements take in the state file. While the disk has no more than its reserve, long ones are not
//! recorded, so that small statements and the next start find room.

use std::path::Path;

use firn_engine::disk_room::require_room;

use crate::error::StatementError;

/// Shorter texts are always recorded.
const SMALL_TEXT_BYTES: usize = 8 << 10;
/// A text is in the record of its request, in those of its statements, in the log of the state file and in the audit trail.
const COPIES: u64 = 3;

/// For the text of a request, before anything is recorded.
pub fn require_room_for_text(folder: &Path, text: &str) -> Result<(), StatementError> {
    match has_room(folder, text) {
        true => Ok(()),
        false => Err(StatementError::NoRoomForText { bytes_max: SMALL_TEXT_BYTES }),
    }
}

/// The text of a statement inside of a block as it is recorded: cut if there is no room for all of it.
pub fn recorded_text(folder: &Path, mut text: String) -> String {
    if !has_room(folder, &text) {
        let boundary = (0..=SMALL_TEXT_BYTES).rev().find(|end| text.is_char_boundary(*end));
        text.truncate(boundary.unwrap_or_default());
        text.push('…');
    }
    text
}

fn has_room(folder: &Path, text: &str) -> bool {
    text.len() <= SMALL_TEXT_BYTES || require_room(folder, text.len() as u64 * COPIES).is_ok()
}
