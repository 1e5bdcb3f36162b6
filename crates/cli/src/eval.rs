//! `firn eval`: how well a set of questions with known answers is answered.

mod comparison;
mod questions;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use comparison::{Verdict, compare};
use questions::{Expected, Question};

use crate::ask::{file_field, request};
use crate::own_server::OwnServer;
use crate::server::{Connection, Detail, Server};

#[derive(clap::Args)]
pub struct Arguments {
    /// Questions with expected SQL or rows: YAML, or JSON lines
    questions: PathBuf,

    /// The semantic model of all questions: a YAML file, or @database.schema.stage/path.yaml
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,

    /// The semantic view of all questions
    #[arg(long, value_name = "NAME", conflicts_with = "model")]
    view: Option<String>,

    /// A folder of semantic models, one `<database>.yaml` for each database that questions name
    #[arg(long, value_name = "DIR", conflicts_with_all = ["model", "view"])]
    models: Option<PathBuf>,

    #[command(flatten)]
    connection: Connection,

    /// Start a server on this data folder for as long as it takes; without it, and without --url and --token, one with
    /// the demo database is started
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    data_dir: Option<PathBuf>,

    /// Tell every question that was not answered as expected
    #[arg(long)]
    failures: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    Compared(Verdict),
    Suggestions,
    /// The question could not be asked, or its SQL not be run.
    Failed,
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(&arguments.questions)
        .map_err(|error| format!("{}: {error}", arguments.questions.display()))?;
    let questions = questions::read(&text)?;
    let (_own, connection) = connected(arguments.connection, arguments.data_dir.as_deref())?;
    let server = Server::new(connection)?;
    let mut outcomes = Vec::new();
    let mut times = Vec::new();
    for question in &questions {
        let (field, model) = match (&arguments.model, &arguments.view, &arguments.models) {
            (Some(path), _, _) => file_field(path)?,
            (None, Some(view), _) => ("semantic_view", view.clone()),
            (None, None, Some(folder)) => {
                let database = question.database.as_deref().ok_or("--models needs questions that name a database")?;
                file_field(&folder.join(format!("{database}.yaml")))?
            }
            (None, None, None) => return Err("a model is missing; give --model, --view or --models".into()),
        };
        let began = Instant::now();
        let answer = server.ask(&request(&question.text, &question.history, field, &model), Detail::Answer);
        times.push(began.elapsed());
        let (outcome, told) = match answer {
            Ok(answer) => judge(&server, question, &answer),
            Err(error) => (Outcome::Failed, error.to_string()),
        };
        if arguments.failures && outcome != Outcome::Compared(Verdict::Same) {
            println!("{outcome:?}: {}\n  {}", question.text, told.replace('\n', "\n  "));
        }
        outcomes.push(outcome);
    }
    print!("{}", report(&outcomes, &mut times));
    Ok(())
}

/// A server of our own where none is named.
fn connected(
    connection: Connection,
    data_dir: Option<&Path>,
) -> Result<(Option<OwnServer>, Connection), Box<dyn Error>> {
    if let Some(folder) = data_dir {
        let own = OwnServer::on(folder)?;
        let connection = connection.to(&own.url, None);
        return Ok((Some(own), connection));
    }
    if connection.names_no_server() {
        eprintln!("no server is named; one with the demo database is started");
        let (own, token) = OwnServer::with_demo()?;
        let connection = connection.to(&own.url, Some(token));
        return Ok((Some(own), connection));
    }
    Ok((None, connection))
}

/// How the answer compares, and what there is to say about it.
fn judge(server: &Server, question: &Question, answer: &serde_json::Value) -> (Outcome, String) {
    let blocks = answer["message"]["content"].as_array().cloned().unwrap_or_default();
    if let Expected::Category(expected) = &question.expected {
        let found = answer["response_metadata"]["question_category"].as_str().unwrap_or_default();
        let verdict = if found == expected { Verdict::Same } else { Verdict::Different };
        return (Outcome::Compared(verdict), format!("{expected} expected, {found} found"));
    }
    let Some(statement) = blocks.iter().find_map(|block| block["statement"].as_str()) else {
        let text = blocks.first().and_then(|block| block["text"].as_str()).unwrap_or_default();
        return (Outcome::Suggestions, text.to_owned());
    };
    let found = match server.rows(statement) {
        Ok(found) => found,
        Err(error) => return (Outcome::Failed, format!("{error}\n{statement}")),
    };
    let expected = match &question.expected {
        Expected::Category(_) => Vec::new(),
        Expected::Rows(rows) => rows.clone(),
        Expected::Sql(sql) => {
            match server.rows_in(sql, question.database.as_deref().or(server.database()), server.schema()) {
                Ok(table) => table.rows,
                Err(error) => return (Outcome::Failed, format!("the expected SQL fails: {error}")),
            }
        }
    };
    let verdict = compare(&expected, &found.rows, question.order);
    (Outcome::Compared(verdict), format!("{} rows expected, {} found\n{statement}", expected.len(), found.rows.len()))
}

fn report(outcomes: &[Outcome], times: &mut [Duration]) -> String {
    let count = |wanted: &dyn Fn(&Outcome) -> bool| outcomes.iter().filter(|outcome| wanted(outcome)).count();
    let all = outcomes.len().max(1);
    let line =
        |name: &str, count: usize| format!("{name:<12} {count:>6}  {:>5.1} %\n", count as f64 * 100.0 / all as f64);
    let strict = count(&|outcome| *outcome == Outcome::Compared(Verdict::Same));
    let relaxed = count(&|outcome| matches!(outcome, Outcome::Compared(Verdict::Same | Verdict::SameWithMore)));
    let mut text = format!("{:<12} {:>6}\n", "questions", outcomes.len());
    text.push_str(&line("strict", strict));
    text.push_str(&line("relaxed", relaxed));
    text.push_str(&line("suggestions", count(&|outcome| *outcome == Outcome::Suggestions)));
    text.push_str(&line("failed", count(&|outcome| *outcome == Outcome::Failed)));
    times.sort_unstable();
    if let Some(median) = times.get(times.len() / 2) {
        text.push_str(&format!("{:<12} {:>6.1}  ms per question\n", "median", median.as_secs_f64() * 1_000.0));
    }
    text
}
