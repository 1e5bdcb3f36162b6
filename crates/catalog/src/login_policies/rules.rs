//! What a password policy asks of passwords. Without any policy, the rules are weaker than those of a policy's defaults.

use firn_sql::Failure;

use super::LoginPolicy;
use crate::user::User;

const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PasswordRules {
    pub characters_min: u32,
    pub characters_max: u32,
    pub upper_case_min: u32,
    pub lower_case_min: u32,
    pub digits_min: u32,
    pub special_min: u32,
    min_age_ms: i64,
    /// 0 for never.
    max_age_ms: i64,
    /// As many wrong passwords in a row lock a user.
    pub failures_max: u32,
    pub locked_ms: i64,
    /// How many of the latest passwords cannot be chosen again.
    pub history: usize,
}

impl Default for PasswordRules {
    fn default() -> Self {
        Self {
            characters_min: 8,
            characters_max: 256,
            upper_case_min: 0,
            lower_case_min: 0,
            digits_min: 0,
            special_min: 0,
            min_age_ms: 0,
            max_age_ms: 0,
            failures_max: 5,
            locked_ms: 15 * MINUTE_MS,
            history: 0,
        }
    }
}

impl PasswordRules {
    pub(super) fn of(policy: &LoginPolicy) -> Self {
        let number = |name: &str| policy.number(name);
        Self {
            characters_min: number("PASSWORD_MIN_LENGTH"),
            characters_max: number("PASSWORD_MAX_LENGTH"),
            upper_case_min: number("PASSWORD_MIN_UPPER_CASE_CHARS"),
            lower_case_min: number("PASSWORD_MIN_LOWER_CASE_CHARS"),
            digits_min: number("PASSWORD_MIN_NUMERIC_CHARS"),
            special_min: number("PASSWORD_MIN_SPECIAL_CHARS"),
            min_age_ms: i64::from(number("PASSWORD_MIN_AGE_DAYS")) * DAY_MS,
            max_age_ms: i64::from(number("PASSWORD_MAX_AGE_DAYS")) * DAY_MS,
            failures_max: number("PASSWORD_MAX_RETRIES"),
            locked_ms: i64::from(number("PASSWORD_LOCKOUT_TIME_MINS")) * MINUTE_MS,
            history: number("PASSWORD_HISTORY") as usize,
        }
    }

    /// Rules that contradict each other let no password be chosen.
    pub(super) fn check_consistent(&self) -> Result<(), Failure> {
        let classes = self.upper_case_min + self.lower_case_min + self.digits_min + self.special_min;
        if self.characters_min > self.characters_max {
            let value = self.characters_min.to_string();
            return Err(Failure::invalid_value(
                "PASSWORD_MIN_LENGTH",
                &value,
                "at most PASSWORD_MAX_LENGTH is expected",
            ));
        }
        if classes > self.characters_max {
            let way_out = "the numbers of characters that are asked for must fit into PASSWORD_MAX_LENGTH";
            return Err(Failure::invalid_value("PASSWORD_MAX_LENGTH", &self.characters_max.to_string(), way_out));
        }
        if self.max_age_ms > 0 && self.min_age_ms > self.max_age_ms {
            let value = (self.min_age_ms / DAY_MS).to_string();
            return Err(Failure::invalid_value(
                "PASSWORD_MIN_AGE_DAYS",
                &value,
                "at most PASSWORD_MAX_AGE_DAYS is expected",
            ));
        }
        Ok(())
    }

    /// Why the password cannot be used. Blanks around it do not make it longer.
    pub(crate) fn problem_of(&self, user: &str, password: &str) -> Option<String> {
        let count = |wanted: fn(char) -> bool| password.chars().filter(|c| wanted(*c)).count();
        let classes = [
            ("upper-case letters", self.upper_case_min, count(char::is_uppercase)),
            ("lower-case letters", self.lower_case_min, count(char::is_lowercase)),
            ("digits", self.digits_min, count(char::is_numeric)),
            ("other characters", self.special_min, count(|c| !c.is_alphanumeric())),
        ];
        let (fewest, most) = (self.characters_min as usize, self.characters_max as usize);
        if password.trim().chars().count() < fewest || password.chars().count() > most {
            return Some(format!("{fewest} to {most} characters are expected, blanks around them not counted"));
        }
        if password.to_uppercase() == user.to_uppercase() {
            return Some("another text than the name of the user is expected".to_owned());
        }
        let lacking = classes.into_iter().find(|(_, least, found)| *found < *least as usize);
        lacking.map(|(words, least, _)| format!("at least {least} {words} are expected"))
    }

    /// Whether the password must be changed before it opens a session.
    pub fn must_change(&self, user: &User, now_ms: i64) -> bool {
        user.must_change_password || (self.max_age_ms > 0 && now_ms - user.password_set_on_ms >= self.max_age_ms)
    }

    /// Whether it is too early for the user to change the password.
    pub fn is_too_young(&self, user: &User, now_ms: i64) -> bool {
        user.password.is_some() && now_ms - user.password_set_on_ms < self.min_age_ms && !self.must_change(user, now_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::PasswordRules;

    #[test]
    fn passwords_have_what_the_rules_ask_for() {
        let strict = PasswordRules {
            characters_min: 10,
            characters_max: 12,
            upper_case_min: 2,
            lower_case_min: 1,
            digits_min: 1,
            special_min: 1,
            ..PasswordRules::default()
        };
        for (password, expected) in [
            ("ABcdefgh1!", None),
            ("ABcdefg1!", Some("10 to 12")),
            ("  ABcdefg1!  ", Some("10 to 12")),
            ("ABcdefghijk1!", Some("10 to 12")),
            ("Abcdefgh1!", Some("upper-case")),
            ("ABCDEFGH1!", Some("lower-case")),
            ("ABcdefghi!", Some("digits")),
            ("ABcdefghi1", Some("other characters")),
        ] {
            let problem = strict.problem_of("ANN", password);
            match expected {
                None => assert_eq!(problem, None, "{password}"),
                Some(part) => {
                    assert!(problem.as_ref().is_some_and(|text| text.contains(part)), "{password}: {problem:?}")
                }
            }
        }
    }
}
