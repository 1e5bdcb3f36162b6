//! Names in commands about stages, and staged locations in the place of relations.

use super::{Access, Resolution, UsedKind};
use crate::Failure;
use crate::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName as TreeName, ObjectNamePart, TableFunctionArgs, Value,
};
use crate::build::string;
use crate::command::{FileTransfer, FormatChange, Persistence, StageChange, StageCommand, StageProperties};
use crate::names::quote_identifier;
use crate::parse::object_name_in_text;
use crate::privileges::PrivilegeSet;
use crate::reader::name_from_tree;
use crate::staged_relations::MARK;
use crate::stages::StageLocation;

pub(super) fn names(command: &mut StageCommand, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match command {
        StageCommand::CreateStage(create) => {
            let access = Access::of_mode(create.mode);
            match create.persistence {
                Persistence::Temporary => {
                    resolution.object_needing(&mut create.name, UsedKind::Stage, Access::Create, PrivilegeSet::NONE)?;
                }
                _ => resolution.object(&mut create.name, UsedKind::Stage, access)?,
            }
            stage_properties(&mut create.properties, resolution)
        }
        StageCommand::AlterStage { name, change, if_missing } => {
            resolution.object_if_any(name, UsedKind::Stage, Access::Change, *if_missing)?;
            match change {
                StageChange::Rename(new) => resolution.object(new, UsedKind::Stage, Access::Create),
                StageChange::Set(properties) => stage_properties(properties, resolution),
                StageChange::UnsetComment => Ok(()),
            }
        }
        StageCommand::Refresh { name, if_missing, .. } => {
            resolution.object_if_any(name, UsedKind::Stage, Access::Change, *if_missing)
        }
        StageCommand::DropStage { name, if_missing } => {
            resolution.object_if_any(name, UsedKind::Stage, Access::Drop, *if_missing)
        }
        StageCommand::CreateFormat { name, persistence: Persistence::Temporary, .. } => {
            resolution.object_needing(name, UsedKind::FileFormat, Access::Create, PrivilegeSet::NONE)
        }
        StageCommand::CreateFormat { name, mode, .. } => {
            resolution.object(name, UsedKind::FileFormat, Access::of_mode(*mode))
        }
        StageCommand::AlterFormat { name, change, if_missing } => {
            resolution.object_if_any(name, UsedKind::FileFormat, Access::Change, *if_missing)?;
            match change {
                FormatChange::Rename(new) => resolution.object(new, UsedKind::FileFormat, Access::Create),
                FormatChange::Set { .. } => Ok(()),
            }
        }
        StageCommand::DropFormat { name, if_missing } => {
            resolution.object_if_any(name, UsedKind::FileFormat, Access::Drop, *if_missing)
        }
        StageCommand::List { location, .. } => resolution.stage(&mut location.stage, Access::Read),
        StageCommand::Remove { location, .. } => resolution.stage(&mut location.stage, Access::Write),
        StageCommand::Load(copy) => {
            resolution.object(&mut copy.table, UsedKind::Table, Access::Write)?;
            resolution.stage(&mut copy.location.stage, Access::Read)?;
            // PURGE removes the files that were loaded.
            if copy.options.purge == Some(true) {
                resolution.stage(&mut copy.location.stage, Access::Write)?;
            }
            copy.format.as_mut().map_or(Ok(()), |format| resolution.format(format))
        }
        StageCommand::Unload(copy) => {
            resolution.stage(&mut copy.location.stage, Access::Write)?;
            copy.format.as_mut().map_or(Ok(()), |format| resolution.format(format))
        }
    }
}

pub(super) fn transfer(transfer: &mut FileTransfer, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match transfer {
        FileTransfer::Get(get) => resolution.stage(&mut get.location.stage, Access::Read),
        FileTransfer::Put(put) => resolution.stage(&mut put.location.stage, Access::Write),
    }
}

fn stage_properties(properties: &mut StageProperties, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    properties.format.as_mut().map_or(Ok(()), |format| resolution.format(format))
}

/// Makes a location complete: `"@"."@DB.SCHEMA.STAGE/path"`.
pub(super) fn relation(relation: &mut TreeName, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    let [ObjectNamePart::Identifier(only)] = relation.0.as_slice() else { return Ok(()) };
    let mut location = StageLocation::parse(&only.value)?;
    resolution.stage(&mut location.stage, Access::Read)?;
    *relation = TreeName::from(vec![Ident::with_quote('"', MARK), Ident::with_quote('"', location.to_string())]);
    Ok(())
}

/// The location that a resolved relation of the tree stands for.
pub fn staged_location(name: &TreeName) -> Option<Result<StageLocation, Failure>> {
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(mark), ObjectNamePart::Identifier(location)] if mark.value == MARK => {
            Some(StageLocation::parse(&location.value))
        }
        _ => None,
    }
}

/// Makes the name of a format behind a location complete.
pub(super) fn arguments(arguments: &mut TableFunctionArgs, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    for argument in &mut arguments.args {
        let FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. } = argument else { continue };
        if !name.value.eq_ignore_ascii_case("FILE_FORMAT") {
            continue;
        }
        let mut format = match &*value {
            Expr::Value(literal) => match &literal.value {
                Value::SingleQuotedString(text) => object_name_in_text(text)?,
                _ => return Err(Failure::invalid_value("FILE_FORMAT", &value.to_string(), "give a format's name")),
            },
            Expr::Identifier(only) => name_from_tree(&TreeName::from(vec![only.clone()]))?,
            Expr::CompoundIdentifier(parts) => name_from_tree(&TreeName::from(parts.clone()))?,
            other => return Err(Failure::invalid_value("FILE_FORMAT", &other.to_string(), "give a format's name")),
        };
        resolution.object(&mut format, UsedKind::FileFormat, Access::Read)?;
        *value = string([format.database(), format.schema(), &format.name].map(quote_identifier).join("."));
    }
    Ok(())
}
