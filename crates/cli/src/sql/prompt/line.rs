//! The words before what is typed: `connection:ROLE DATABASE.SCHEMA>`, in the profile's colour.

use std::borrow::Cow;

use nu_ansi_term::{Color, Style};
use reedline::{Prompt, PromptEditMode, PromptHistorySearch, PromptHistorySearchStatus};

use crate::connection::{Names, Target};
use crate::output::cells::on_one_line;

pub struct PromptLine {
    connection: String,
    style: Style,
    names: String,
}

impl PromptLine {
    pub fn new(target: &Target) -> Self {
        let address = target.url.split_once("//").map_or(target.url.as_str(), |(_, address)| address);
        let connection = target.profile.clone().unwrap_or_else(|| address.to_owned());
        let style = target.color.as_deref().and_then(color).map_or(Style::new().bold(), |color| color.bold());
        Self { connection, style, names: String::new() }
    }

    pub fn show(&mut self, names: &Names) {
        let role = names.role.as_deref().map(|role| format!(":{role}")).unwrap_or_default();
        let place = [names.database.as_deref(), names.schema.as_deref()];
        let place: Vec<&str> = place.into_iter().flatten().collect();
        let gap = if place.is_empty() { "" } else { " " };
        let names = format!("{}{role}{gap}{}", self.connection, place.join("."));
        self.names = on_one_line(&names).into_owned();
    }
}

fn color(name: &str) -> Option<Color> {
    Some(match name.to_lowercase().as_str() {
        "red" => Color::Red,
        "green" => Color::Green,
        "yellow" => Color::Yellow,
        "blue" => Color::Blue,
        "magenta" | "purple" => Color::Purple,
        "cyan" => Color::Cyan,
        _ => return None,
    })
}

impl Prompt for PromptLine {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Owned(self.style.paint(&self.names).to_string())
    }

    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }

    fn render_prompt_indicator(&self, _mode: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed("> ")
    }

    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("… ")
    }

    fn render_prompt_history_search_indicator(&self, search: PromptHistorySearch) -> Cow<'_, str> {
        let failed = match search.status {
            PromptHistorySearchStatus::Passing => "",
            PromptHistorySearchStatus::Failing => "nothing has ",
        };
        Cow::Owned(format!("({failed}`{}`) ", search.term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Credentials;

    #[test]
    fn the_line_names_connection_role_and_schema() {
        let target = Target {
            proxy: None,
            profile: None,
            url: "http://127.0.0.1:8090".to_owned(),
            credentials: Credentials::Token(String::new()),
            names: Names::default(),
            color: None,
            certificates: None,
        };
        let check = |target: &Target, names: &Names, expected: &str| {
            let mut line = PromptLine::new(target);
            line.show(names);
            assert_eq!(line.names, expected);
        };
        let text = |text: &str| Some(text.to_owned());
        let names = Names { role: text("R"), warehouse: None, database: text("D"), schema: text("S") };
        check(&target, &names, "127.0.0.1:8090:R D.S");
        let prod = Target { profile: text("prod"), ..target };
        check(&prod, &names, "prod:R D.S");
        check(&prod, &Names { role: text("R"), ..Names::default() }, "prod:R");
        check(&prod, &Names { role: text("R\u{1b}"), ..Names::default() }, "prod:R\\u{1b}");
    }
}
