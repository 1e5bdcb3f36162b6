//! COPY INTO: from a stage into a table, and from a table or query into a stage.

use sqlparser::tokenizer::Token;

use super::stages::{format_choice, location};
use super::{Reader, external_stages};
use crate::command::{
    ColumnMatch, Command, CopyIntoStage, CopyIntoTable, CopyOptions, ExternalProperties, OnError, Property,
    PropertyValue, StageCommand, UnloadedFiles, Validation,
};
use crate::stages::{StageLocation, StageName};
use crate::{Failure, ast};

/// The dialect's default for MAX_FILE_SIZE.
const FILE_BYTES_DEFAULT: u64 = 16_777_216;

/// And the most it takes.
const FILE_BYTES_MAX: u64 = 5_368_709_120;

/// More names than this in FILES are refused.
const FILES_MAX: usize = 1_000;

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("COPY")?;
    if !reader.eat("INTO") {
        return Err(Failure::unsupported("COPY"));
    }
    let command = match reader.peek() {
        Token::Word(word) if word.quote_style.is_none() && word.value.starts_with('@') => unload(reader)?,
        Token::SingleQuotedString(_) => unload(reader)?,
        _ => load(reader)?,
    };
    Ok(Command::Stages(command))
}

fn load(reader: &mut Reader<'_>) -> Result<StageCommand, Failure> {
    let table = reader.object_name()?;
    let columns = if reader.at_token(&Token::LParen) { reader.column_list()? } else { Vec::new() };
    reader.expect("FROM")?;
    let (source, query) = source(reader)?;
    let mut external = ExternalProperties::default();
    let (mut files, mut pattern, mut format, mut validation) = (Vec::new(), None, None, None);
    let (mut options, mut include_metadata) = (Vec::new(), Vec::new());
    while !reader.at_end() {
        if let Some(choice) = format_choice(reader)? {
            format = Some(choice);
            continue;
        }
        if external_stages::property(reader, &mut external)? {
            continue;
        }
        if reader.eat("INCLUDE_METADATA") {
            include_metadata = included_metadata(reader)?;
            continue;
        }
        let option = reader.property()?;
        reader.eat_token(&Token::Comma);
        match (option.name.as_str(), option.value) {
            ("FILES", PropertyValue::List(names)) if names.len() <= FILES_MAX => files = names,
            ("FILES", _) => {
                return Err(Failure::invalid_value("FILES", "", &format!("give a list of at most {FILES_MAX} names")));
            }
            ("PATTERN", PropertyValue::Text(text)) => pattern = Some(text),
            ("VALIDATION_MODE", PropertyValue::Text(word)) => validation = Some(validation_mode(&word)?),
            (_, value) => options.push(Property { name: option.name, value }),
        }
    }
    let options = copy_options(&options)?;
    let location = source.location(external)?;
    let load = CopyIntoTable {
        table,
        columns,
        location,
        query,
        files,
        pattern,
        format,
        options,
        validation,
        include_metadata,
    };
    check_match_by_name(&load)?;
    Ok(StageCommand::Load(Box::new(load)))
}

/// MATCH_BY_COLUMN_NAME excludes a transformation and VALIDATION_MODE, and INCLUDE_METADATA needs it.
fn check_match_by_name(load: &CopyIntoTable) -> Result<(), Failure> {
    let by_name = load.options.match_by_column_name.unwrap_or(ColumnMatch::ByPosition) != ColumnMatch::ByPosition;
    let refuse = |way_out: &str| Err(Failure::invalid_value("MATCH_BY_COLUMN_NAME", "", way_out));
    if by_name && load.query.is_some() {
        return refuse("it cannot be used with a SELECT in COPY");
    }
    if by_name && load.validation.is_some() {
        return refuse("it cannot be used with VALIDATION_MODE");
    }
    if !by_name && !load.include_metadata.is_empty() {
        return refuse("INCLUDE_METADATA needs it");
    }
    Ok(())
}

