//! The analyst: its semantic models and the questions that are asked of them.

use chrono::NaiveDate;
use firn_analyst::evidence::NoEvidence;
use firn_analyst::interpreter::Interpreter;
use firn_analyst::semantic_model::{SemanticModel, read_yaml, write_yaml};
use firn_fuzz::campaign::Campaign;
use firn_fuzz::corpus;

/// Longer questions are refused before they reach the interpreter.
const QUESTION_CHARACTERS_MAX: usize = 10_000;

fn today() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 6, 30).expect("a day")
}

#[test]
fn any_text_is_read_as_a_model_or_refused() {
    Campaign { name: "semantic_models", rounds: 100 }.run(&corpus::models(), |text| {
        let Ok(read) = read_yaml(text) else { return };
        let written = write_yaml(&read.model);
        let again = read_yaml(&written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(again.model, read.model, "a model is read otherwise than it was written");
        // What the answer is does not matter, only that there is one.
        let _ = Interpreter::new(&read.model, &NoEvidence).interpret("How many are there by name?", &[], today());
    });
}

#[test]
fn any_question_is_answered() {
    let models: Vec<SemanticModel> =
        corpus::models().iter().map(|text| read_yaml(text).expect("a model of the suites").model).collect();
    let interpreters: Vec<Interpreter> = models.iter().map(|model| Interpreter::new(model, &NoEvidence)).collect();
    let history = ["How many orders were there by channel last year?".to_owned()];
    Campaign { name: "questions", rounds: 40 }.run(&corpus::questions(), move |question| {
        let interpreter = &interpreters[question.len() % interpreters.len()];
        let question: String = question.chars().take(QUESTION_CHARACTERS_MAX).collect();
        // What the answer is does not matter, only that there is one.
        let _ = interpreter.interpret(&question, &[], today());
        let _ = interpreter.interpret(&question, &history, today());
    });
}
