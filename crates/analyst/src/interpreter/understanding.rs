//! What a question is understood as: its best reading, how probable that is, and which of its words it leaves out.

use chrono::{Datelike, NaiveDate};

use super::agreement::agree;
use super::dropped_conditions::drops_condition;
use super::follow_ups::is_scant;
use super::miscounts::{counts_stock, counts_totals, may_count_stock};
use super::misreadings::is_misread;
use super::repeated_rows::repeated;
use super::sentences::sentences;
use super::several_ways::several_ways;
use super::silent_choices::{
    affirms_neither, chooses_time, counts_amounts, counts_money, counts_what_has_ended, deeds, groups_elsewhere,
    joins_values, leaves_out_none, limits_percent, looks_ahead_of_data, misses_deed, names_nobody, ranks_or_divides,
    ranks_repeated_names, sums_plural, takes_another_day, takes_verb_for_value,
};
use super::silent_groups::{drops_kind, groups_or_divides};
use super::{ANSWERED_FROM, Interpreter, JudgedReading, Origin, QUESTION_CHARACTERS_MAX, is_mention};
use crate::accounting::{Accounting, Loss, Usage, account, losses};
use crate::conversation::{edit, is_follow_up, leans_back};
use crate::frame;
use crate::interpretation::Reading;
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Operand, Query};
use crate::interpretation::style::PLAIN;
use crate::join_ways::{over_named_way, over_stated_way, take_way};
use crate::judge::{Feature, confidence};
use crate::lattice::Lattice;
use crate::lexicon::{self, PartOfSpeech};
use crate::links::mentions::{Chunk, chunks};
use crate::question::defined_quotients::drop_defined_name;
use crate::question::period_edges::drop_edges;
use crate::question::phrasings::rephrase;
use crate::question::polarity::settle_polarity;
use crate::question::reworded::{continue_year, reword_additions, reword_exclusions, reword_same_period};
use crate::question::spelling::{corrected, corrected_values};
use crate::question::time::{TimeRange, YEARS, unit};
use crate::question::today::take_stated;
use crate::question::trimmings::{drop_members, drop_trimmings};
use crate::question::unstated_years::state_years;
use crate::question::words::{self, Word, WordKind, words};
use crate::sql_generation::needed_tables;

/// A reading that leaves out a negation, a comparison or a grouping is never surer than this.
const LOSSY_MAX: f32 = 0.6;
/// A reading that leaves out a number or a name is never surer than this: what was asked of it is not in the data.
const NAMELESS_MAX: f32 = 0.45;
/// A reading whose measure counts rows for several others, or reaches them in one of several ways, is never surer than this.
const JOINED_MAX: f32 = 0.82;
/// How probable an edit of the question before is where all its words are used: where both readers of follow-ups give it,
/// where only the reader of frames does, and where only the reader from left to right does.
const EDIT_AGREED: f32 = 0.93;
const EDIT_FRAMED: f32 = 0.82;
const EDIT_PROCEDURAL: f32 = 0.7;
/// What each unused word of an edit takes from that.
const EDIT_LOSS: f32 = 0.2;
/// How often readings over curated models were right on questions that nobody had tuned on, by the readers that gave them:
/// all three (15 of 15), two of them (29 of 31), the reader of measures alone (7 of 8), that of frames alone (20 of 32), the
/// reader from left to right alone (6 of 22 where it used every word, none of 6 where not: those are not answered).
const UNANIMOUS: f32 = 0.97;
const AGREED: f32 = 0.93;
pub(super) const MEASURED: f32 = 0.85;
const FRAMED: f32 = 0.66;
const PROCEDURAL: f32 = 0.58;
/// What an unused verb takes from that: `placed`, `bought`.
const VERB_LOSS: f32 = 0.08;
/// What another unused word takes from it.
pub(super) const CONTENT_LOSS: f32 = 0.2;
/// What links lose that are not exact.
const LINK_LOSS: f32 = 0.15;
/// Values that are looked for by a misspelled word.
const NEAR_MAX: usize = 3;
/// Readings that compete with the best one.
const RIVALS_MAX: usize = 3;

