//! A question as words: lemmas, numbers, quoted text, dates and times. Nothing here knows a model.

pub mod defined_quotients;
pub mod intent;
pub mod lemma;
pub mod period_edges;
pub mod phrasings;
pub mod polarity;
pub mod reworded;
pub mod spelling;
pub mod time;
pub mod today;
pub mod trimmings;
pub mod units;
pub mod unstated_years;
pub mod weekdays;
pub mod words;
