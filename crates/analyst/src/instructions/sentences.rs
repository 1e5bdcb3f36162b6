//! Cuts a text of instructions into sentences.

/// The sentences of a text, without bullets, numbers in front and closing marks.
pub(super) fn sentences(text: &str) -> Vec<String> {
    text.lines().flat_map(of_line).collect()
}

fn of_line(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut start = 0;
    let characters: Vec<(usize, char)> = line.char_indices().collect();
    for (at, (position, character)) in characters.iter().enumerate() {
        let next_is_space = characters.get(at + 1).is_none_or(|(_, next)| next.is_whitespace());
        if matches!(character, '.' | ';' | '!') && next_is_space && !is_abbreviated(&line[start..*position]) {
            found.push(&line[start..*position]);
            start = position + character.len_utf8();
        }
    }
    found.push(&line[start..]);
    found.into_iter().map(without_bullet).filter(|sentence| !sentence.is_empty()).map(str::to_owned).collect()
}

fn is_abbreviated(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    matches!(last.as_str(), "e.g" | "i.e" | "etc" | "vs") || last.parse::<u32>().is_ok() && before.trim() == last
}

fn without_bullet(sentence: &str) -> &str {
    let plain = sentence.trim().trim_start_matches(['-', '*', '•', '#']).trim_start();
    let digits = plain.trim_start_matches(|character: char| character.is_ascii_digit());
    match digits.strip_prefix(['.', ')']) {
        Some(rest) if digits.len() < plain.len() => rest.trim(),
        _ => plain.trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::sentences;

    #[test]
    fn sentences_end_at_marks_and_lines() {
        let check = |text: &str, expected: &[&str]| assert_eq!(sentences(text), expected, "{text}");
        check("Use 2.5 as rate. Round!", &["Use 2.5 as rate", "Round"]);
        check("1. First\n2) Second, e.g. this\n\n- Third; fourth", &["First", "Second, e.g. this", "Third", "fourth"]);
        check("  \n", &[]);
    }
}
