//! The custom instructions of a model: sentences for whoever writes the SQL or sorts the questions. Those of a known form
//! are honoured; the others are listed, so that a warning can name them.

mod fiscal_years;
mod pattern;
mod rules;
mod sentences;

use chrono::NaiveDate;
use fiscal_years::in_dates;
pub use rules::{Instruction, Rows};

use crate::question::today::stated_in;
use crate::question::words::{Word, words};
use crate::semantic_model::SemanticModel;

/// Instructions beyond these are not read.
const SENTENCES_MAX: usize = 200;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instructions {
    pub items: Vec<Instruction>,
    /// Sentences that are no instruction of a known form.
    pub unknown: Vec<String>,
}

impl Instructions {
    #[must_use]
    pub fn of(model: &SemanticModel) -> Self {
        let module = &model.module_custom_instructions;
        let texts = [&model.custom_instructions, &module.sql_generation, &module.question_categorization];
        let mut read = Self::default();
        for text in texts.into_iter().flatten() {
            for sentence in sentences::sentences(text).into_iter().take(SENTENCES_MAX) {
                read.note(&sentence);
            }
        }
        read
    }

    /// What a check of the model says of them.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.unknown.iter().map(|sentence| format!("not an instruction of a known form: {sentence}"))
    }

    fn note(&mut self, sentence: &str) {
        let spoken = words(sentence);
        if stated_in(sentence).is_some() {
            return;
        }
        match rules::read(&spoken) {
            Some(Instruction::Reply(_)) if self.answer_of_last().is_some() => {
                if let Some(answer) = self.answer_of_last() {
                    answer.push_str(&format!(" {sentence}."));
                }
            }
            Some(Instruction::Reply(_)) | None => self.unknown.push(sentence.to_owned()),
            Some(instruction) => self.items.push(instruction),
        }
    }

    /// What is replied where the last instruction holds, if it is one that replies.
    fn answer_of_last(&mut self) -> Option<&mut String> {
        match self.items.last_mut()? {
            Instruction::Reject { reply, .. } | Instruction::Unclear { reply, .. } => Some(reply),
            _ => None,
        }
    }

    /// The question's words with those replaced that the instructions explain.
    #[must_use]
    pub fn explained(&self, mut asked: Vec<Word>, today: NaiveDate) -> Vec<Word> {
        for instruction in &self.items {
            match instruction {
                Instruction::Means { said, meant } => replace(&mut asked, said, &words(meant)),
                Instruction::Currency { name, code } => {
                    replace(&mut asked, &["in".to_owned(), (*name).to_owned()], &[]);
                    replace(&mut asked, &["in".to_owned(), (*code).to_owned()], &[]);
                }
                Instruction::FiscalYear { month } => in_dates(&mut asked, *month, today),
                _ => {}
            }
        }
        asked
    }

    #[must_use]
    pub fn decimals(&self) -> Option<u32> {
        self.items.iter().find_map(|item| if let Instruction::Round(decimals) = item { Some(*decimals) } else { None })
    }

    #[must_use]
    pub fn limit(&self) -> Option<u64> {
        self.items.iter().find_map(|item| if let Instruction::Limit(rows) = item { Some(*rows) } else { None })
    }

    /// The period of questions that name none, as words.
    #[must_use]
    pub fn period(&self) -> Option<&str> {
        self.items
            .iter()
            .find_map(|item| if let Instruction::Period(phrase) = item { Some(phrase.as_str()) } else { None })
    }
}

/// Puts `meant` wherever the words say `said`; what it stands for is not read again.
fn replace(asked: &mut Vec<Word>, said: &[String], meant: &[Word]) {
    let mut at = 0;
    while at + said.len() <= asked.len() {
        let is_said = asked[at..at + said.len()].iter().zip(said).all(|(word, lemma)| word.lemma == *lemma);
        if is_said && !said.is_empty() {
            asked.splice(at..at + said.len(), meant.iter().cloned());
            at += meant.len().max(1);
        } else {
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::Instructions;
    use crate::question::words::words;
    use crate::semantic_model::SemanticModel;

    fn read(text: &str) -> Instructions {
        let model = SemanticModel { custom_instructions: Some(text.to_owned()), ..SemanticModel::default() };
        Instructions::of(&model)
    }

    #[test]
    fn what_is_not_understood_is_listed() {
        let read =
            read("Round all numbers to 2 decimals. Be polite; sing.\n- Today is 2025-06-30.\n* limit to 10 rows");
        assert_eq!((read.decimals(), read.limit()), (Some(2), Some(10)));
        assert_eq!(read.unknown, ["Be polite", "sing"]);
    }

    #[test]
    fn questions_are_put_into_the_model_s_words() {
        let check = |instruction: &str, question: &str, expected: &str| {
            let today = NaiveDate::from_ymd_opt(2025, 6, 30).unwrap_or_default();
            let read = read(instruction);
            assert!(read.unknown.is_empty(), "{instruction}: {read:?}");
            let put: Vec<String> = read.explained(words(question), today).into_iter().map(|word| word.text).collect();
            assert_eq!(put.join(" "), expected, "{instruction}");
        };
        check("'GMV' means gross revenue", "What was our GMV in May?", "What was our gross revenue in May ?");
        check("When users say logos, they mean customers.", "How many logos?", "How many customers ?");
        check(
            "A whale is defined as a customer with more than 10 orders",
            "Which whales are in Oslo?",
            "Which customer with more than 10 orders are in Oslo ?",
        );
        check("All amounts are in euros.", "revenue in euros by month", "revenue by month");
        check(
            "The fiscal year starts in July.",
            "revenue in fiscal year 2024",
            "revenue between 2023-07-01 and 2024-06-30",
        );
        check(
            "Our financial year begins on 1 April",
            "orders last fiscal year",
            "orders between 2024-04-01 and 2025-03-31",
        );
    }
}
