//! Functions about files of an external stage: replaces the address of the files on this server in their arguments by the
//! one in the external storage.

use std::ops::ControlFlow;

use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value, VisitorMut};
use firn_sql::stage_addresses::file_at;
use firn_sql::stages::StageName;
use firn_sql::tree::{Tree, outcome};

use crate::session_state::SessionState;

const OF_ADDRESSES: [&str; 3] = ["GET_ABSOLUTE_PATH", "GET_RELATIVE_PATH", "GET_STAGE_LOCATION"];
const OF_THIS_SERVER: &str = "BUILD_STAGE_FILE_URL";

/// Whether anything was changed.
pub(super) fn readdress(session: &SessionState, node: &mut dyn Tree) -> Result<bool, EngineError> {
    let mut pass = Readdressing { session, changed: false, broken: None };
    let walked = outcome(node.walk_mut(&mut pass));
    if let Some(error) = pass.broken {
        return Err(error);
    }
    walked?;
    Ok(pass.changed)
}

struct Readdressing<'a> {
    session: &'a SessionState,
    changed: bool,
    broken: Option<EngineError>,
}

impl VisitorMut for Readdressing<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let name = function.name.to_string();
        if name != OF_THIS_SERVER && !OF_ADDRESSES.contains(&name.as_str()) {
            return ControlFlow::Continue(());
        }
        let Some(address) = first_text(function) else { return ControlFlow::Continue(()) };
        match self.address_outside(address) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some(_)) if name == OF_THIS_SERVER => {
                ControlFlow::Break(Failure::unsupported(&format!("{name} of an external stage")))
            }
            Ok(Some(outside)) => {
                *address = outside;
                self.changed = true;
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.broken = Some(error);
                ControlFlow::Continue(())
            }
        }
    }
}

impl Readdressing<'_> {
    fn address_outside(&self, address: &str) -> Result<Option<String>, EngineError> {
        let Some((StageName::Named(name), _)) = file_at(address) else { return Ok(None) };
        let external = self.session.stage(&name)?.and_then(|stage| stage.definition.external);
        Ok(external.map(|external| {
            let url = external.url.to_string();
            if url.ends_with('/') { url } else { format!("{url}/") }
        }))
    }
}

fn first_text(function: &mut Function) -> Option<&mut String> {
    let FunctionArguments::List(list) = &mut function.args else { return None };
    match list.args.first_mut()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(literal))) => match &mut literal.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}