/// `INCLUDE_METADATA = (column = METADATA$FILENAME, …)`.
fn included_metadata(reader: &mut Reader<'_>) -> Result<Vec<(String, String)>, Failure> {
    const KNOWN: [&str; 5] = [
        "METADATA$FILENAME",
        "METADATA$FILE_ROW_NUMBER",
        "METADATA$FILE_CONTENT_KEY",
        "METADATA$FILE_LAST_MODIFIED",
        "METADATA$START_SCAN_TIME",
    ];
    reader.expect_token(&Token::Eq)?;
    reader.expect_token(&Token::LParen)?;
    let mut included = Vec::new();
    while !reader.eat_token(&Token::RParen) {
        let column = reader.identifier()?;
        reader.expect_token(&Token::Eq)?;
        let place = reader.place();
        let metadata = reader.identifier()?;
        if !KNOWN.contains(&metadata.as_str()) {
            return Err(reader.unexpected_at(place));
        }
        included.push((column, metadata));
        reader.eat_token(&Token::Comma);
    }
    Ok(included)
}

/// A location as written; the credentials and the endpoint of an address may follow among the options.
enum WrittenPlace {
    Stage(StageLocation),
    Url(String),
}

impl WrittenPlace {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Failure> {
        match reader.peek() {
            Token::SingleQuotedString(_) => reader.string().map(Self::Url),
            _ => location(reader).map(Self::Stage),
        }
    }

    fn location(self, external: ExternalProperties) -> Result<StageLocation, Failure> {
        match self {
            Self::Stage(location) => external_stages::refuse_beside_stage(&external).map(|()| location),
            Self::Url(url) => external_stages::location(&url, external),
        }
    }
}

/// A stage or an address, or a query over a stage in brackets.
fn source(reader: &mut Reader<'_>) -> Result<(WrittenPlace, Option<Box<ast::Query>>), Failure> {
    if !reader.eat_token(&Token::LParen) {
        return Ok((WrittenPlace::read(reader)?, None));
    }
    let query = reader.query()?;
    reader.expect_token(&Token::RParen)?;
    let location = staged_relation(&query)
        .ok_or_else(|| Failure::unsupported("COPY INTO from a query that is not SELECT … FROM one stage"))?;
    Ok((WrittenPlace::Stage(StageLocation::parse(&location)?), Some(query)))
}

/// The one stage that a query of COPY reads.
fn staged_relation(query: &ast::Query) -> Option<String> {
    let ast::SetExpr::Select(select) = query.body.as_ref() else { return None };
    let [only] = select.from.as_slice() else { return None };
    let ast::TableFactor::Table { name, args: None, .. } = &only.relation else { return None };
    let plain = only.joins.is_empty()
        && query.with.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && select.distinct.is_none()
        && select.selection.is_none()
        && select.having.is_none()
        && select.qualify.is_none();
    match name.0.as_slice() {
        [ast::ObjectNamePart::Identifier(ident)]
            if plain && ident.quote_style.is_none() && ident.value.starts_with('@') =>
        {
            Some(ident.value.clone())
        }
        _ => None,
    }
}

fn validation_mode(word: &str) -> Result<Validation, Failure> {
    match word {
        "RETURN_ERRORS" => Ok(Validation::Errors),
        "RETURN_ALL_ERRORS" => Ok(Validation::AllErrors),
        other => {
            let count = other.strip_prefix("RETURN_").and_then(|rest| rest.strip_suffix("_ROWS"));
            count.and_then(|count| count.parse().ok()).map(Validation::Rows).ok_or_else(|| {
                Failure::invalid_value(
                    "VALIDATION_MODE",
                    other,
                    "it is RETURN_<n>_ROWS, RETURN_ERRORS or RETURN_ALL_ERRORS",
                )
            })
        }
    }
}

