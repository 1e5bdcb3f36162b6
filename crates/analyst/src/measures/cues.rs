//! The table of phrases that shape a question about a measure. Phrases are in lower case; every one that fits is tried.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::interpretation::query::{Comparison, Direction, Function, Lapse, TimeUnit};
use crate::question::weekdays::days_at;
use crate::question::words::Word;

use super::sorted_things::sorted_thing;
use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
use Direction::{Ascending, Descending};
use TimeUnit::{Day, Month, Quarter, Week, Year};

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cue {
    /// Says nothing here.
    Filler,
    /// An amount is asked for, not a number of things.
    HowMuch,
    /// A verb that says no more than that something happened.
    Happened,
    And,
    Which,
    Count,
    /// How many there are and what they amount to.
    CountAndTotal,
    Distinct,
    Aggregate(Function),
    By,
    /// One for all: `how many visits does a member make on average`.
    One,
    /// Divides by what follows.
    Per,
    Grain(TimeUnit),
    Weekday,
    Hour,
    /// Days of the week, from 1 for Monday.
    OnDays(&'static [u8]),
    /// Leads a period.
    During,
    Bound(Comparison),
    From,
    To,
    Share,
    /// The share of what stands before: `win rate of`.
    Rate,
    InPercent,
    /// `of all`, `of total`: behind a share.
    OfAll,
    /// Parts the whole from its part: `what share of X are Y`.
    Are,
    Growth,
    Over(TimeUnit),
    Increase(TimeUnit),
    Versus,
    /// Between two values that are compared.
    Against,
    LastYear,
    RunningTotal,
    /// Beside the measure itself.
    WithRunningTotal,
    MovingAverage(TimeUnit),
    Excluding,
    Excluded,
    Only,
    Sorted(Direction),
    Top(Direction),
    /// More or fewer of what follows, which may be counted.
    Most(Direction),
    /// More or less of the measure that follows.
    Extreme(Direction),
    Has,
    AndHowMany,
    DividedBy,
    PercentOf,
    HowLong,
    /// The same in hours or minutes.
    HowLongIn(Lapse),
    /// From the day by which something is due.
    HowLate(Lapse),
    OnAverage,
    InDays,
    InLapse(Lapse),
    /// Between the two ends of a span of time.
    Link,
    /// Before a value.
    Preposition,
    Compare(Comparison),
    /// Behind a number: `9 or more`.
    OrMore(Comparison),
    Money,
    /// Leads what is said of the rows before: `that`, `whose`.
    Relative,
    /// What follows is set side by side: `compare A and B`.
    SideBySide,
    /// The thing with the most or the fewest events.
    Busiest(Direction),
    /// The thing that sells best or worst.
    Selling(Direction),
    /// The same behind the thing: `which dish sells best`.
    SoldMost(Direction),
    /// Rows of another table are there, or are not.
    Having,
    Lacking,
    /// How old something is.
    Age,
    HowOld(Function),
    /// Rows that have something beside those that lack it.
    WithAndWithout,
    /// Behind what rows have: those that lack it, beside them.
    OrWithout,
    /// What is left of the top ones is one group more.
    WithRest,
    /// A verb or an adverb that no name of the model stands for.
    Unknown,
}

/// Each cue with the words of its phrase, by the first of them.
type Table = HashMap<&'static str, Vec<(Cue, Vec<&'static str>)>>;

/// The cues that start at a word, each with the number of its words.
pub fn cues_at(words: &[Word], at: usize) -> Vec<(Cue, usize)> {
    static TABLE: LazyLock<Table> = LazyLock::new(by_first_word);
    let fits = |phrase: &[&str]| {
        phrase
            .iter()
            .enumerate()
            .all(|(offset, expected)| words.get(at + offset).is_some_and(|word| word.lower == *expected))
    };
    let starting = TABLE.get(words[at].lower.as_str()).into_iter().flatten();
    let days = days_at(words, at).into_iter().map(|(days, length)| (Cue::OnDays(days), length));
    let phrases = starting.filter(|(_, phrase)| fits(phrase)).map(|(cue, phrase)| (*cue, phrase.len()));
    phrases.chain(days).chain(sorted_thing(words, at)).collect()
}

fn by_first_word() -> Table {
    let mut table = Table::new();
    for (cue, phrases) in CUES {
        for phrase in phrases.split('|') {
            let words: Vec<&str> = phrase.split(' ').collect();
            table.entry(words[0]).or_default().push((*cue, words));
        }
    }
    table
}

