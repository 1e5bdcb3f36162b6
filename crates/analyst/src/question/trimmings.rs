//! What questions are wrapped in and no query says: thanks, the chart that rows are to be shown in, `staff members` for staff.

use super::words::{Word, WordKind, words};

const THANKS: &[&str] = &["thanks", "thank", "thx", "cheers"];
/// What may follow thanks.
const MUCH: &[&str] = &["you", "a", "lot", "so", "very", "much", "in", "advance", "again", "kindly", "million"];
const CHARTS: &[&str] = &["chart", "graph", "plot", "diagram", "histogram", "charts", "graphs"];
const KINDS_OF_CHART: &[&str] =
    &["a", "an", "pie", "bar", "line", "column", "area", "stacked", "donut", "scatter", "simple", "nice", "horizontal"];
/// Verbs that ask to see rows as a picture.
const DRAWING: &[&str] = &["plot", "chart", "graph", "draw", "visualize", "visualise"];
/// Words that may stand before the verb of a request.
const POLITE: &[&str] = &["please", "can", "could", "would", "you", "kindly", "now"];
const MEMBERS: &[&str] = &["member", "members", "people", "person", "persons"];
/// Nouns for people as a whole.
const COLLECTIVES: &[&str] = &["staff", "crew", "team", "personnel", "faculty", "workforce", "squad"];

/// Drops thanks and charts, and puts `brand wise revenue` and `plot revenue` into the words that readers know; a word that the
/// model has as a name stays.
pub fn drop_trimmings(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool) {
    drop_thanks(asked, is_name);
    drop_chart(asked, is_name);
    if let Some(first) = asked.iter().position(|word| !POLITE.contains(&word.lower.as_str()))
        && DRAWING.contains(&asked[first].lower.as_str())
        && !is_name(&asked[first])
        && asked[first + 1..].iter().any(|word| word.kind != WordKind::Mark)
    {
        asked.splice(first..=first, words("show"));
    }
    reorder_wise(asked);
}

/// `staff members` are the staff: `is_people` knows the nouns that name people of the model.
pub fn drop_members(asked: &mut Vec<Word>, is_people: &dyn Fn(&Word) -> bool) {
    let is_member = |at: usize| MEMBERS.contains(&asked[at].lower.as_str());
    let is_whole = |word: &Word| COLLECTIVES.contains(&word.lemma.as_str()) && is_people(word);
    let found = (1..asked.len()).find(|at| is_member(*at) && is_whole(&asked[*at - 1]));
    if let Some(at) = found {
        asked.remove(at);
    }
}

fn drop_thanks(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool) {
    let is_thanks = |word: &Word| THANKS.contains(&word.lower.as_str()) && !is_name(word);
    let Some(start) = asked.iter().position(is_thanks) else { return };
    let more = asked[start + 1..].iter().take_while(|word| MUCH.contains(&word.lower.as_str())).count();
    let end = start + 1 + more;
    let end = end + usize::from(asked.get(end).is_some_and(|word| matches!(word.lower.as_str(), "," | "!" | ".")));
    asked.drain(start..end);
}

/// `as a pie chart`, `in a bar graph`.
fn drop_chart(asked: &mut Vec<Word>, is_name: &dyn Fn(&Word) -> bool) {
    let Some(chart) = asked.iter().position(|word| CHARTS.contains(&word.lower.as_str()) && !is_name(word)) else {
        return;
    };
    let kinds = asked[..chart].iter().rev().take_while(|word| KINDS_OF_CHART.contains(&word.lower.as_str())).count();
    let start = chart - kinds;
    if start > 0 && matches!(asked[start - 1].lower.as_str(), "as" | "in" | "on" | "with") {
        asked.drain(start - 1..=chart);
    }
}

/// `brand wise revenue`, `revenue brand wise`: by brand.
fn reorder_wise(asked: &mut Vec<Word>) {
    let Some(at) = asked.iter().position(|word| word.lower == "wise") else { return };
    let end = asked.iter().rposition(|word| word.kind != WordKind::Mark).map_or(0, |last| last + 1);
    let by = words("by");
    if at + 1 == end && at > 1 {
        asked.remove(at);
        asked.splice(at - 1..at - 1, by);
    } else if at == 1 && at + 1 < end {
        let noun = asked[0].clone();
        asked.splice(end..end, by.into_iter().chain([noun]));
        asked.drain(..=1);
    }
}

#[cfg(test)]
mod tests {
    use super::{drop_members, drop_trimmings};
    use crate::question::words::{Word, words};

    fn check(question: &str, expected: &str) {
        let mut asked = words(question);
        drop_trimmings(&mut asked, &|word| word.lower == "graph");
        drop_members(&mut asked, &|word| word.lower == "staff");
        let texts: Vec<&str> = asked.iter().map(|word: &Word| word.text.as_str()).collect();
        assert_eq!(texts.join(" "), expected, "{question}");
    }

    #[test]
    fn trimmings_say_nothing() {
        check("thanks a lot, revenue by month", "revenue by month");
        check("revenue by month, thank you very much", "revenue by month ,");
        check("plot revenue by month", "show revenue by month");
        check("revenue by brand as a pie chart", "revenue by brand");
        check("brand wise revenue in 2024", "revenue in 2024 by brand");
        check("revenue brand wise", "revenue by brand");
        check("how many staff members are there", "how many staff are there");
        check("how many board members are there", "how many board members are there");
        check("graph by size", "graph by size");
    }
}
