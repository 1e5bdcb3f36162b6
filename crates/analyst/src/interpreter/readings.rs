//! All readings of a question, from every generator, judged together: the best first.

use std::sync::Arc;

use super::agreement::agree;
use super::miscounts::is_miscounted;
use super::placed_words::names_model;
use super::plausibility::{is_whole, joins_of, quotient_of_tables, sum_metrics_up};
use super::roles_played::Played;
use super::understanding::is_verb;
use super::void_answers::drop_void;
use super::{Interpreter, JudgedReading};
use crate::accounting::{Loss, Usage, account, losses};
use crate::chart;
use crate::chart::edits::edits;
use crate::frame;
use crate::frame::states::{is_of_state, tells_state};
use crate::frame::{is_deed, is_done_by};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::interpretation::style::{PLAIN, STYLES};
use crate::interpretation::{Background, Reading, read, style_score};
use crate::judge::{Aspects, Cues, Expectations, Feature, Preferred, compare_readings, features, score};
use crate::lattice::{Lattice, Meaning};
use crate::links::mentions::{Chunk, chunks};
use crate::links::model_index::ModelIndex;
use crate::measures;
use crate::question::time::{Unit, shift, unit};
use crate::question::units::is_unit;
use crate::question::weekdays::is_of_week;
use crate::question::words::Word;
use chrono::NaiveDate;

/// Readings that are reported.
const READINGS_MAX: usize = 50;
/// What the procedure's own reading gains where a model is curated. The judge is fitted on models without curation, which
/// have no metrics, default aggregations or filters; the chart does not know yet what they mean in every combination.
const CURATED_GAIN: f32 = 50.0;
/// What the frame of a business question gains there: it is read only where every telling word has its place.
const FRAME_GAIN: f32 = 100.0;
/// The same of the reading of a measure.
const MEASURED_GAIN: f32 = 110.0;
/// The same where it passes over a verb.
const PASSED_OVER_GAIN: f32 = 90.0;
/// What a frame gains where the reader from left to right leaves fewer words unused.
const SURPASSED_GAIN: f32 = 40.0;
/// So many more joins than a frame has do not use its words better, but find what is called so far away.
const FAR_JOINS: usize = 2;
/// What two readers read alike goes before everything else.
const AGREED_GAIN: f32 = 200.0;
/// Readings whose neighbours are tried: of all the best ones, then of the best that this adds.
const EDITED_MAX: [usize; 2] = [6, 3];

/// The generator that a reading comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The reader from left to right, in its best style.
    Procedure,
    /// The same in another style.
    Style,
    /// Fragments of the lattice put together.
    Chart,
    /// Another reading with one thing changed.
    Edit,
    /// A measure and what surrounds it, every word used.
    Measured,
    /// The frame of a business question over a curated model.
    Frame,
    /// What two of the readers for curated models read alike.
    Agreed,
    /// What all three of them read alike.
    Unanimous,
}

impl Origin {
    /// Whether the reading was made only because every telling word of the question has its place in it.
    pub(super) fn places_every_word(self) -> bool {
        matches!(self, Self::Measured | Self::Frame | Self::Agreed | Self::Unanimous)
    }
}

/// Which generators are asked for readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generators {
    Every,
    /// Those whose readings may be answered over a curated model; the chart only where they have none.
    Trusted,
}

/// A query that may be meant.
struct Candidate {
    query: Query,
    origin: Origin,
    /// The places of words that its reader passed over.
    passed_over: Vec<usize>,
    /// The share of the styles that read the question so.
    styles: f32,
    /// How many queries the chart finds cheaper, where it finds this one.
    chart_rank: Option<usize>,
}

impl Candidate {
    fn new(query: Query, origin: Origin) -> Self {
        Self { query, origin, passed_over: Vec::new(), styles: 0.0, chart_rank: None }
    }
}

/// What the reader from left to right made of the words, and the pieces that it cut them into.
type Read = (Reading, Arc<[Chunk]>);

/// A question as the judge sees it.
struct Asked<'a> {
    lattice: &'a Lattice<'a>,
    losses: &'a [Loss],
    expectations: Expectations,
    preferred: Option<Preferred>,
    today: NaiveDate,
}

impl<'a> Asked<'a> {
    fn of(lattice: &'a Lattice<'a>, losses: &'a [Loss], preferred: Option<Preferred>, today: NaiveDate) -> Self {
        Self { lattice, losses, expectations: Expectations::of(&Cues::of(lattice, losses)), preferred, today }
    }
}

