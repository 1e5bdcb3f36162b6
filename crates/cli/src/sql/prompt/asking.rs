//! `\ask`: questions in plain English at the prompt, which follow each other as long as the model is the same.

use std::error::Error;
use std::path::PathBuf;

use super::ModelOptions;
use crate::ask::conversation::{Conversation, RunStatement};
use crate::ask::{file_field, view_field};
use crate::connection::Names;
use crate::server::{Detail, Server};

pub struct Asking<'a> {
    server: &'a Server,
    model: ModelOptions,
    conversation: Option<Conversation<'a>>,
}

impl<'a> Asking<'a> {
    pub fn new(server: &'a Server, model: ModelOptions) -> Self {
        Self { server, model, conversation: None }
    }

    pub fn ask(&mut self, question: &str, names: &Names, run: RunStatement<'_>) -> Result<(), Box<dyn Error>> {
        if self.conversation.is_none() {
            let (field, model) = self.field(names)?;
            self.conversation = Some(Conversation::new(self.server, field, model, Detail::Answer));
        }
        match &mut self.conversation {
            Some(conversation) => conversation.ask(question, run),
            None => Ok(()),
        }
    }

    /// From now on another model, and a new conversation.
    pub fn choose(&mut self, name: &str) {
        let is_file = name.starts_with('@') || name.ends_with(".yaml") || name.ends_with(".yml");
        self.model = match is_file {
            true => ModelOptions { model: Some(PathBuf::from(name)), view: None },
            false => ModelOptions { model: None, view: Some(name.to_owned()) },
        };
        self.conversation = None;
    }

    pub fn chosen(&self) -> Option<String> {
        let file = self.model.model.as_ref().map(|path| path.display().to_string());
        file.or_else(|| self.model.view.clone())
    }

    fn field(&mut self, names: &Names) -> Result<(&'static str, String), Box<dyn Error>> {
        match (&self.model.model, &self.model.view) {
            (Some(path), _) => file_field(path),
            (None, Some(view)) => Ok(view_field(view, names)),
            (None, None) => {
                let view = self.only_view(names)?;
                self.choose(&view);
                Ok(("semantic_view", view))
            }
        }
    }

    /// The semantic view of the database, if there is one alone.
    fn only_view(&self, names: &Names) -> Result<String, Box<dyn Error>> {
        let table = self.server.rows_as("SHOW SEMANTIC VIEWS", names)?;
        let place = |name: &str| table.columns.iter().position(|column| column.eq_ignore_ascii_case(name));
        let (Some(database), Some(schema), Some(name)) = (place("database_name"), place("schema_name"), place("name"))
        else {
            return Err("\\model names what is asked: a semantic view, or a file".into());
        };
        let named = |row: &Vec<Option<String>>| {
            let part =
                |place: usize| row.get(place).and_then(Option::as_deref).map(firn_sql::names::display_identifier);
            Some([part(database)?, part(schema)?, part(name)?].join("."))
        };
        let views: Vec<String> = table.rows.iter().filter_map(named).collect();
        match views.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err("there is no semantic view here; \\model FILE asks a model of yours".into()),
            several => Err(format!("\\model chooses what is asked; there are {}", several.join(", ")).into()),
        }
    }
}
