//! How a session counts weeks: WEEK_START and WEEK_OF_YEAR_POLICY.

use firn_sql::Failure;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeekRules {
    /// 1 for Monday to 7 for Sunday; 0 is Monday too, but numbers the days of a week from Sunday, 0.
    start: u8,
    pub first_week: FirstWeek,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstWeek {
    /// A week belongs to the year that has four of its days.
    #[default]
    OfFourDays,
    /// The week with January 1 is the first.
    OfJanuaryFirst,
}

impl WeekRules {
    pub fn with_start(self, value: &str) -> Result<Self, Failure> {
        match value.trim().parse() {
            Ok(start @ 0..=7) => Ok(Self { start, ..self }),
            _ => Err(Failure::invalid_value("parameter WEEK_START", value, "give 0, or 1 for Monday to 7 for Sunday")),
        }
    }

    pub fn with_policy(self, value: &str) -> Result<Self, Failure> {
        let first_week = match value.trim() {
            "0" => FirstWeek::OfFourDays,
            "1" => FirstWeek::OfJanuaryFirst,
            _ => return Err(Failure::invalid_value("parameter WEEK_OF_YEAR_POLICY", value, "give 0 or 1")),
        };
        Ok(Self { first_week, ..self })
    }

    /// With the start of other rules.
    pub fn starting_like(self, other: Self) -> Self {
        Self { start: other.start, ..self }
    }

    /// The start that was given, for the numbers of the days.
    pub fn given_start(self) -> u8 {
        self.start
    }

    /// The day weeks begin on, from 1 for Monday.
    pub fn first_day(self) -> u8 {
        self.start.max(1)
    }
}