impl Interpreter<'_> {
    /// The cues of a question, as the fit of the judge needs them.
    #[must_use]
    pub fn cues(&self, words: &[Word], today: NaiveDate) -> Vec<String> {
        let lattice = Lattice::new(&self.index, words, today);
        Cues::of(&lattice, &losses(&lattice)).names
    }

    /// All different readings of a question whose tables can be joined, the best first.
    #[must_use]
    pub fn readings(&self, words: &[Word], background: Option<Background>, today: NaiveDate) -> Vec<JudgedReading> {
        self.readings_of(words, background, today, Generators::Every)
    }

    /// The readings that may be an answer. Over a curated model what only the chart reads is none, so the chart is not asked
    /// where another reader has a reading.
    pub(super) fn answerable_readings(
        &self,
        words: &[Word],
        background: Option<Background>,
        today: NaiveDate,
    ) -> Arc<Vec<JudgedReading>> {
        let generators = if self.is_curated() { Generators::Trusted } else { Generators::Every };
        let read = || self.readings_of(words, background, today, generators);
        match background {
            Some(_) => Arc::new(read()),
            None => self.read_before.find_or_read(words, today, read),
        }
    }

    fn readings_of(
        &self,
        words: &[Word],
        background: Option<Background>,
        today: NaiveDate,
        generators: Generators,
    ) -> Vec<JudgedReading> {
        let (procedure, styles) = self.procedural(words, background, today);
        let lattice = Lattice::new(&self.index, words, today);
        let losses = losses(&lattice);
        let mut candidates: Vec<Candidate> = Vec::new();
        for (number, ((reading, _), styles)) in procedure.iter().zip(styles).enumerate() {
            let origin = if number == 0 { Origin::Procedure } else { Origin::Style };
            candidates.push(Candidate { styles, ..Candidate::new(reading.query.clone(), origin) });
        }
        let is_curated = self.is_curated();
        if is_curated {
            let measured = measures::read(&self.index, &lattice, today);
            let measured = measured.map(|found| Candidate {
                passed_over: found.passed_over,
                ..Candidate::new(found.query, Origin::Measured)
            });
            let framed = frame::read(&self.index, &lattice, &losses, today);
            let framed = framed.map(|framed| Candidate::new(framed.query, Origin::Frame));
            for candidate in &mut candidates {
                self.settle(words, &mut candidate.query);
            }
            for mut candidate in measured.into_iter().chain(framed) {
                let played = self.settle(words, &mut candidate.query);
                if played == Played::Rightly && !compares_percent(words, &candidate.query) {
                    self.add_curated(candidate, &mut candidates);
                }
            }
        }
        let is_charted = background.is_none() && (generators == Generators::Every || candidates.is_empty());
        if is_charted {
            self.add_charted(&lattice, &losses, &mut candidates);
        }
        let preferred = procedure.first().map(|(reading, _)| Preferred::new(&self.index, &reading.query));
        let asked = Asked::of(&lattice, &losses, preferred, today);
        let template = procedure.first().map_or_else(|| template(&self.index, words, today), Clone::clone);
        let mut judged: Vec<JudgedReading> = candidates
            .into_iter()
            .enumerate()
            .map(|(number, candidate)| {
                let own = procedure.get(number).unwrap_or(&template);
                self.judged(&asked, candidate, own)
            })
            .collect();
        if is_charted {
            self.add_edited(&asked, &template, &mut judged);
        }
        drop_void(&self.index, words, &mut judged);
        compare_readings(judged.iter_mut().map(|judged| &mut judged.features));
        judged.iter_mut().for_each(|judged| judged.score = score(&judged.features));
        let least = |origin: Origin| {
            let of_origin = judged.iter().filter(|judged| judged.origin == origin);
            of_origin.map(|judged| judged.unaccounted_names).min().unwrap_or(usize::MAX)
        };
        let (accounted_best, measured_best) = (least(Origin::Procedure), least(Origin::Measured));
        let joins = |judged: &JudgedReading| joins_of(&self.index, &judged.reading.query);
        let accounted_joins = judged.iter().find(|judged| judged.origin == Origin::Procedure).map_or(0, joins);
        let gain = |judged: &JudgedReading| match judged.origin {
            // Two readers may agree on leaving out what the third one has a place for.
            Origin::Agreed if judged.unaccounted_names > measured_best => SURPASSED_GAIN,
            Origin::Agreed | Origin::Unanimous | Origin::Measured
                if is_miscounted(&self.index, &lattice, &judged.reading.query) =>
            {
                SURPASSED_GAIN
            }
            Origin::Agreed | Origin::Unanimous => AGREED_GAIN,
            // The query of the other reader stands for more of the words.
            Origin::Frame
                if judged.unaccounted_names > accounted_best
                    && accounted_joins <= joins(judged) + FAR_JOINS
                    && !has_roles(&self.index, &judged.reading.query) =>
            {
                SURPASSED_GAIN
            }
            Origin::Measured if !judged.accounting.unused.is_empty() => PASSED_OVER_GAIN,
            Origin::Measured => MEASURED_GAIN,
            Origin::Frame => FRAME_GAIN,
            Origin::Procedure if is_curated => CURATED_GAIN,
            _ => 0.0,
        };
        let doubted: Vec<(Query, f32)> = if is_curated { self.doubted(words, &judged) } else { Vec::new() };
        let most = |judged: &JudgedReading| {
            let known = doubted.iter().find(|(query, _)| *query == judged.reading.query);
            known.map_or(AGREED_GAIN, |(_, most)| *most)
        };
        let rank = |judged: &JudgedReading| judged.score + gain(judged).min(most(judged));
        judged.sort_by(|left, right| rank(right).total_cmp(&rank(left)));
        judged.truncate(READINGS_MAX);
        judged
    }

    /// The reading of a reader for curated models; what another one reads alike is agreed.
    fn add_curated(&self, candidate: Candidate, candidates: &mut Vec<Candidate>) {
        if !self.can_run(&candidate.query) {
            return;
        }
        let Candidate { query, origin, passed_over, .. } = candidate;
        match candidates.iter_mut().find(|known| agree(&self.index, &known.query, &query)) {
            Some(known) if known.origin == Origin::Agreed => known.origin = Origin::Unanimous,
            // Another style of the same reader is no second opinion.
            Some(known) if known.origin == Origin::Style => {
                known.origin = origin;
                known.passed_over = passed_over;
            }
            Some(known) => {
                // Its days are spelled as the model's columns have them.
                if origin == Origin::Measured {
                    known.query = query;
                }
                known.origin = Origin::Agreed;
                known.passed_over.clear();
            }
            None => candidates.push(Candidate { passed_over, ..Candidate::new(query, origin) }),
        }
    }

    /// What the chart reads.
    fn add_charted(&self, lattice: &Lattice<'_>, losses: &[Loss], candidates: &mut Vec<Candidate>) {
        for (rank, mut query) in chart::queries(&self.index, lattice, losses).into_iter().enumerate() {
            sum_metrics_up(&self.index, &mut query);
            if let Some(known) = candidates.iter_mut().find(|known| known.query.is_same_reordered(&query)) {
                known.chart_rank = known.chart_rank.or(Some(rank));
            } else if self.can_run(&query) {
                candidates.push(Candidate { chart_rank: Some(rank), ..Candidate::new(query, Origin::Chart) });
            }
        }
    }

    /// The neighbours of the best readings, and the neighbours of those among them that are among the best.
    fn add_edited(&self, asked: &Asked<'_>, template: &Read, judged: &mut Vec<JudgedReading>) {
        let mut edited: Vec<Query> = Vec::new();
        for most in EDITED_MAX {
            judged.sort_by(|left, right| right.score.total_cmp(&left.score));
            let best = judged.iter().take(most).map(|judged| &judged.reading.query);
            let best: Vec<Query> = best.filter(|query| !edited.contains(query)).cloned().collect();
            for query in best.iter().flat_map(|query| edits(&self.index, asked.lattice, query)) {
                let is_known = |known: &JudgedReading| known.reading.query.is_same_reordered(&query);
                if !judged.iter().any(is_known) && self.can_run(&query) {
                    judged.push(self.judged(asked, Candidate::new(query, Origin::Edit), template));
                }
            }
            edited.extend(best);
        }
    }

    fn judged(&self, asked: &Asked<'_>, candidate: Candidate, template: &Read) -> JudgedReading {
        let Asked { lattice, losses, expectations, preferred, .. } = asked;
        let usage = Usage::of(&self.index, &candidate.query);
        let is_placed = candidate.origin.places_every_word();
        let mut accounting = account(&self.index, lattice, losses, &usage);
        if self.is_curated() {
            let said = |at: usize| {
                let word = &lattice.words[at];
                is_in_shape(&usage, word)
                    || is_unit_of_number(&usage, lattice.words, at)
                    || is_age(&usage, word, asked.today)
                    || self.is_quotient(asked, &candidate, at)
                    || says_deed(&self.index, &usage, word)
                    || says_state(&self.index, &usage, lattice.words, at)
                    || usage.weekdays > 0 && is_of_week(word)
            };
            accounting.unused.retain(|(at, _)| !said(*at));
        }
        let lost = || accounting.unused.iter().filter(|(_, loss)| *loss > Loss::Weak);
        let unaccounted = lost().count();
        let is_value = |at: usize| {
            let mut items = lattice.starting_at(at);
            items.any(|(_, item)| matches!(item.meaning, Meaning::Value(..)))
        };
        let is_dropped = |at: usize| is_value(at) || !is_verb(&lattice.words[at]);
        let unaccounted_names = lost().filter(|(at, _)| is_dropped(*at)).count();
        let is_followed = is_placed && !has_roles(&self.index, &candidate.query);
        let placed = lost().map(|(at, _)| *at).filter(|at| is_followed && is_dropped(*at));
        let placed_unused = placed.filter(|at| names_model(&self.index, lattice, *at)).collect();
        if is_placed {
            accounting.unused = candidate.passed_over.iter().map(|at| (*at, losses[*at])).collect();
            accounting.share_used = 1.0;
        }
        let mut features = features(&self.index, lattice, &candidate.query, &usage, &accounting);
        let origin = match candidate.origin {
            Origin::Procedure | Origin::Agreed | Origin::Unanimous | Origin::Measured => Feature::AgreedByProcedure,
            Origin::Style => Feature::FromProcedure,
            Origin::Chart => Feature::FromChart,
            Origin::Edit | Origin::Frame => Feature::FromEdit,
        };
        features.set(origin, 1.0);
        features.set(Feature::ReadAlikeByStyles, candidate.styles);
        if let Some(rank) = candidate.chart_rank {
            features.set(Feature::ReadAlikeByChart, f32::from(u8::from(candidate.origin != Origin::Chart)));
            features.set(Feature::ChartRank, (1.0 + rank as f32).ln());
        }
        if let Some(preferred) = preferred {
            preferred.compare(&candidate.query, &usage, &mut features);
        }
        let aspects = Aspects::of(&self.index, &candidate.query, &usage);
        expectations.judge(&aspects, &mut features);
        let (reading, chunks) = template;
        let explained = match candidate.origin {
            Origin::Procedure | Origin::Style => reading.explained,
            _ => accounting.share_used,
        };
        let is_fragment = reading.is_fragment && !is_placed;
        let reading = Reading { query: candidate.query, explained, is_fragment, ..reading.clone() };
        JudgedReading {
            score: score(&features),
            features,
            aspects,
            accounting,
            unaccounted,
            unaccounted_names,
            placed_unused,
            reading,
            chunks: chunks.clone(),
            origin: candidate.origin,
        }
    }

    /// Whether a word names a metric over several tables that the query computes part by part.
    fn is_quotient(&self, asked: &Asked<'_>, candidate: &Candidate, at: usize) -> bool {
        let is_shown = |column: usize| {
            let parts = quotient_of_tables(&self.index, column);
            parts.is_some_and(|parts| candidate.query.select.contains(&parts))
        };
        asked.lattice.items.iter().any(|item| {
            (item.start..item.end).contains(&at) && matches!(item.meaning, Meaning::Column(column) if is_shown(column))
        })
    }

    /// What the reader from left to right makes of the words in each of its styles, the best first, and for each reading the
    /// share of the styles that have it.
    fn procedural(&self, words: &[Word], background: Option<Background>, today: NaiveDate) -> (Vec<Read>, Vec<f32>) {
        let mut found: Vec<(f32, Reading, Vec<Chunk>, f32)> = Vec::new();
        let share = 1.0 / STYLES.len() as f32;
        for (number, style) in STYLES.iter().enumerate() {
            let chunks = chunks(&self.index, words, today, style);
            let Some(mut reading) = read(&self.index, words, chunks.clone(), background, style) else { continue };
            sum_metrics_up(&self.index, &mut reading.query);
            if let Some((.., styles)) = found.iter_mut().find(|(_, other, ..)| other.query == reading.query) {
                *styles += share;
                continue;
            }
            let says_nothing = background.is_none() && is_whole(&reading.query);
            if says_nothing || !self.can_run(&reading.query) {
                continue;
            }
            found.push((style_score(&self.index, &chunks, &reading, number), reading, chunks, share));
        }
        found.sort_by(|left, right| right.0.total_cmp(&left.0));
        found.into_iter().map(|(_, reading, chunks, styles)| ((reading, chunks.into()), styles)).unzip()
    }

    /// Whether the model says what its columns are for.
    pub(super) fn is_curated(&self) -> bool {
        self.index.is_curated()
    }
}

