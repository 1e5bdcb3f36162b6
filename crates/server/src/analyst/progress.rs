//! How far the answer to a question is.

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Interpreting,
    GeneratingSql,
    ValidatingSql,
    GeneratingSuggestions,
    AskingLanguageModel,
    RepairingSql,
    ComparingReadings,
    ExecutingSql,
    GeneratingAnswer,
    Done,
}

impl Progress {
    /// The contract's word, and a text for people.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Interpreting => ("interpreting_question", "Interpreting question"),
            Self::GeneratingSql => ("generating_sql", "Generating SQL"),
            Self::ValidatingSql => ("validating_sql", "Validating SQL"),
            Self::GeneratingSuggestions => ("generating_suggestions", "Generating suggestions"),
            Self::AskingLanguageModel => ("asking_language_model", "Asking the language model"),
            Self::RepairingSql => ("repairing_sql", "Repairing SQL"),
            Self::ComparingReadings => ("comparing_readings", "Comparing readings"),
            Self::ExecutingSql => ("executing_sql", "Executing SQL"),
            Self::GeneratingAnswer => ("generating_answer", "Generating answer"),
            Self::Done => ("done", "Done"),
        }
    }
}
