//! The functions of the dialect that firn offers; any other is unknown, whatever the engine has.

use crate::{Failure, Statement};

pub fn check_functions(statement: &Statement) -> Result<(), Failure> {
    let _ = statement;
    Ok(())
}

pub fn names() -> &'static [&'static str] {
    &[]
}