/// A reading without a query, where the procedure has none.
pub(super) fn template(index: &ModelIndex, words: &[Word], today: NaiveDate) -> Read {
    let reading = Reading {
        query: Query::default(),
        explained: 0.0,
        is_fragment: false,
        groups: Vec::new(),
        is_share: false,
        repeats: 0,
        is_bare_count: false,
        top: None,
        beside: None,
    };
    (reading, chunks(index, words, today, &PLAIN).into())
}

/// Whether the shape of a query says a word: a unit of time that it groups by, a comparison with what another query gives.
fn is_in_shape(usage: &Usage, word: &Word) -> bool {
    let larger = matches!(word.lower.as_str(), "larger" | "higher" | "bigger" | "greater" | "longer" | "more");
    let smaller = matches!(word.lower.as_str(), "smaller" | "lower" | "fewer" | "shorter" | "less");
    let says = |comparison: Comparison| usage.nested > 0 && usage.comparisons.contains(&comparison);
    unit(&word.lower).is_some_and(|unit| usage.units.contains(&unit))
        || larger && says(Comparison::Greater)
        || smaller && says(Comparison::Less)
}

/// Whether a word is the unit of a number that the query compares with.
fn is_unit_of_number(usage: &Usage, words: &[Word], at: usize) -> bool {
    let number = at.checked_sub(1).and_then(|before| words[before].number());
    is_unit(&words[at].lower) && number.is_some_and(|number| usage.numbers.contains(&number))
}

