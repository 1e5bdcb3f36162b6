//! Stages and file formats: CREATE, ALTER, DROP, LIST and REMOVE.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, external_stages, if_exists};
use crate::Failure;
use crate::command::{
    Command, CreateStage, FormatChange, FormatChoice, IfMissing, ObjectKind, Persistence, Property, PropertyValue,
    StageChange, StageCommand, StageProperties,
};
use crate::file_formats::FileFormat;
use crate::names::{Namespace, ObjectName};
use crate::reader::name_parts_of;
use crate::stages::StageLocation;

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("STAGE", &["TEMPORARY", "TEMP"])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    if reader.at("CLONE") {
        return Err(Failure::unsupported("CREATE STAGE … CLONE"));
    }
    let persistence = if modifiers.words.is_empty() { Persistence::Permanent } else { Persistence::Temporary };
    let properties = stage_properties(reader)?;
    Ok(Command::Stages(StageCommand::CreateStage(CreateStage { name, mode, persistence, properties })))
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = if reader.eat("RENAME TO") {
        StageChange::Rename(reader.object_name()?)
    } else if reader.eat("UNSET COMMENT") {
        StageChange::UnsetComment
    } else if reader.eat("REFRESH") {
        let path = match reader.eat("SUBPATH") {
            true => {
                reader.expect_token(&Token::Eq)?;
                Some(reader.string()?)
            }
            false => None,
        };
        return Ok(Command::Stages(StageCommand::Refresh { name, if_missing, path }));
    } else {
        reader.expect("SET")?;
        if reader.at_end() {
            return Err(reader.unexpected());
        }
        StageChange::Set(stage_properties(reader)?)
    };
    Ok(Command::Stages(StageCommand::AlterStage { name, if_missing, change }))
}

pub(super) fn drop(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    Ok(Command::Stages(StageCommand::DropStage { name: reader.object_name()?, if_missing }))
}

fn stage_properties(reader: &mut Reader<'_>) -> Result<StageProperties, Failure> {
    let mut properties = StageProperties::default();
    while !reader.at_end() {
        if let Some(format) = format_choice(reader)? {
            properties.format = Some(format);
        } else if reader.at("COPY_OPTIONS") {
            let options = named_options(reader)?;
            super::copy::copy_options(&options)?;
            properties.copy_options = Some(options);
        } else if reader.at("DIRECTORY") {
            properties.directory = Some(directory(&named_options(reader)?)?);
        } else if let Some(comment) = reader.comment()? {
            properties.comment = Some(comment);
        } else if external_stages::property(reader, &mut properties.external)? {
            continue;
        } else if !reader.eat_token(&Token::Comma) {
            return Err(reader.unexpected());
        }
    }
    Ok(properties)
}

fn directory(options: &[Property]) -> Result<bool, Failure> {
    let mut enabled = false;
    for option in options {
        match (option.name.as_str(), &option.value) {
            ("ENABLE", PropertyValue::Text(word)) => enabled = word.eq_ignore_ascii_case("TRUE"),
            // A new stage of ours is empty, so there is nothing to be refreshed.
            ("REFRESH_ON_CREATE", PropertyValue::Text(_)) => {}
            ("AUTO_REFRESH", PropertyValue::Text(word)) if word.eq_ignore_ascii_case("FALSE") => {}
            (name, _) => return Err(Failure::unsupported(&format!("DIRECTORY = ({name} = …)"))),
        }
    }
    Ok(enabled)
}

/// `FILE_FORMAT = (…)`, or a format's name in the place of the brackets.
pub(super) fn format_choice(reader: &mut Reader<'_>) -> Result<Option<FormatChoice>, Failure> {
    if !reader.eat("FILE_FORMAT") {
        return Ok(None);
    }
    reader.expect_token(&Token::Eq)?;
    if !reader.at_token(&Token::LParen) {
        return Ok(Some(FormatChoice::Named(format_name(reader)?)));
    }
    let options = option_list(reader)?;
    match options.iter().find(|option| option.name == "FORMAT_NAME") {
        None => {
            FileFormat::of(&options)?;
            Ok(Some(FormatChoice::Options(options)))
        }
        Some(_) if options.len() > 1 => Err(Failure::invalid_value(
            "FILE_FORMAT",
            "FORMAT_NAME",
            "it stands alone; other options belong into the named format",
        )),
        Some(Property { value: PropertyValue::Text(name), .. }) => {
            Ok(Some(FormatChoice::Named(object_name_in_text(name)?)))
        }
        Some(_) => Err(Failure::invalid_value("FORMAT_NAME", "a list", "give one name")),
    }
}

