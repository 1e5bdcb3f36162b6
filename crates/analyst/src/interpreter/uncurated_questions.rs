//! Questions about a database as it is, with nothing but its names, keys and values, and the SQL they become.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::readings::Origin;
use super::{Interpreter, body_on_one_line};
use crate::evidence::Evidence;
use crate::judge::Feature;
use crate::question::words::words;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: league
tables:
- name: clubs
  base_table: {database: D, schema: S, table: CLUBS}
  primary_key: {columns: [clubid]}
  dimensions:
  - {name: clubid, expr: CLUBID, data_type: NUMBER}
  - {name: club_nm, expr: CLUB_NM, data_type: VARCHAR}
  - {name: city, expr: CITY, data_type: VARCHAR}
  - {name: ground_height_m, expr: GROUND_HEIGHT_M, data_type: NUMBER}
  - {name: budget_million, expr: BUDGET_MILLION, data_type: NUMBER}
- name: players
  base_table: {database: D, schema: S, table: PLAYERS}
  primary_key: {columns: [playerid]}
  dimensions:
  - {name: playerid, expr: PLAYERID, data_type: NUMBER}
  - {name: fname, expr: FNAME, data_type: VARCHAR}
  - {name: eyecolor, expr: EYECOLOR, data_type: VARCHAR}
  - {name: country_of_birth, expr: COUNTRY_OF_BIRTH, data_type: VARCHAR}
  - {name: birthyear, expr: BIRTHYEAR, data_type: NUMBER}
  - {name: elorating, expr: ELORATING, data_type: NUMBER}
  - {name: clubid, expr: CLUBID, data_type: NUMBER}
  - {name: trainer, expr: TRAINER, data_type: NUMBER}
  time_dimensions:
  - {name: joined_on, expr: JOINED_ON, data_type: DATE}
- name: contests
  base_table: {database: D, schema: S, table: CONTESTS}
  primary_key: {columns: [contestid]}
  dimensions:
  - {name: contestid, expr: CONTESTID, data_type: NUMBER}
  - {name: title, expr: TITLE, data_type: VARCHAR}
  - {name: location, expr: LOCATION, data_type: VARCHAR}
  - {name: season_year, expr: SEASON_YEAR, data_type: NUMBER}
  - {name: duration_min, expr: DURATION_MIN, data_type: NUMBER}
- name: entries
  base_table: {database: D, schema: S, table: ENTRIES}
  primary_key: {columns: [contestid, playerid]}
  dimensions:
  - {name: contestid, expr: CONTESTID, data_type: NUMBER}
  - {name: playerid, expr: PLAYERID, data_type: NUMBER}
  - {name: place, expr: PLACE, data_type: NUMBER}
  - {name: amount, expr: AMOUNT, data_type: NUMBER}
relationships:
- {name: r1, left_table: players, right_table: clubs, relationship_columns: [{left_column: clubid, right_column: clubid}]}
- {name: r2, left_table: entries, right_table: contests, relationship_columns: [{left_column: contestid, right_column: contestid}]}
- {name: r3, left_table: entries, right_table: players, relationship_columns: [{left_column: playerid, right_column: playerid}]}
- {name: r4, left_table: players, right_table: players, relationship_columns: [{left_column: trainer, right_column: playerid}]}
";

struct Data;

impl Evidence for Data {
    fn values(&self, _table: &str, column: &str) -> Vec<String> {
        let values: &[&str] = match column {
            "club_nm" => &["Rook House", "Blitz"],
            "city" => &["Vienna", "Graz"],
            "location" => &["Vienna", "Linz"],
            "fname" => &["Anton", "Berta", "Carlo"],
            "eyecolor" => &["blue", "green"],
            "title" => &["Alpine Cup", "Open Days"],
            _ => &[],
        };
        values.iter().map(ToString::to_string).collect()
    }

    fn distinct_count(&self, table: &str, column: &str) -> Option<u64> {
        Some(self.values(table, column).len() as u64).filter(|count| *count > 0)
    }

    fn row_count(&self, table: &str) -> Option<u64> {
        Some(if table == "contests" || table == "clubs" { 2 } else { 3 })
    }

    fn has_gaps(&self, _table: &str, column: &str) -> Option<bool> {
        Some(column == "clubid" || column == "trainer")
    }
}

fn check(question: &str, expected: &str) {
    let model = read_yaml(MODEL).unwrap().model;
    let answer =
        Interpreter::new(&model, &Data).interpret(question, &[], NaiveDate::from_ymd_opt(2024, 5, 15).unwrap());
    let sql = answer.sql.unwrap_or_else(|| format!("-- {:?}", answer.suggestions));
    assert_eq!(body_on_one_line(&sql), expected, "{question}");
}

#[test]
fn names_written_as_one_word_are_understood() {
    check("What is the average rating of players?", "SELECT AVG(players.elorating) AS average_elo_rating FROM players");
    check("List the names of clubs in Graz.", "SELECT clubs.club_nm FROM clubs WHERE clubs.city = 'Graz'");
    check("Show the ground height of each club.", "SELECT clubs.ground_height_m FROM clubs");
    check(
        "List the join date of players with blue eyes color.",
        "SELECT players.joined_on FROM players WHERE players.eyecolor = 'blue'",
    );
}