/// The options of a load, of COPY itself or of a stage's COPY_OPTIONS.
pub fn copy_options(given: &[Property]) -> Result<CopyOptions, Failure> {
    let mut options = CopyOptions {
        on_error: None,
        size_limit: None,
        purge: None,
        force: None,
        truncate_columns: None,
        return_failed_only: None,
        match_by_column_name: None,
    };
    for Property { name, value } in given {
        let PropertyValue::Text(text) = value else {
            return Err(Failure::invalid_value(name, "a list", "give one value"));
        };
        match name.as_str() {
            "ON_ERROR" => options.on_error = Some(on_error(text)?),
            "SIZE_LIMIT" => options.size_limit = Some(count(name, text)?),
            "PURGE" => options.purge = Some(flag(name, text)?),
            "FORCE" => options.force = Some(flag(name, text)?),
            "TRUNCATECOLUMNS" => options.truncate_columns = Some(flag(name, text)?),
            "ENFORCE_LENGTH" => options.truncate_columns = Some(!flag(name, text)?),
            "RETURN_FAILED_ONLY" => options.return_failed_only = Some(flag(name, text)?),
            "LOAD_UNCERTAIN_FILES" => drop(flag(name, text)?),
            "MATCH_BY_COLUMN_NAME" => options.match_by_column_name = Some(column_match(text)?),
            "INCLUDE_METADATA" | "LOAD_MODE" | "FILE_PROCESSOR" => return Err(Failure::unsupported(name)),
            _ => return Err(Failure::invalid_value("COPY option", name, "COPY INTO a table has no such option")),
        }
    }
    Ok(options)
}

fn on_error(text: &str) -> Result<OnError, Failure> {
    let wrong = || {
        let way_out = "it is CONTINUE, SKIP_FILE, SKIP_FILE_<n>, 'SKIP_FILE_<n>%' or ABORT_STATEMENT";
        Failure::invalid_value("ON_ERROR", text, way_out)
    };
    match text.to_ascii_uppercase().as_str() {
        "ABORT_STATEMENT" => Ok(OnError::Abort),
        "CONTINUE" => Ok(OnError::Continue),
        "SKIP_FILE" => Ok(OnError::SkipFile { errors: 1 }),
        other => {
            let amount = other.strip_prefix("SKIP_FILE_").ok_or_else(wrong)?;
            match amount.strip_suffix('%') {
                Some(percent) => {
                    let percent = percent.parse().ok().filter(|percent| *percent <= 100).ok_or_else(wrong)?;
                    Ok(OnError::SkipFilePercent { percent })
                }
                None => {
                    let errors = amount.parse().ok().filter(|errors| *errors > 0).ok_or_else(wrong)?;
                    Ok(OnError::SkipFile { errors })
                }
            }
        }
    }
}

fn column_match(text: &str) -> Result<ColumnMatch, Failure> {
    match text.to_ascii_uppercase().as_str() {
        "CASE_SENSITIVE" => Ok(ColumnMatch::CaseSensitive),
        "CASE_INSENSITIVE" => Ok(ColumnMatch::CaseInsensitive),
        "NONE" => Ok(ColumnMatch::ByPosition),
        _ => {
            let way_out = "it is CASE_SENSITIVE, CASE_INSENSITIVE or NONE";
            Err(Failure::invalid_value("MATCH_BY_COLUMN_NAME", text, way_out))
        }
    }
}

fn flag(name: &str, text: &str) -> Result<bool, Failure> {
    match text.to_ascii_uppercase().as_str() {
        "TRUE" => Ok(true),
        "FALSE" => Ok(false),
        _ => Err(Failure::invalid_value(name, text, "it is TRUE or FALSE")),
    }
}

fn count(name: &str, text: &str) -> Result<u64, Failure> {
    text.parse().map_err(|_| Failure::invalid_value(name, text, "it is a number from 0"))
}