fn format_name(reader: &mut Reader<'_>) -> Result<ObjectName, Failure> {
    match reader.peek() {
        Token::SingleQuotedString(_) => object_name_in_text(&reader.string()?),
        _ => reader.object_name(),
    }
}

/// The object that a name written in a string means.
pub fn object_name_in_text(text: &str) -> Result<ObjectName, Failure> {
    let parts = name_parts_of(text)?;
    ObjectName::of_parts(parts).ok_or_else(|| Failure::missing_object("File format", text))
}

/// A name with the parts that it lacks; as it is where there are none, or where it is no name.
pub fn completed_name(text: &str, namespace: &Namespace) -> String {
    let completed = object_name_in_text(text).and_then(|mut name| name.qualify(namespace).map(|()| name));
    completed.map_or_else(|_| text.to_owned(), |name| name.to_string())
}

/// `NAME = (A = 1 B = 2)`: the options in the brackets.
pub(super) fn named_options(reader: &mut Reader<'_>) -> Result<Vec<Property>, Failure> {
    reader.advance();
    reader.expect_token(&Token::Eq)?;
    option_list(reader)
}

pub(super) fn option_list(reader: &mut Reader<'_>) -> Result<Vec<Property>, Failure> {
    reader.expect_token(&Token::LParen)?;
    let mut options = Vec::new();
    while !reader.eat_token(&Token::RParen) {
        options.push(reader.property()?);
        reader.eat_token(&Token::Comma);
    }
    Ok(options)
}

pub(super) fn create_format(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("FILE FORMAT", &["TEMPORARY", "TEMP"])?;
    let persistence = if modifiers.words.is_empty() { Persistence::Permanent } else { Persistence::Temporary };
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let (options, comment) = format_options(reader)?;
    FileFormat::of(&options)?;
    Ok(Command::Stages(StageCommand::CreateFormat { name, mode, persistence, options, comment }))
}

pub(super) fn alter_format(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = if reader.eat("RENAME TO") {
        FormatChange::Rename(reader.object_name()?)
    } else {
        reader.expect("SET")?;
        if reader.at_end() {
            return Err(reader.unexpected());
        }
        let (options, comment) = format_options(reader)?;
        FormatChange::Set { options, comment }
    };
    Ok(Command::Stages(StageCommand::AlterFormat { name, if_missing, change }))
}

pub(super) fn drop_format(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    Ok(Command::Stages(StageCommand::DropFormat { name: reader.object_name()?, if_missing }))
}

fn format_options(reader: &mut Reader<'_>) -> Result<(Vec<Property>, Option<String>), Failure> {
    let mut options = reader.properties()?;
    let mut comment = None;
    options.retain(|option| match (&option.value, option.name.as_str()) {
        (PropertyValue::Text(text), "COMMENT") => {
            comment = Some(text.clone());
            false
        }
        _ => true,
    });
    Ok((options, comment))
}

pub(super) fn comment(kind: ObjectKind, name: ObjectName, if_missing: IfMissing, comment: String) -> StageCommand {
    let comment = Some(comment);
    match kind {
        ObjectKind::Stage => {
            let change = StageChange::Set(StageProperties { comment, ..StageProperties::default() });
            StageCommand::AlterStage { name, if_missing, change }
        }
        _ => StageCommand::AlterFormat { name, if_missing, change: FormatChange::Set { options: Vec::new(), comment } },
    }
}

pub(super) fn list(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.advance();
    let (location, pattern) = location_and_pattern(reader)?;
    Ok(Command::Stages(StageCommand::List { location, pattern }))
}

pub(super) fn remove(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.advance();
    let (location, pattern) = location_and_pattern(reader)?;
    Ok(Command::Stages(StageCommand::Remove { location, pattern }))
}

fn location_and_pattern(reader: &mut Reader<'_>) -> Result<(StageLocation, Option<String>), Failure> {
    let location = location(reader)?;
    let pattern = match reader.eat("PATTERN") {
        true => {
            reader.expect_token(&Token::Eq)?;
            Some(reader.string()?)
        }
        false => None,
    };
    Ok((location, pattern))
}

/// A stage location, which `stage_tokens` has made one word of.
pub(super) fn location(reader: &mut Reader<'_>) -> Result<StageLocation, Failure> {
    let location = match reader.peek() {
        Token::Word(word) if word.quote_style.is_none() && word.value.starts_with('@') => {
            StageLocation::parse(&word.value)?
        }
        _ => return Err(reader.unexpected()),
    };
    reader.advance();
    Ok(location)
}