/// Words that compare a day with the one that was due.
const LATENESS: &[&str] = &["late", "early", "belated", "punctual", "punctually", "delayed"];

#[derive(Clone)]
pub(super) struct Understood {
    /// The words that were read: those of the question, reworded by instructions and by the question before.
    pub words: Vec<Word>,
    pub reading: Option<Reading>,
    pub chunks: Vec<Chunk>,
    /// The probability that the reading is right.
    pub confidence: f32,
    /// Words of the question that the reading does not use.
    pub unused: Vec<String>,
    /// The places in `words` of what the reading does not use, and what is lost with each.
    pub lost: Vec<(usize, Loss)>,
    /// The queries of the next best readings.
    pub rivals: Vec<Query>,
}

impl Understood {
    pub(super) fn query(self) -> Option<Query> {
        self.reading.map(|reading| reading.query)
    }
}

impl Interpreter<'_> {
    /// Understands a question by itself, or as an edit of the one before.
    pub(super) fn understand(&self, question: &str, previous: Option<&Query>, today: NaiveDate) -> Understood {
        let (mut words, today) = self.words_of(question, today);
        let way = take_way(&mut words);
        let included = if self.is_curated() { self.take_included(&mut words, today) } else { Vec::new() };
        let understood = self.understand_words(words.clone(), previous, today);
        let understood = self.with_defaults(understood, &words, &included, today);
        self.along_way(understood, previous, &words, way.as_deref())
    }

    /// The reading over the way that the question states or names, else over that of the question before.
    fn along_way(
        &self,
        mut understood: Understood,
        previous: Option<&Query>,
        words: &[Word],
        stated: Option<&[String]>,
    ) -> Understood {
        let Some(reading) = &mut understood.reading else { return understood };
        let query = &reading.query;
        let other = match stated {
            Some(stated) => over_stated_way(&self.index, query, stated),
            None => over_named_way(&self.index, query, words).or_else(|| self.over_kept_way(query, previous?)),
        };
        if let Some(other) = other {
            reading.query = other;
        }
        understood
    }

    /// A query that continues another one goes its way.
    fn over_kept_way(&self, query: &Query, previous: &Query) -> Option<Query> {
        let shares_tables = || {
            let before = needed_tables(&self.index, previous);
            needed_tables(&self.index, query).iter().any(|table| before.contains(table))
        };
        if previous.avoided.is_empty() || !query.avoided.is_empty() || !shares_tables() {
            return None;
        }
        let other = Query { avoided: previous.avoided.clone(), ..query.clone() };
        self.can_run(&other).then_some(other)
    }

    /// The words of a question as they are read, and the day that counts as today.
    pub(super) fn words_of(&self, question: &str, today: NaiveDate) -> (Vec<Word>, NaiveDate) {
        let question: String = question.chars().take(QUESTION_CHARACTERS_MAX).collect();
        let is_known =
            |word: &Word| self.index.vocabulary.knows(&word.lemma) || self.index.values.has_word(&word.lower);
        let mut words = words(&question);
        if self.is_curated() {
            words = corrected(words, &is_known);
            words = corrected_values(words, &is_known, &|name| self.index.values.spelled_like(name, NEAR_MAX));
        }
        let today = take_stated(&mut words, today).unwrap_or(today);
        if self.is_curated() {
            drop_defined_name(&mut words);
            self.name_described_deeds(&mut words);
        }
        (self.instructions.explained(words, today), today)
    }

    /// The same without the defaults that the model's instructions put in. What stands alone is read once: a question, the
    /// verified ones beside it, and suggestions are asked for several times each.
    pub(super) fn understand_words(&self, words: Vec<Word>, previous: Option<&Query>, today: NaiveDate) -> Understood {
        if previous.is_some() {
            return self.understand_anew(words, previous, today);
        }
        let is_same = |(asked, day, _): &&(Vec<Word>, NaiveDate, Understood)| *asked == words && *day == today;
        if let Some((.., known)) = self.understood.borrow().iter().find(is_same) {
            return known.clone();
        }
        let understood = self.understand_anew(words.clone(), None, today);
        self.understood.borrow_mut().push((words, today, understood.clone()));
        understood
    }

    fn understand_anew(&self, words: Vec<Word>, previous: Option<&Query>, today: NaiveDate) -> Understood {
        let parted = if self.is_curated() { sentences(&words) } else { None };
        let understood = self.understand_whole(words, previous, today);
        match parted {
            Some((first, last)) if understood.confidence < ANSWERED_FROM || understood.reading.is_none() => {
                self.understand_last(&first, last, previous, today).unwrap_or(understood)
            }
            _ => understood,
        }
    }

    pub(super) fn understand_whole(
        &self,
        mut words: Vec<Word>,
        previous: Option<&Query>,
        today: NaiveDate,
    ) -> Understood {
        let background = previous.and_then(|query| self.background(query));
        if let Some(range) = background.and_then(|background| background.range) {
            add_year(&mut words, range);
            if self.is_curated() {
                continue_year(&mut words, range);
            }
        }
        if self.is_curated() {
            drop_trimmings(&mut words, &|word| self.index.vocabulary.knows(&word.lemma));
            drop_members(&mut words, &|word| self.index.vocabulary.knows(&word.lemma));
            reword_exclusions(&mut words, &|word| self.index.vocabulary.knows(&word.lemma));
            settle_polarity(&mut words, &|word| self.names_measure(word));
            let is_name =
                |word: &Word| self.index.vocabulary.knows(&word.lemma) || self.index.values.has_word(&word.lower);
            rephrase(&mut words, &is_name, &|word| self.names_measure(word));
            reword_same_period(&mut words);
            if previous.is_some() {
                reword_additions(&mut words);
            }
            drop_edges(&mut words);
            state_years(&mut words, today);
        }
        let readings = self.answerable_readings(&words, background, today);
        let Some(best) = readings.first() else {
            let chunks = chunks(&self.index, &words, today, &PLAIN);
            let lost = losses(&Lattice::new(&self.index, &words, today));
            let lost = lost.into_iter().enumerate().filter(|(_, loss)| *loss > Loss::Weak).collect();
            return Understood {
                words,
                reading: None,
                chunks,
                confidence: 0.0,
                unused: Vec::new(),
                lost,
                rivals: Vec::new(),
            };
        };
        let drops = |previous: &Query| frame::without_part(&self.index, &words, previous).is_some();
        let leans = is_follow_up(&words, Some(&best.reading))
            || self.is_curated() && (leans_back(&words) || previous.is_some_and(drops));
        if let Some(previous) = previous.filter(|_| leans) {
            return self.edited(previous, best, &words, today);
        }
        let is_nothing = previous.is_none() && best.reading.is_fragment && !best.chunks.iter().any(is_mention);
        let scores: Vec<f32> = readings.iter().map(|judged| judged.score).collect();
        let probability = match self.is_curated() {
            true => curated_confidence(&words, best),
            false => confidence(&best.features, &scores),
        };
        let accounting = &best.accounting;
        let query = &best.reading.query;
        let bound = bound_of(accounting).min(lateness_bound(&words, query));
        let bound = if self.is_curated() { bound.min(curated_bound(&words, accounting, query)) } else { bound };
        let usage = Usage::of(&self.index, query);
        let bound = if chooses_time(&self.index, &words, &usage) { bound.min(LOSSY_MAX) } else { bound };
        let is_unsaid = self.is_curated() && self.decides_more(&words, query, &usage);
        let bound = if is_unsaid { bound.min(LOSSY_MAX) } else { bound };
        let is_misread = self.is_curated() && self.says_another(&words, query, &usage);
        let bound = if is_misread { bound.min(NAMELESS_MAX) } else { bound };
        let bound = bound.min(self.join_bound(&words, query));
        let unit = if self.is_curated() { self.unit_of_figures(&words, query) } else { None };
        let bound = if matches!(unit, Some((_, false))) { bound.min(LOSSY_MAX) } else { bound };
        let is_part = self.is_curated() && previous.is_some() && is_scant(&words);
        let bound = if is_part { bound.min(LOSSY_MAX) } else { bound };
        Understood {
            reading: (!is_nothing).then(|| best.reading.clone()),
            chunks: best.chunks.to_vec(),
            confidence: probability.min(bound),
            unused: self.words_not_used(&words, best, unit),
            lost: accounting.unused.clone(),
            words: words.clone(),
            rivals: self.rivals(&words, &readings),
        }
    }

    /// The words that an answer has to name: those that were passed over, those that were placed and change nothing, a unit that
    /// figures are not in, deeds that the day of another thing is taken for, and pronouns for nothing that was named.
    fn words_not_used(&self, words: &[Word], best: &JudgedReading, unit: Option<(usize, bool)>) -> Vec<String> {
        let mut accounting = best.accounting.clone();
        let mut further = best.placed_unused.clone();
        if self.is_curated() {
            let query = &best.reading.query;
            if misses_deed(&self.index, words, query, &Usage::of(&self.index, query)) {
                further.extend(deeds(words));
            }
            further.extend(pronoun_for_nothing(words, &best.chunks));
        }
        match unit {
            Some((at, false)) => further.push(at),
            Some((at, true)) => further.retain(|other| *other != at),
            None => {}
        }
        accounting.unused.extend(further.into_iter().map(|at| (at, Loss::Content)));
        unused_words(words, &accounting)
    }

    /// How sure a reading can be at most, by how its tables are joined.
    fn join_bound(&self, words: &[Word], query: &Query) -> f32 {
        let is_doubtful = repeated(&self.index, query).is_some() || several_ways(&self.index, words, query).is_some();
        if is_doubtful { JOINED_MAX } else { 1.0 }
    }

    /// Whether a query decides something that the question leaves open.
    pub(super) fn decides_more(&self, words: &[Word], query: &Query, usage: &Usage) -> bool {
        sums_plural(&self.index, words, query)
            || counts_amounts(&self.index, words, query)
            || misses_deed(&self.index, words, query, usage)
            || takes_verb_for_value(words, query)
            || groups_elsewhere(&self.index, words, query)
            || takes_another_day(&self.index, words, query)
            || ranks_repeated_names(&self.index, query)
            || drops_pick(words, query)
            || counts_what_has_ended(&self.index, words, query)
            || looks_ahead_of_data(&self.index, query)
            || counts_totals(words, query)
            || may_count_stock(&self.index, words, query)
            || drops_kind(&self.index, words, usage)
            || groups_or_divides(words, query)
    }

    /// Whether a query says another thing than the question.
    pub(super) fn says_another(&self, words: &[Word], query: &Query, usage: &Usage) -> bool {
        is_misread(&self.index, words, query, usage)
            || drops_condition(&self.index, words, query, usage)
            || counts_stock(&self.index, words, query)
    }

    /// The queries of the next best readings; over a curated model, of those that leave out no more than the best.
    fn rivals(&self, words: &[Word], readings: &[JudgedReading]) -> Vec<Query> {
        let most = readings.first().map_or(0, |best| best.unaccounted);
        let competes = |judged: &&JudgedReading| {
            let query = &judged.reading.query;
            let is_misread = || is_misread(&self.index, words, query, &Usage::of(&self.index, query));
            !self.is_curated() || judged.unaccounted <= most && !is_misread()
        };
        readings.iter().filter(competes).take(RIVALS_MAX).map(|judged| judged.reading.query.clone()).collect()
    }

    /// The question before, changed as this one says.
    fn edited(&self, previous: &Query, follow_up: &JudgedReading, words: &[Word], today: NaiveDate) -> Understood {
        let reading = &follow_up.reading;
        let lattice = Lattice::new(&self.index, words, today);
        let framed = self.is_curated().then(|| frame::edit(&self.index, &lattice, &losses(&lattice), today, previous));
        let framed = framed.flatten().filter(|query| self.can_run(query));
        let procedural = edit(&self.index, previous, reading, words);
        let certainty = match &framed {
            Some(framed) if agree(&self.index, framed, &procedural) => EDIT_AGREED,
            Some(_) => EDIT_FRAMED,
            None => EDIT_PROCEDURAL,
        };
        let query = framed.clone().unwrap_or(procedural);
        let accounting = account(&self.index, &lattice, &losses(&lattice), &Usage::of(&self.index, &query));
        let accounting = if framed.is_some() { Accounting::default() } else { accounting };
        let lost = accounting.unused.iter().filter(|(_, loss)| *loss > Loss::Connective || *loss == Loss::Content);
        let confidence = certainty - EDIT_LOSS * lost.count() as f32;
        let confidence = confidence.min(self.join_bound(words, &query));
        // What changes nothing was not understood.
        let is_changed = query != *previous;
        Understood {
            reading: is_changed.then(|| Reading { query, explained: reading.explained.max(0.6), ..reading.clone() }),
            chunks: follow_up.chunks.to_vec(),
            confidence: confidence.max(0.0),
            unused: unused_words(words, &accounting),
            lost: accounting.unused.clone(),
            words: words.to_vec(),
            rivals: Vec::new(),
        }
    }
}