/// Phrases are separated by bars.
const CUES: &[(Cue, &str)] = &[
    (
        Cue::Filler,
        "the|a|an|of|our|we|us|i|me|my|is|are|was|were|be|been|do|does|did|have|has|had|there|what|what's|\
         's|please|show|give|tell|get|can|you|need|want|would|like|to see|to know|it|its|their|?|.|,|:|!|-|\
         so|altogether|in total|overall|in all|whole history|all months|all years|all quarters|all weeks|\
         of all time|over all months|compute|calculate|from the first month to the last|\
         from the first to the last month|for all months|in dollars|in euros|in usd|in eur|in pounds|\
         dollars|euros|value of|amount of|look|looks|figures for|that is|namely|programme|program|scheme|sites|site|each time|in one go|\
         at all|so far",
    ),
    (Cue::HowMuch, "how much"),
    (
        Cue::Happened,
        "placed|made|make|makes|last|lasts|lasted|there are|there were|did we get|do we have|did we have|have we had|we have|we had|came in|come in|came|come|comes|took place|happened|received|recorded|got|fall|falls|\
         fell|occurred|bring in|brings in|brought in|generate|generated|generates|take|took|expect|went|go|\
         new",
    ),
    (Cue::And, "and|as well as|along with|together with|, and|,|and the|with the"),
    (Cue::Which, "which|what|in which|on which|at which"),
    (Cue::Count, "how many|number of|count of|total number of|the number of|quantity of|volume of"),
    (
        Cue::CountAndTotal,
        "number and total of|number and amount of|number and value of|number and sum of|count and total of|\
         number and total value of|number and total amount of|count and sum of|how many and how much",
    ),
    (Cue::Distinct, "different|distinct|unique"),
    (Cue::Aggregate(Function::Average), "average|mean|avg|typical"),
    (Cue::Aggregate(Function::Median), "median"),
    (Cue::Aggregate(Function::Sum), "total|sum of|total of|combined|overall|sum"),
    (Cue::Aggregate(Function::Maximum), "maximum|max"),
    (Cue::Aggregate(Function::Minimum), "minimum|min"),
    (
        Cue::By,
        "by|for each|for every|in each|in every|of each|of every|on each|on every|at each|at every|\
         from each|broken down by|split by|grouped by|each|every|across|by each|with each|does each|\
         did each|do each|comes from each|is from each|come from each|came from each|per|to each",
    ),
    (Cue::One, "does a|does an|does one"),
    (Cue::Per, "per|for each|divided by number of"),
    (Cue::Grain(Day), "by day|per day|each day|daily|for each day|a day"),
    (Cue::Grain(Week), "by week|per week|each week|weekly|for each week|by calendar week"),
    (
        Cue::Grain(Month),
        "by month|per month|each month|monthly|for each month|in each month|every month|month by month|\
         by calendar month|over the months|over time",
    ),
    (
        Cue::Grain(Quarter),
        "by quarter|per quarter|each quarter|quarterly|for each quarter|in each quarter|every quarter",
    ),
    (
        Cue::Grain(Year),
        "by year|per year|each year|yearly|annual|annually|for each year|in each year|every year|\
         year by year|and year|per calendar year",
    ),
    (Cue::Grain(Month), "and month"),
    (Cue::Grain(Quarter), "and quarter"),
    (
        Cue::Weekday,
        "by weekday|by weekdays|per weekday|for each weekday|by day of the week|by day of week|per day of the week|\
         on each weekday|each weekday|for each day of the week|on each day of the week",
    ),
    (
        Cue::Hour,
        "by hour|per hour|by hour of the day|per hour of the day|by hour of day|for each hour|\
         by time of day",
    ),
    (Cue::During, "in|during|for|of|in the|for the|during the|of the|within|as of"),
    (Cue::Bound(GreaterOrEqual), "since|from|starting|starting in|as from"),
    (Cue::Bound(Greater), "after"),
    (Cue::Bound(Less), "before|prior to"),
    (Cue::Bound(LessOrEqual), "until|up to|through|till"),
    (Cue::From, "from|between"),
    (Cue::To, "to|until|through|and|-"),
    (
        Cue::Share,
        "what share of|what percentage of|what proportion of|what fraction of|what part of|share of|percentage of|proportion of|percent of|% of|fraction of|percentage share of|\
         what percent of|portion of|share in|part of|percentage of total|share of total|share of all|\
         percentage of all|proportion of all|percent of all|shares of",
    ),
    (Cue::InPercent, "in percent|in %|as a percentage|as percentage|in percentage|percentage|percent|as a percent|%"),
    (
        Cue::OfAll,
        "in percent of all|as a percentage of all|as a percentage of the total|as a share of the total|\
         as a percentage of total|as a share of total|in percent of the total|as a share of all|\
         as percentage of all|as a percent of total|in % of all|as share of total|in % of total|\
         as a proportion of all",
    ),
    (
        Cue::Are,
        "are|were|is|was|that are|that were|that is|that was|that have been|that had been|that had|that have|that got|which are|which were|have been|has been|who are|who were|who have|who had|have|had|has|got|get|gets|came|come|went|ended up|ends up|end up|turned out|being|that came|that went|that ended up",
    ),
    (
        Cue::Growth,
        "how did|how has|how have|growth|growth of|growth in|growth rate of|growth rate|grow|grew|increase|increase in|change in|\
         change of|increased|changed|change|percentage change in|percentage change of|percentage growth of|\
         percentage growth in|by how many percent did|by how much percent did|how many percent did|\
         by how many percent has|by what percentage did|by what percentage has|percent change in|grown|\
         rise|risen|develop",
    ),
    (Cue::Over(Day), "day over day|day on day|daily growth of"),
    (Cue::Over(Week), "week over week|week on week|weekly growth of|wow"),
    (Cue::Over(Month), "month over month|month on month|monthly growth of|mom|month to month|monthly growth in"),
    (Cue::Over(Quarter), "quarter over quarter|quarter on quarter|quarterly growth of|qoq|quarterly growth in"),
    (Cue::Over(Year), "year over year|year on year|yearly growth of|annual growth of|yoy|annual growth in"),
    (
        Cue::Increase(Month),
        "difference to the previous month|difference to the month before|change to the month before|\
         change to the previous month|change from the previous month|change from the month before|\
         change against the previous month|difference from the previous month|\
         change over the previous month|increase over the previous month|change versus the previous month|\
         change vs the previous month|difference from the month before|\
         change compared with the previous month|month over month change|difference to the prior month|\
         change from the prior month",
    ),
    (
        Cue::Increase(Year),
        "difference to the previous year|difference to the year before|change to the year before|\
         change to the previous year|change from the previous year|change from the year before|\
         change over the previous year|change against the previous year|difference from the previous year|\
         year over year change",
    ),
    (
        Cue::Increase(Quarter),
        "difference to the previous quarter|difference to the quarter before|change to the quarter before|\
         change to the previous quarter|change from the previous quarter|change from the quarter before|\
         change over the previous quarter|difference from the previous quarter|quarter over quarter change",
    ),
    (
        Cue::Increase(Week),
        "difference to the previous week|difference to the week before|change to the week before|\
         change to the previous week|change from the previous week|change from the week before",
    ),
    (
        Cue::Versus,
        "versus|vs|vs.|compared with|compared to|against|in comparison with|in comparison to|next to|compare with|\
         compare to|compares with|compares to",
    ),
    (
        Cue::Against,
        "versus|vs|vs.|compared with|compared to|against|compare with|compare to|compares with|compares to|next to|\
         beside|alongside",
    ),
    (
        Cue::LastYear,
        "the same period last year|same period last year|the same period of last year|\
         the same period of the previous year|the same period a year ago|the same period the year before|\
         same period of the previous year|the same time last year|the same quarter last year|\
         the same month last year|the same period in the previous year|the year before|a year earlier|\
         the same months last year",
    ),
    (
        Cue::RunningTotal,
        "running total of|cumulative|cumulative total of|cumulated|running sum of|accumulated|\
         running total for|running",
    ),
    (
        Cue::WithRunningTotal,
        "with a running total|with the running total|and the running total|and a running total|\
         and the cumulative total|and a cumulative total|with a cumulative total|with cumulative total|\
         with the cumulative total|and running total|with running total|and cumulative total|\
         and its running total|and its cumulative total|and the cumulative sum|with a cumulative sum|\
         and the running sum|and their running total",
    ),
    (
        Cue::MovingAverage(Month),
        "month moving average of|months moving average of|- month moving average of|\
         month rolling average of|- month rolling average of|month moving average for|month moving average|\
         - month moving average|month rolling average|months rolling average of",
    ),
    (
        Cue::MovingAverage(Week),
        "week moving average of|- week moving average of|week rolling average of|- week rolling average of",
    ),
    (
        Cue::MovingAverage(Day),
        "day moving average of|- day moving average of|day rolling average of|- day rolling average of",
    ),
    (Cue::MovingAverage(Quarter), "quarter moving average of|- quarter moving average of|quarter rolling average of"),
    (
        Cue::Excluding,
        "excluding|except|except for|without|not counting|other than|leaving out|but not|apart from|\
         ignoring|minus|that were not|that are not|not",
    ),
    (Cue::Excluded, "excluded|not counted|left out|aside|not included"),
    (Cue::Only, "only|just|only for|only in|limited to|restricted to"),
    (
        Cue::Sorted(Descending),
        "highest first|largest first|biggest first|most first|in descending order|descending|\
         from highest to lowest|slowest first|longest first|from high to low|from largest to smallest|\
         from most to least|best first|ranked|best paid first|highest paid first|most expensive first|\
         most productive first|most popular first|busiest first",
    ),
    (
        Cue::Sorted(Ascending),
        "lowest first|smallest first|quickest first|fastest first|shortest first|in ascending order|\
         ascending|from lowest to highest|from low to high|least first|from smallest to largest|\
         worst first|cheapest first",
    ),
    (Cue::Top(Descending), "top|best|biggest|largest"),
    (Cue::Top(Ascending), "bottom|worst|smallest|lowest"),
    (Cue::Most(Descending), "most"),
    (Cue::Most(Ascending), "least|fewest"),
    (
        Cue::Extreme(Descending),
        "highest|largest|greatest|biggest|maximum|longest|slowest|most expensive|costliest|heaviest",
    ),
    (Cue::Extreme(Ascending), "lowest|smallest|minimum|shortest|quickest|fastest|cheapest|least expensive|lightest"),
    (
        Cue::Has,
        "has|had|have|with|shows|showed|has got|recorded|achieved|made|makes|make|reached|bring in|\
         brings in|brought in|generates|generated|took|takes|gets|got",
    ),
    (
        Cue::AndHowMany,
        "and how many|and how much|and how much was it|and how many were there|and how often|\
         , and how many|, and how much|, and how much was it|, and how many were there|and how far|and how long|\
         , and how far|, and how long",
    ),
    (Cue::DividedBy, "divided by|in relation to|relative to"),
    (
        Cue::PercentOf,
        "as a percentage of|in percent of|as percentage of|as a share of|in % of|as a percent of|\
         as a proportion of|as percent of|as % of",
    ),
    (
        Cue::HowLong,
        "how long|how many days|what is the average time between|what is the average time from|average time between|\
         average time from|average number of days between|average number of days from|average days between|\
         average days from|what is the average number of days between|what is the average number of days from",
    ),
    (
        Cue::HowLongIn(Lapse::Hours),
        "how many hours|average number of hours between|average number of hours from|average hours between|\
         average hours from|what is the average number of hours between|what is the average number of hours from",
    ),
    (
        Cue::HowLongIn(Lapse::Minutes),
        "how many minutes|average number of minutes between|average number of minutes from|average minutes between|\
         average minutes from",
    ),
    (
        Cue::HowLate(Lapse::DAYS),
        "how many days late|how many days too late|how late|average delay|average delay of|average delay in days of|\
         average lateness of|days late|how many days behind schedule",
    ),
    (
        Cue::HowLate(Lapse::Hours),
        "how many hours late|how many hours too late|average delay in hours of|average delay in hours|hours late|\
         how many hours behind schedule",
    ),
    (
        Cue::HowLate(Lapse::Minutes),
        "how many minutes late|how many minutes too late|average delay in minutes of|average delay in minutes|minutes late",
    ),
    (Cue::InLapse(Lapse::Hours), "in hours|hours"),
    (Cue::InLapse(Lapse::Minutes), "in minutes|minutes"),
    (Cue::OnAverage, "on average|usually|typically|normally"),
    (Cue::Rate, "rate|rate of|rate for|share|percentage|proportion|quota"),
    (Cue::InDays, "in days|days"),
    (
        Cue::Link,
        "until|to|till|once|with us|from|between|and|take|takes|who|that|last|lasts|stay|stays|stayed|go by|pass|\
         passes|for|being|gets|get",
    ),
    (Cue::Preposition, "in|at|on|for|from|to|with|through|via|by|of|within|using"),
    (
        Cue::Compare(Greater),
        "more than|over|above|greater than|higher than|exceeding|larger than|bigger than|longer than|>|in excess of",
    ),
    (Cue::Compare(GreaterOrEqual), "at least|no less than|a minimum of|not less than|no fewer than|> ="),
    (Cue::Compare(Less), "less than|fewer than|under|below|lower than|smaller than|shorter than|<"),
    (Cue::Compare(LessOrEqual), "at most|no more than|up to|not more than|< =|a maximum of"),
    (
        Cue::OrMore(GreaterOrEqual),
        "or more|or above|or higher|or over|or longer|or better|and more|and above|and over|plus|+",
    ),
    (Cue::OrMore(LessOrEqual), "or less|or fewer|or below|or lower|or under|or shorter|and below|and less"),
    (Cue::Money, "money"),
    (
        Cue::Relative,
        "that|who|whose|which|where|having|that have|that had|who have|who had|that has|which have|which had",
    ),
    (Cue::SideBySide, "compare|compare the|comparison of|a comparison of|how does|how do"),
    (Cue::Busiest(Descending), "busiest|most active|most popular|strongest|peak|record|best"),
    (Cue::Busiest(Ascending), "quietest|least active|least popular|slackest"),
    (
        Cue::Selling(Descending),
        "best selling|best - selling|best-selling|bestselling|top selling|top - selling|top-selling|most sold|\
         most - sold|most-sold|best sold",
    ),
    (Cue::Selling(Ascending), "worst selling|worst - selling|worst-selling|least sold|least - sold|slowest selling"),
    (
        Cue::SoldMost(Descending),
        "sells best|sold best|sell best|sells the best|sold the best|sells most|sold most|sells the most|sold the most",
    ),
    (
        Cue::SoldMost(Ascending),
        "sells worst|sold worst|sell worst|sells least|sold least|sells the least|sold the least|sells the worst",
    ),
    (
        Cue::Having,
        "with|having|who have|who had|that have|that had|which have|which had|with at least one|with any|\
         who have had|that have had|with at least a|that got|who got|who made|who placed|who took|who filed",
    ),
    (
        Cue::Lacking,
        "without|without any|with no|have no|has no|had no|hold no|holds no|own no|owns no|got no|have not got a|have not got any|having no|lacking|who have no|who had no|that have no|that had no|with zero|\
         which have no|which had no|with not a single|without a single|who have never had|who never had|\
         that never had|that have never had|missing",
    ),
    (Cue::Age, "age|ages"),
    (Cue::HowOld(Function::Maximum), "how old is the oldest|how old is our oldest|how old was the oldest"),
    (Cue::HowOld(Function::Minimum), "how old is the youngest|how old is our youngest|how old was the youngest"),
    (Cue::HowOld(Function::Average), "how old are|how old is the average|how old were"),
    (
        Cue::WithAndWithout,
        "with and without|with or without|with vs without|with versus without|with vs. without|with compared to without|\
         with and without any|with and without a|with and without an",
    ),
    (
        Cue::OrWithout,
        "compared with those without|compared to those without|versus those without|vs those without|vs. those without|\
         and those without|and without|vs without|vs. without|versus without|compared to without|and of those without|\
         against those without|compared with those that have none|and those that have none|and those without one|\
         and without one|and without any|compared with those without one|versus those without one",
    ),
    (
        Cue::WithRest,
        "and the rest|and others|and the others|and all others|and all the others|with the rest|with others|\
         with the others|with all others|plus the rest|plus others|plus all others|, the rest as others|\
         , the rest as other|, rest as others|, rest as other|and the rest as others|and the rest as other|\
         and the rest together|and the rest combined|and everything else|and everyone else|and all the rest|\
         with the rest as others|with the rest as other|with the rest as one group|with the rest grouped as others|\
         with the rest combined|with the rest together|and the remaining ones|and the remainder|with everything else|\
         with the rest summed up|and group the rest as others|and group the rest|group the rest as others|\
         , group the rest as others|and put the rest in others|and lump the rest together",
    ),
];