#[test]
fn a_reading_that_several_readers_have_is_known_as_such() {
    let model = read_yaml(MODEL).unwrap().model;
    let question = words("List the names of clubs in Graz.");
    let readings = Interpreter::new(&model, &Data).readings(&question, None, NaiveDate::default());
    let first = &readings.first().unwrap().features;
    assert_eq!(first.get(Feature::ReadAlikeByChart), 1.0);
    assert!(first.get(Feature::ReadAlikeByStyles) > 0.0);
    let neighbour = readings.iter().find(|reading| reading.origin == Origin::Edit).unwrap();
    assert_eq!(neighbour.features.get(Feature::ReadAlikeByStyles), 0.0);
}

#[test]
fn units_in_names_are_units_of_numbers() {
    check(
        "Which clubs have a budget above 10 million?",
        "SELECT clubs.club_nm FROM clubs WHERE clubs.budget_million > 10",
    );
    check(
        "What are the titles of contests longer than 40 minutes?",
        "SELECT contests.title FROM contests WHERE contests.duration_min > 40",
    );
}

#[test]
fn adjectives_measure_what_can_be_measured() {
    check(
        "What is the first name of the youngest player?",
        "SELECT players.fname FROM players ORDER BY players.birthyear DESC NULLS LAST, players.playerid LIMIT 1",
    );
    check(
        "Which contest is the longest? Give the title.",
        "SELECT contests.title FROM contests ORDER BY contests.duration_min DESC NULLS LAST, contests.contestid LIMIT 1",
    );
    check(
        "List the titles of contests from the longest to the shortest.",
        "SELECT contests.title FROM contests ORDER BY contests.duration_min DESC",
    );
    check(
        "List the first names of players, youngest first.",
        "SELECT players.fname FROM players ORDER BY players.birthyear DESC",
    );
}

#[test]
fn rows_that_refer_to_nothing_lack_it() {
    check(
        "Show the first names of players without a club.",
        "SELECT players.fname FROM players WHERE players.clubid IS NULL",
    );
}

#[test]
fn rows_that_others_of_their_table_refer_to() {
    let expected = "SELECT trainer_of_players.fname AS trainer_first_name FROM players JOIN players AS trainer_of_players ON players.trainer = trainer_of_players.playerid WHERE players.fname = 'Berta'";
    check("What is the first name of the trainer of Berta?", expected);
    check("What is the trainer's first name of the player Berta?", expected);
}

#[test]
fn a_place_is_that_of_what_is_spoken_of() {
    check(
        "What are the names of clubs located in Vienna?",
        "SELECT clubs.club_nm FROM clubs WHERE clubs.city = 'Vienna'",
    );
}

#[test]
fn lists_keep_all_that_is_asked_for() {
    check(
        "Show the names of players and the names of their clubs.",
        "SELECT players.fname, clubs.club_nm FROM players JOIN clubs ON players.clubid = clubs.clubid",
    );
    check(
        "Show each player's first name along with the club name.",
        "SELECT players.fname, clubs.club_nm FROM players JOIN clubs ON players.clubid = clubs.clubid",
    );
    check("List the cities of clubs without repetition.", "SELECT DISTINCT clubs.city FROM clubs");
}

#[test]
fn measures_of_rows() {
    check("What is the total entry amount?", "SELECT SUM(entries.amount) AS total_amount FROM entries");
    check("What is the total amount of entries?", "SELECT SUM(entries.amount) AS total_amount FROM entries");
    check(
        "What is the difference between the highest and lowest rating of players?",
        "SELECT MAX(players.elorating) - MIN(players.elorating) AS highest_elo_rating_less_lowest_elo_rating FROM players",
    );
    check(
        "What are the names of the 3 largest clubs in terms of budget?",
        "SELECT clubs.club_nm FROM clubs ORDER BY clubs.budget_million DESC NULLS LAST, clubs.clubid LIMIT 3",
    );
}

#[test]
fn comparisons_with_others() {
    check(
        "Which clubs have more budget than average?",
        "SELECT clubs.club_nm FROM clubs WHERE clubs.budget_million > (SELECT AVG(clubs.budget_million) FROM clubs)",
    );
    check(
        "List the names of clubs with a budget greater than the budget of \"Blitz\".",
        "SELECT clubs.club_nm FROM clubs WHERE clubs.budget_million > (SELECT clubs.budget_million FROM clubs WHERE clubs.club_nm = 'Blitz')",
    );
    check(
        "Find the first names of players that have no entry with place 1.",
        "SELECT players.fname FROM players WHERE players.playerid NOT IN (SELECT entries.playerid FROM entries WHERE entries.place = 1 AND entries.playerid IS NOT NULL)",
    );
}

#[test]
fn texts_and_values() {
    check(
        "Show the first names of players whose first name contains 'a' or 'o'.",
        "SELECT players.fname FROM players WHERE (players.fname ILIKE '%a%' OR players.fname ILIKE '%o%')",
    );
    check(
        "Find the eye color that is most common among players.",
        "SELECT players.eyecolor FROM players GROUP BY players.eyecolor ORDER BY COUNT(*) DESC, players.eyecolor LIMIT 1",
    );
    check(
        "Which contests have a duration between 30 and 60 minutes?",
        "SELECT contests.title FROM contests WHERE contests.duration_min BETWEEN 30 AND 60",
    );
    check(
        "What is the first name of the player with the highest rating?",
        "SELECT players.fname FROM players ORDER BY players.elorating DESC NULLS LAST, players.playerid LIMIT 1",
    );
}