/// Whether a number is how long ago a day of the query was.
fn is_age(usage: &Usage, word: &Word, today: NaiveDate) -> bool {
    let Some(number) = word.number() else { return false };
    let days = [Unit::Day, Unit::Week, Unit::Month, Unit::Year].map(|unit| shift(today, unit, -(number as i64)));
    days.into_iter().flatten().any(|day| usage.dates.contains(&day.to_string()))
}

/// Whether a word is the verb of a reference that the query uses: `review` of REVIEWED_BY.
fn says_deed(index: &ModelIndex, usage: &Usage, word: &Word) -> bool {
    usage.columns().into_iter().any(|column| is_done_by(index, column, word))
}

/// Whether a word belongs to a state that the query says by the day of an end or a deadline, or by a day to come.
fn says_state(index: &ModelIndex, usage: &Usage, words: &[Word], at: usize) -> bool {
    let is_ahead = matches!(words[at].lower.as_str(), "next" | "upcoming" | "forthcoming");
    let is_later = usage.comparisons.contains(&Comparison::Greater);
    is_of_state(words, at) && usage.compared.iter().any(|column| tells_state(index, *column))
        || is_ahead && is_later && usage.compared.iter().any(|column| index.is_time(*column))
}

/// Whether rows are compared by what they refer to; the accounting does not follow references.
fn has_roles(index: &ModelIndex, query: &Query) -> bool {
    let is_role = |expr: &Expr| matches!(expr, Expr::Column(column) if is_deed(&index.columns[*column].name));
    let is_referred = |condition: &Condition| match condition {
        Condition::Compare(Expr::Referred(..), ..) => true,
        Condition::In(_, nested) => nested.select.iter().any(is_role),
        Condition::Not(inner) => {
            matches!(&**inner, Condition::In(_, nested) if nested.select.iter().any(is_role))
        }
        _ => false,
    };
    query.conditions.iter().any(is_referred)
}

/// Whether a number of percent is compared with a plain sum or count: `more than 15 percent of revenue` speaks of a share.
fn compares_percent(words: &[Word], query: &Query) -> bool {
    let percents: Vec<f64> = words.iter().filter(|word| word.is_percent).filter_map(Word::number).collect();
    let is_plain = |expr: &Expr| matches!(expr, Expr::Aggregate(..) | Expr::CountRows(_));
    query.having.iter().any(|condition| match condition {
        Condition::Compare(expr, _, Operand::Literal(Literal::Number(number))) => {
            is_plain(expr) && percents.contains(number)
        }
        _ => false,
    })
}