/// How sure a reading over a curated model is: what its words leave unused, and how weak its links are. The fitted
/// confidence does not hold there, since no curated model was fitted on.
fn curated_confidence(words: &[Word], judged: &JudgedReading) -> f32 {
    let loss_of = |(at, loss): &(usize, Loss)| match loss {
        Loss::Content if is_verb(&words[*at]) => VERB_LOSS,
        Loss::Connective => VERB_LOSS,
        _ => CONTENT_LOSS,
    };
    // The chart does not know metrics in every combination: what only it reads is not answered.
    let most = match judged.origin {
        // Readers may agree on leaving out a word.
        Origin::Unanimous | Origin::Agreed if judged.unaccounted > 0 => MEASURED,
        Origin::Unanimous => UNANIMOUS,
        Origin::Agreed => AGREED,
        Origin::Measured => MEASURED,
        Origin::Frame => FRAMED,
        Origin::Procedure | Origin::Style => PROCEDURAL,
        Origin::Chart | Origin::Edit => NAMELESS_MAX,
    };
    let unused: f32 = judged.accounting.unused.iter().map(loss_of).sum();
    let weak: f32 = [Feature::TableLinkLoss, Feature::ColumnLinkLoss, Feature::ValueLinkLoss]
        .into_iter()
        .map(|feature| judged.features.get(feature))
        .sum();
    (most - unused - LINK_LOSS * weak).max(0.0)
}

