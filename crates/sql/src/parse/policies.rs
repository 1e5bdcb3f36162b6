//! Masking and row access policies, and where they are attached to tables and views.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, routines, tags};
use crate::Failure;
use crate::command::routine::{Returns, Routine, RoutineKind};
use crate::command::{Command, Ddl, PolicyChange, PolicyUse};
use crate::data_types::DataType;
use crate::reader::read_type;

/// Kinds of policies that firn does not have.
const UNSUPPORTED: [&str; 6] =
    ["AGGREGATION POLICY", "JOIN POLICY", "PRIVACY POLICY", "PROJECTION POLICY", "STORAGE LIFECYCLE POLICY", "CONTACT"];

/// `name AS (a TYPE, …) RETURNS TYPE -> expression [COMMENT = '…'] [EXEMPT_OTHER_POLICIES = …]`.
pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers, kind: RoutineKind) -> Result<Command, Failure> {
    modifiers.allow(kind.word(), &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    reader.expect("AS")?;
    let parameters = routines::parameters(reader, kind)?;
    reader.expect("RETURNS")?;
    let returns = read_type(reader)?;
    let body = body(reader)?;
    let (mut comment, mut exempt_other_policies) = (None, false);
    while !reader.at_end() {
        if let Some(text) = reader.comment()? {
            comment = Some(text);
        } else if kind == RoutineKind::MaskingPolicy && reader.eat("EXEMPT_OTHER_POLICIES") {
            reader.expect_token(&Token::Eq)?;
            let flag = reader.eat_one_of(&["TRUE", "FALSE"]).ok_or_else(|| reader.unexpected())?;
            exempt_other_policies = flag == "TRUE";
        } else {
            return Err(reader.unexpected());
        }
    }
    let routine = Routine {
        body,
        comment,
        exempt_other_policies,
        ..Routine::new(kind, name, parameters, Returns::Value(returns))
    };
    check(&routine)?;
    Ok(Command::Ddl(Ddl::CreateRoutine { routine: Box::new(routine), mode, copy_grants: false }))
}

/// `-> expression`, as it is written.
pub(super) fn body(reader: &mut Reader<'_>) -> Result<String, Failure> {
    reader.expect_token(&Token::Arrow)?;
    let start = reader.place();
    reader.expression_until(|reader| {
        (reader.at("COMMENT") || reader.at("EXEMPT_OTHER_POLICIES")) && *reader.peek_nth(1) == Token::Eq
    })?;
    Ok(reader.text_since(start))
}

/// The types that a policy may have.
fn check(policy: &Routine) -> Result<(), Failure> {
    let Returns::Value(returns) = &policy.returns else { return Ok(()) };
    let fails = |message: String| Err(Failure::new("001003", "42601", format!("SQL compilation error:\n{message}")));
    match (policy.kind, policy.parameters.first()) {
        (_, None) => fails(format!("a {} needs at least one argument.", policy.kind.word().to_ascii_lowercase())),
        (RoutineKind::RowAccessPolicy, _) if *returns != DataType::Boolean => {
            fails("a row access policy returns BOOLEAN.".to_owned())
        }
        (RoutineKind::MaskingPolicy, Some(masked))
            if crate::routines::type_word(&masked.data_type) != crate::routines::type_word(returns) =>
        {
            fails(format!(
                "a masking policy returns the type of its first argument, {}, not {}.",
                masked.data_type.full_name(),
                returns.full_name()
            ))
        }
        _ => Ok(()),
    }
}

/// `[WITH] MASKING POLICY p [USING (a, b)]` of a column that is declared. `None` where no policy comes next.
pub(super) fn of_column(reader: &mut Reader<'_>, column: &str) -> Result<Option<PolicyChange>, Failure> {
    refuse_others(reader)?;
    if !reader.eat("WITH MASKING POLICY") && !reader.eat("MASKING POLICY") {
        return Ok(None);
    }
    masking(reader, column.to_owned()).map(Some)
}

/// `[WITH] ROW ACCESS POLICY p ON (a, b)` of a table or view that is created.
pub(super) fn of_relation(reader: &mut Reader<'_>) -> Result<Option<PolicyChange>, Failure> {
    refuse_others(reader)?;
    if !reader.eat("WITH ROW ACCESS POLICY") && !reader.eat("ROW ACCESS POLICY") {
        return Ok(None);
    }
    row_access(reader).map(Some)
}

/// What ALTER TABLE and ALTER VIEW change of policies and tags. `None` for any other change.
pub(super) fn changes(reader: &mut Reader<'_>) -> Result<Option<Vec<PolicyChange>>, Failure> {
    let verb = ["ADD", "DROP", "SET", "UNSET"].into_iter().find(|verb| reader.at(verb));
    let refused = UNSUPPORTED.iter().find(|kind| reader.at_nth(1, kind));
    if let (Some(verb), Some(kind)) = (verb, refused) {
        return Err(Failure::unsupported(&format!("{verb} {kind}")));
    }
    if let Some(changes) = tags::changes(reader)? {
        return Ok(Some(vec![PolicyChange::Tags { column: None, changes }]));
    }
    let mut changes = Vec::new();
    loop {
        if reader.eat("ADD ROW ACCESS POLICY") {
            changes.push(row_access(reader)?);
        } else if reader.eat("DROP ROW ACCESS POLICY") {
            changes.push(PolicyChange::DropRowAccess { policy: PolicyUse::named(reader.object_name()?) });
        } else if reader.eat("DROP ALL ROW ACCESS POLICIES") {
            changes.push(PolicyChange::DropAllRowAccess);
        } else if changes.is_empty() {
            return Ok(None);
        } else {
            return Err(reader.unexpected());
        }
        if !reader.eat_token(&Token::Comma) {
            return Ok(Some(changes));
        }
    }
}

/// What ALTER COLUMN changes of policies. `None` for any other change.
pub(super) fn column_change(reader: &mut Reader<'_>, column: &str) -> Result<Option<PolicyChange>, Failure> {
    let verb = ["SET", "UNSET"].into_iter().find(|verb| reader.at(verb));
    if let (Some(verb), Some(kind)) = (verb, UNSUPPORTED.iter().find(|kind| reader.at_nth(1, kind))) {
        return Err(Failure::unsupported(&format!("ALTER COLUMN {verb} {kind}")));
    }
    if reader.eat("UNSET MASKING POLICY") {
        return Ok(Some(PolicyChange::UnsetMasking { column: column.to_owned() }));
    }
    if !reader.eat("SET MASKING POLICY") {
        return Ok(None);
    }
    masking(reader, column.to_owned()).map(Some)
}

fn masking(reader: &mut Reader<'_>, column: String) -> Result<PolicyChange, Failure> {
    let policy = PolicyUse::named(reader.object_name()?);
    let using = if reader.eat("USING") { reader.column_list()? } else { Vec::new() };
    let force = reader.eat("FORCE");
    Ok(PolicyChange::SetMasking { column, policy, using, force })
}

fn row_access(reader: &mut Reader<'_>) -> Result<PolicyChange, Failure> {
    let policy = PolicyUse::named(reader.object_name()?);
    reader.expect("ON")?;
    Ok(PolicyChange::AddRowAccess { policy, columns: reader.column_list()? })
}

fn refuse_others(reader: &Reader<'_>) -> Result<(), Failure> {
    let next = usize::from(reader.at("WITH"));
    match UNSUPPORTED.iter().find(|kind| reader.at_nth(next, kind)) {
        Some(kind) => Err(Failure::unsupported(kind)),
        None => Ok(()),
    }
}
