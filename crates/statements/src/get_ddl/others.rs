//! The CREATE statements of functions, procedures, policies, tags and file formats.

use firn_catalog::LoginPolicy;
use firn_catalog::login_policies::properties_of;
use firn_engine::FormatDescription;
use firn_sql::command::{Property, PropertyValue};
use firn_sql::names::{escaped_literal, quote_identifier, quote_literal};
use firn_sql::routines::{Parameter, Rights, Routine, RoutineKind};

use crate::routines::returns_text;

pub fn routine(routine: &Routine, name: &str) -> String {
    let parameter = |parameter: &Parameter| {
        let default = parameter.default.as_ref().map_or_else(String::new, |default| format!(" DEFAULT {default}"));
        format!("{} {}{default}", quote_identifier(&parameter.name), parameter.data_type.full_name())
    };
    let parameters: Vec<String> = routine.parameters.iter().map(parameter).collect();
    if routine.kind.is_policy() {
        let parameter = |parameter: &Parameter| format!("{} {}", parameter.name, parameter.data_type.full_name());
        let parameters: Vec<String> = routine.parameters.iter().map(parameter).collect();
        let comment =
            routine.comment.as_ref().map_or_else(String::new, |text| format!("\nCOMMENT={}", escaped_literal(text)));
        let exempt = if routine.exempt_other_policies { "\nEXEMPT_OTHER_POLICIES=TRUE" } else { "" };
        return format!(
            "create or replace {} {name} as ({}) returns {} ->\n{}{comment}{exempt};",
            routine.kind.word().to_ascii_lowercase(),
            parameters.join(", "),
            returns_text(&routine.returns),
            routine.body
        );
    }
    if routine.kind == RoutineKind::Tag {
        let values: Vec<String> = routine.tag.allowed_values.iter().map(|value| escaped_literal(value)).collect();
        let allowed = if values.is_empty() { String::new() } else { format!(" allowed_values {}", values.join(", ")) };
        let comment =
            routine.comment.as_ref().map_or_else(String::new, |text| format!(" COMMENT={}", escaped_literal(text)));
        return format!("create or replace tag {name}{allowed}{comment};");
    }
    let secure = if routine.secure { "SECURE " } else { "" };
    let mut lines = vec![
        format!("CREATE OR REPLACE {secure}{} {name}({})", routine.kind.word(), parameters.join(", ")),
        format!("RETURNS {}", returns_text(&routine.returns)),
        "LANGUAGE SQL".to_owned(),
    ];
    let properties = [("STRICT", routine.strict), ("MEMOIZABLE", routine.memoizable)];
    lines.extend(properties.iter().filter(|(_, said)| *said).map(|(word, _)| (*word).to_owned()));
    lines.extend(routine.comment.as_ref().map(|comment| format!("COMMENT={}", escaped_literal(comment))));
    if routine.kind == RoutineKind::Procedure {
        lines.push(match routine.rights {
            Rights::Owner => "EXECUTE AS OWNER".to_owned(),
            Rights::Caller => "EXECUTE AS CALLER".to_owned(),
        });
    }
    lines.push(format!("AS {};", quote_literal(&routine.body.replace('\\', "\\\\"))));
    lines.join("\n")
}

pub fn file_format(format: &FormatDescription, name: &str) -> String {
    let option = |option: &Property| format!("\t{} = {}\n", option.name, value(&option.value));
    let is_type = |option: &&Property| option.name == "TYPE";
    let first = format.options.iter().find(is_type).map_or_else(|| "\tTYPE = 'CSV'\n".to_owned(), option);
    let others: String = format.options.iter().filter(|option| !is_type(option)).map(option).collect();
    let comment = format.comment.as_ref().map(|text| format!("\tCOMMENT = {}\n", escaped_literal(text)));
    format!("CREATE OR REPLACE FILE FORMAT {name}\n{first}{others}{};", comment.unwrap_or_default())
}

pub fn login_policy(policy: &LoginPolicy, name: &str) -> String {
    let mut lines = vec![format!("create or replace {} {name}", policy.kind.words().to_ascii_lowercase())];
    for property in properties_of(policy.kind) {
        let Some(values) = policy.given(property) else { continue };
        lines.push(match property.is_list() {
            true => {
                let listed: Vec<String> = values.iter().map(|word| quote_literal(word)).collect();
                format!("\t{} = ({})", property.name, listed.join(", "))
            }
            false => format!("\t{} = {}", property.name, values.join(", ")),
        });
    }
    lines.extend(policy.comment().map(|comment| format!("\tCOMMENT = {}", escaped_literal(&comment))));
    format!("{};", lines.join("\n"))
}

fn value(value: &PropertyValue) -> String {
    match value {
        PropertyValue::Text(text) if is_bare(text) => text.to_ascii_uppercase(),
        PropertyValue::Text(text) => escaped_literal(text),
        PropertyValue::List(texts) => {
            format!("({})", texts.iter().map(|text| escaped_literal(text)).collect::<Vec<_>>().join(", "))
        }
        PropertyValue::Null => "NONE".to_owned(),
    }
}

/// Flags, numbers and NONE are words; everything else is a text.
fn is_bare(text: &str) -> bool {
    let words = ["TRUE", "FALSE", "NONE"];
    words.iter().any(|word| text.eq_ignore_ascii_case(word)) || text.parse::<u64>().is_ok()
}