/// `list its apiaries`: the pronoun stands for something that no word before it names.
fn pronoun_for_nothing(words: &[Word], chunks: &[Chunk]) -> Option<usize> {
    let at = words.iter().position(|word| matches!(word.lower.as_str(), "its" | "his" | "her" | "their"))?;
    let is_named = chunks.iter().any(|chunk| chunk.end <= at && is_mention(chunk));
    let asks = words[..at].iter().any(|word| matches!(word.lower.as_str(), "which" | "who" | "what" | "whose"));
    (!is_named && !asks).then_some(at)
}

/// `and in the third quarter?`: the year is that of the time before.
fn add_year(words: &mut Vec<Word>, range: TimeRange) {
    let is_part = |pair: &[Word]| {
        matches!(pair[0].lower.as_str(), "first" | "second" | "third" | "fourth" | "last")
            && matches!(pair[1].lower.as_str(), "quarter" | "half")
    };
    let Some(at) = words.windows(2).position(is_part) else { return };
    let has_year = words.iter().any(|word| word.number().is_some_and(|number| YEARS.contains(&number)));
    if !has_year {
        words.splice(at + 2..at + 2, words::words(&range.start.year().to_string()));
    }
}

pub(super) fn is_verb(word: &Word) -> bool {
    lexicon::parts_of_speech(&word.lower).main() == Some(PartOfSpeech::Verb)
}

