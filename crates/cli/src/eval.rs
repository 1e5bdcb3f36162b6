//! `firn eval`: how well a set of questions with known answers is answered.

mod questions;
mod report;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use firn_server::analyst::same_rows::{Verdict, compare, difference};
use questions::{Expected, Question};
use report::{Answered, Outcome};

use crate::ask::{file_field, request};
use crate::connection::ConnectionOptions;
use crate::examples::examples;
use crate::failure::Failure;
use crate::output::{out, outln};
use crate::own_server::OwnServer;
use crate::server::{Detail, Server};

const EXAMPLES: &str = examples!(
    "firn eval questions.yaml --view DEMO.PUBLIC.RETAIL --database demo --schema public",
    "firn eval questions.yaml --view DEMO.PUBLIC.RETAIL --failures --junit report.xml"
);

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
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

    /// Start a server on this data folder for as long as it takes; without it, and without --url and --token, one with
    /// the demo database is started
    #[arg(long, value_name = "DIR", conflicts_with = "url")]
    data_dir: Option<PathBuf>,

    /// Show every question that was not answered as expected, and why
    #[arg(long)]
    failures: bool,

    /// Fail when less than this percentage is answered strictly right
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_strict: Option<f64>,

    /// Write the outcome as JUnit's XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,

    /// Write the outcome as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    /// Also show how many answers were given, right, and wrong though sure
    #[arg(long)]
    confidence: bool,

    /// From which confidence on an answer counts as sure
    #[arg(long, value_name = "SHARE", default_value_t = 0.885, value_parser = share)]
    sure: f64,

    #[command(flatten)]
    connection: ConnectionOptions,
}

fn percent(text: &str) -> Result<f64, String> {
    within(text, 100.0)
}

fn share(text: &str) -> Result<f64, String> {
    within(text, 1.0)
}

fn within(text: &str, most: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=most).contains(number));
    number.ok_or_else(|| format!("a number from 0 to {most} is needed"))
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(&arguments.questions);
    let text = text.map_err(|error| Failure::of_file(&arguments.questions, &error))?;
    let questions = questions::read(&text).map_err(|error| Failure::of_file(&arguments.questions, &error))?;
    let Arguments { model, view, models, connection, data_dir, .. } = arguments;
    let (_own, connection) = connected(connection, data_dir.as_deref())?;
    let server = Server::new(connection)?;
    let models = Models { model, view, folder: models };
    let mut answered = Vec::new();
    for question in &questions {
        let one = ask(&server, question, &models)?;
        if arguments.failures && !one.outcome.is_strict() {
            let details = [one.reason.as_str(), one.sql.as_deref().unwrap_or_default()].join("\n");
            outln!("{}: {}\n  {}", one.outcome.word(), question.text, details.trim_end().replace('\n', "\n  "));
        }
        answered.push(one);
    }
    out!("{}", report::text(&answered));
    if arguments.confidence {
        out!("{}", report::confidence(&answered, arguments.sure));
    }
    if let Some(file) = &arguments.junit {
        written(file, &report::junit(&answered))?;
    }
    if let Some(file) = &arguments.json {
        written(file, &format!("{:#}\n", report::json(&answered)))?;
    }
    let broken = answered.iter().filter(|one| one.outcome == Outcome::Unanswerable).count();
    if broken > 0 {
        let example = answered.iter().find(|one| one.outcome == Outcome::Unanswerable);
        let example = example.map(|one| format!("{}: {}", one.question, one.reason)).unwrap_or_default();
        return Err(format!("the expected SQL of {broken} questions fails, for example of {example}").into());
    }
    let is_refused = |one: &&Answered| one.outcome == Outcome::Failed && one.sql.is_none();
    if let Some(first) = answered.first().filter(|_| answered.iter().all(|one| is_refused(&one))) {
        return Err(format!("no question could be asked: {}", first.reason).into());
    }
    let strict = report::strict_percent(&answered);
    match arguments.min_strict {
        Some(least) if strict < least => Err(format!("strict is {strict:.1} %, less than {least} %").into()),
        _ => Ok(()),
    }
}

fn written(file: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    std::fs::write(file, text).map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Where the model of a question comes from.
struct Models {
    model: Option<PathBuf>,
    view: Option<String>,
    folder: Option<PathBuf>,
}

impl Models {
    fn field(&self, question: &Question) -> Result<(&'static str, String), Box<dyn Error>> {
        match (&self.model, &self.view, &self.folder) {
            (Some(path), _, _) => file_field(path),
            (None, Some(view), _) => Ok(("semantic_view", view.clone())),
            (None, None, Some(folder)) => {
                let database = question.database.as_deref().ok_or("--models needs questions that name a database")?;
                file_field(&folder.join(format!("{database}.yaml")))
            }
            (None, None, None) => Err(Failure::usage("a model is missing; give --model, --view or --models")),
        }
    }
}

fn ask(server: &Server, question: &Question, models: &Models) -> Result<Answered, Box<dyn Error>> {
    let (field, model) = models.field(question)?;
    let began = Instant::now();
    let answer = server.ask(&request(&question.text, &question.history, field, &model), Detail::Answer);
    let time = began.elapsed();
    if answer.as_ref().is_err_and(|error| matches!(error.downcast_ref(), Some(Failure::NoEntry(_)))) {
        return Err(answer.err().unwrap_or_else(|| "no entry".into()));
    }
    let (outcome, reason) = match &answer {
        Ok(answer) => judge(server, question, answer),
        Err(error) => (Outcome::Failed, error.to_string()),
    };
    let answer = answer.unwrap_or_default();
    let sql = statement_of(&answer).map(str::to_owned);
    let confidence = answer["response_metadata"]["confidence"].as_f64().filter(|_| sql.is_some());
    Ok(Answered { question: question.text.clone(), outcome, reason, sql, confidence, time })
}

fn statement_of(answer: &serde_json::Value) -> Option<&str> {
    answer["message"]["content"].as_array()?.iter().find_map(|block| block["statement"].as_str())
}

/// A server of our own where none is named.
fn connected(
    connection: ConnectionOptions,
    data_dir: Option<&Path>,
) -> Result<(Option<OwnServer>, ConnectionOptions), Box<dyn Error>> {
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

/// How the answer compares, and why it is no strict success.
fn judge(server: &Server, question: &Question, answer: &serde_json::Value) -> (Outcome, String) {
    if let Expected::Category(expected) = &question.expected {
        let found = answer["response_metadata"]["question_category"].as_str().unwrap_or_default();
        return match found == expected {
            true => (Outcome::Compared(Verdict::Same), String::new()),
            false => (Outcome::Compared(Verdict::Different), format!("{expected} expected, {found} found")),
        };
    }
    let Some(statement) = statement_of(answer) else {
        let text = answer["message"]["content"][0]["text"].as_str().unwrap_or_default();
        return (Outcome::Suggestions, format!("not answered: {text}"));
    };
    let found = match server.rows(statement) {
        Ok(found) => found.rows,
        Err(error) => return (Outcome::Failed, format!("the SQL fails: {error}")),
    };
    let expected = match &question.expected {
        Expected::Category(_) => Vec::new(),
        Expected::Rows(rows) => rows.clone(),
        Expected::Sql(sql) => {
            match server.rows_in(sql, question.database.as_deref().or(server.database()), server.schema()) {
                Ok(table) => table.rows,
                Err(error) => return (Outcome::Unanswerable, format!("the expected SQL fails: {error}")),
            }
        }
    };
    let verdict = compare(&expected, &found, question.order);
    (Outcome::Compared(verdict), difference(verdict, &expected, &found))
}
