//! Full accounting: which words of a question a query uses, and what of the query no word asks for. It is computed from the
//! lattice and the query alone, so that readings of every origin are measured alike.

mod cover;
mod explains;
pub mod usage;

pub use cover::{Accounting, Loss, account, losses, opens_group};
pub use usage::Usage;