/// How sure a reading can be at most, by what it leaves out.
pub(super) fn bound_of(accounting: &Accounting) -> f32 {
    let is_nameless = accounting.unused.iter().any(|(_, loss)| matches!(loss, Loss::Name | Loss::Number));
    match (is_nameless, accounting.has_grave_loss()) {
        (true, _) => NAMELESS_MAX,
        (false, true) => LOSSY_MAX,
        (false, false) => 1.0,
    }
}

/// The same over a curated model, where some words alone keep a reading from being sure.
fn curated_bound(words: &[Word], accounting: &Accounting, query: &Query) -> f32 {
    // `how satisfied are our readers`: the adjective is what is asked for.
    let asks = |at: usize| at == 1 && words[0].lower == "how";
    let is_unasked = accounting.unused.iter().any(|(at, _)| asks(*at));
    let is_late_for_nothing = lateness_bound(words, query) < 1.0;
    let is_another = limits_percent(words, query) || counts_money(words, query) || affirms_neither(words, query);
    if is_unasked || is_late_for_nothing || is_another {
        return NAMELESS_MAX;
    }
    let is_chosen =
        leaves_out_none(query) || joins_values(words, query) || names_nobody(words) || ranks_or_divides(words, query);
    if is_chosen { LOSSY_MAX } else { shape_bound(words, query) }
}

