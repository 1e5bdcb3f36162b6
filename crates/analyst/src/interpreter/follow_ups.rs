//! What a question looks like that goes on with the one before.

use crate::question::words::{Word, WordKind};

/// A question of no more words that follows another one may be a part of it.
const SCANT_WORDS_MAX: usize = 3;

/// `which guests?`: so few words behind a question hardly leave it.
pub(super) fn is_scant(words: &[Word]) -> bool {
    words.iter().filter(|word| word.kind != WordKind::Mark).count() <= SCANT_WORDS_MAX
}