fn unload(reader: &mut Reader<'_>) -> Result<StageCommand, Failure> {
    let target = WrittenPlace::read(reader)?;
    reader.expect("FROM")?;
    let query = unloaded_query(reader)?;
    let mut external = ExternalProperties::default();
    let mut unload = CopyIntoStage {
        location: StageLocation { stage: StageName::User, path: String::new() },
        query,
        partition_by: None,
        format: None,
        files: UnloadedFiles::Several { bytes_max: FILE_BYTES_DEFAULT },
        overwrite: false,
        header: false,
        detailed_output: false,
        include_query_id: false,
    };
    let mut query_id = None;
    if reader.eat("PARTITION BY") {
        let place = reader.place();
        unload.partition_by = Some(match reader.expression()? {
            ast::Expr::Nested(inside) => *inside,
            ast::Expr::Tuple(_) => return Err(reader.unexpected_at(place)),
            alone => alone,
        });
    }
    while !reader.at_end() {
        match format_choice(reader)? {
            Some(choice) => unload.format = Some(choice),
            None if external_stages::property(reader, &mut external)? => {}
            None => {
                let option = reader.property()?;
                match (option.name.as_str(), &option.value) {
                    ("INCLUDE_QUERY_ID", PropertyValue::Text(text)) => query_id = Some(flag(&option.name, text)?),
                    _ => set_unload_option(&mut unload, &option)?,
                }
            }
        }
        reader.eat_token(&Token::Comma);
    }
    check_file_names(&mut unload, query_id)?;
    unload.location = target.location(external)?;
    Ok(StageCommand::Unload(Box::new(unload)))
}

/// Names of partitioned files always include the query id; a single file, or one that overwrites others, cannot.
fn check_file_names(unload: &mut CopyIntoStage, query_id: Option<bool>) -> Result<(), Failure> {
    let is_single = unload.files == UnloadedFiles::Single;
    if unload.partition_by.is_some() {
        if is_single {
            return Err(Failure::invalid_value("SINGLE", "TRUE", "PARTITION BY makes several files"));
        }
        if unload.overwrite {
            return Err(Failure::invalid_value("OVERWRITE", "TRUE", "PARTITION BY only adds files"));
        }
        if query_id == Some(false) {
            return Err(Failure::invalid_value("INCLUDE_QUERY_ID", "FALSE", "it is TRUE with PARTITION BY"));
        }
    }
    if query_id == Some(true) && (is_single || unload.overwrite) {
        return Err(Failure::invalid_value("INCLUDE_QUERY_ID", "TRUE", "leave out SINGLE and OVERWRITE"));
    }
    unload.include_query_id = query_id == Some(true) || unload.partition_by.is_some();
    Ok(())
}

fn unloaded_query(reader: &mut Reader<'_>) -> Result<Box<ast::Query>, Failure> {
    if reader.eat_token(&Token::LParen) {
        let query = reader.query()?;
        reader.expect_token(&Token::RParen)?;
        return Ok(query);
    }
    let place = reader.place();
    let name = reader.object_name()?;
    let mut query = crate::print::read_query("SELECT * FROM t")?;
    if let ast::SetExpr::Select(select) = query.body.as_mut()
        && let Some(ast::TableWithJoins { relation: ast::TableFactor::Table { name: relation, .. }, .. }) =
            select.from.first_mut()
    {
        let parts = [name.database, name.schema, Some(name.name)].into_iter().flatten();
        *relation = ast::ObjectName::from(parts.map(|part| ast::Ident::with_quote('"', part)).collect::<Vec<_>>());
        return Ok(Box::new(query));
    }
    Err(reader.unexpected_at(place))
}

fn set_unload_option(unload: &mut CopyIntoStage, option: &Property) -> Result<(), Failure> {
    let name = option.name.as_str();
    let PropertyValue::Text(text) = &option.value else {
        return Err(Failure::invalid_value(name, "a list", "give one value"));
    };
    match name {
        "SINGLE" => {
            if flag(name, text)? {
                unload.files = UnloadedFiles::Single;
            }
        }
        "MAX_FILE_SIZE" => {
            let bytes_max = count(name, text)?;
            if bytes_max == 0 || bytes_max > FILE_BYTES_MAX {
                let way_out = format!("it is a number from 1 to {FILE_BYTES_MAX}");
                return Err(Failure::invalid_value(name, text, &way_out));
            }
            if unload.files != UnloadedFiles::Single {
                unload.files = UnloadedFiles::Several { bytes_max };
            }
        }
        "OVERWRITE" => unload.overwrite = flag(name, text)?,
        "HEADER" => unload.header = flag(name, text)?,
        "DETAILED_OUTPUT" => unload.detailed_output = flag(name, text)?,
        "VALIDATION_MODE" => return Err(Failure::unsupported(name)),
        _ => return Err(Failure::invalid_value("COPY option", name, "COPY INTO a stage has no such option")),
    }
    Ok(())
}