/// Signs that no query says.
fn shape_bound(words: &[Word], query: &Query) -> f32 {
    if drops_pick(words, query) || words.iter().any(is_symbol) { LOSSY_MAX } else { 1.0 }
}

/// `first loans`, `other customers`: some rows of many, which a query without an order or a denial does not pick.
fn drops_pick(words: &[Word], query: &Query) -> bool {
    let picks = |at: usize| {
        let is_counted = words.get(at + 1).is_some_and(|word| word.number().is_some());
        let next = words.get(at + 1 + usize::from(is_counted)).map_or("", |word| word.lower.as_str());
        PICKING.contains(&words[at].lower.as_str()) && unit(next).is_none() && next != "half"
    };
    let is_denied =
        |condition: &Condition| matches!(condition, Condition::Not(_) | Condition::Compare(_, Comparison::NotEqual, _));
    let is_extreme = |expr: &Expr| matches!(expr, Expr::Aggregate(Function::Minimum | Function::Maximum, _));
    let is_picked = !query.order.is_empty()
        || query.limit.is_some()
        || query.conditions.iter().any(is_denied)
        || query.select.iter().any(is_extreme);
    // `by month last`: nothing follows that it could pick from.
    let last = words.iter().rfind(|word| word.kind != WordKind::Mark);
    let is_trailing = last.is_some_and(|word| PICKING.contains(&word.lower.as_str()));
    let is_dropped = is_trailing && query.limit.is_none() && !query.select.iter().any(is_extreme);
    is_dropped || !is_picked && (0..words.len()).any(picks)
}

/// Words that pick some rows of many.
const PICKING: &[&str] = &[
    "first", "second", "third", "last", "latest", "next", "previous", "final", "earliest", "newest", "other", "another",
];

/// A sign that is no punctuation: an emoji, `%` without a number.
fn is_symbol(word: &Word) -> bool {
    let is_usual = |character: char| ".,;:?!'\"()[]-–—/&’‘“”¿¡…$€£#+*=<>_|`".contains(character);
    word.kind == WordKind::Mark && !word.text.chars().all(is_usual)
}

/// `delivered late` compares with a day that was set; a query without such a comparison does not say it.
fn lateness_bound(words: &[Word], query: &Query) -> f32 {
    let is_late = words.iter().any(|word| LATENESS.contains(&word.lower.as_str()));
    let compares = |condition: &Condition| match condition {
        Condition::Compare(_, _, Operand::Expr(_)) | Condition::Named(_) => true,
        Condition::Not(inner) => matches!(**inner, Condition::Compare(_, _, Operand::Expr(_)) | Condition::Named(_)),
        _ => false,
    };
    let is_portion = |expr: &Expr| matches!(expr, Expr::Portion(_, part) if part.iter().any(compares));
    let is_measured = query.select.iter().any(|expr| matches!(expr, Expr::Elapsed(..)));
    let is_said = query.conditions.iter().any(compares) || query.select.iter().any(is_portion) || is_measured;
    if is_late && !is_said { LOSSY_MAX } else { 1.0 }
}

/// The words that nothing of the query stands for, as the user wrote them.
pub(super) fn unused_words(words: &[Word], accounting: &Accounting) -> Vec<String> {
    let lost = |at: &usize| is_symbol(&words[*at]) || accounting.unused.iter().any(|(unused, _)| unused == at);
    (0..words.len()).filter(lost).map(|at| words[at].text.clone()).collect()
}
