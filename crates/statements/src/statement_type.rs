//! The numbers by which drivers know what a statement is: they decide whether it has rows and how many it has changed. Read from
//! the first words of its text, as records have nothing else.

/// As drivers have it: `0x1000` for a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementType(pub u32);

impl StatementType {
    pub const SELECT: Self = Self(0x1000);
    pub const SET: Self = Self(0xA000);

    pub fn of(text: &str) -> Self {
        let mut words = Words(text);
        let Some(first) = words.next() else { return Self(0) };
        Self(match first.as_str() {
            "SELECT" | "WITH" | "VALUES" | "(" => 0x1000,
            "EXPLAIN" => 0x2000,
            "INSERT" => match words.next().as_deref() {
                Some("ALL" | "FIRST") => 0x3500,
                Some("OVERWRITE") if matches!(words.next().as_deref(), Some("ALL" | "FIRST")) => 0x3500,
                _ => 0x3100,
            },
            "UPDATE" => 0x3200,
            "DELETE" => 0x3300,
            "MERGE" => 0x3400,
            "COPY" => match (words.next(), words.next()) {
                (_, Some(target)) if target == "@" || target.starts_with('\'') => 0x3700,
                _ => 0x3600,
            },
            "ALTER" => match words.next().as_deref() {
                Some("SESSION") => 0x4100,
                Some("USER") if words.any(|word| word == "PROGRAMMATIC" || word == "PAT") => 0x6244,
                _ => 0x6000,
            },
            "USE" => match words.next().as_deref() {
                Some("DATABASE") => 0x4301,
                Some("SCHEMA") => 0x4302,
                Some("WAREHOUSE") => 0x4303,
                _ => 0x4300,
            },
            "SHOW" => 0x4400,
            "DESCRIBE" | "DESC" => 0x4500,
            "LIST" | "LS" => 0x4701,
            "BEGIN" => match words.next().as_deref() {
                None | Some("TRANSACTION" | "WORK" | "NAME" | ";") => 0x5000,
                Some(_) => 0x9000,
            },
            "START" | "ROLLBACK" => 0x5000,
            "COMMIT" => 0x5100,
            "CREATE" | "DROP" | "UNDROP" | "TRUNCATE" | "COMMENT" | "GRANT" | "REVOKE" => 0x6000,
            "GET" => 0x7101,
            "PUT" => 0x7102,
            "REMOVE" | "RM" => 0x7103,
            "CALL" | "DECLARE" | "EXECUTE" => 0x9000,
            _ => 0x4000,
        })
    }

    /// PUT and GET.
    pub fn carries_files(self) -> bool {
        matches!(self.0, 0x7101 | 0x7102)
    }

    /// Whether its only row says how many rows were changed.
    pub fn counts_rows(self) -> bool {
        (0x3000..=0x3500).contains(&self.0)
    }
}

/// The words of a text in upper case, signs one by one; comments are none.
struct Words<'text>(&'text str);

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        self.0 = behind_comments(self.0);
        let first = self.0.chars().next()?;
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let end = match is_word(first) {
            true => self.0.find(|character| !is_word(character)).unwrap_or(self.0.len()),
            false => first.len_utf8(),
        };
        let (word, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(word.to_uppercase())
    }
}

fn behind_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let end = if rest.starts_with("--") || rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 1)
        } else {
            return rest;
        };
        rest = end.map_or("", |end| rest[end + 1..].trim_start());
    }
}

#[cfg(test)]
mod tests {
    use super::StatementType;

    #[test]
    fn the_first_words_tell() {
        let cases = [
            ("select 1", 0x1000),
            ("/* a */ -- b\n (select 1)", 0x1000),
            ("with a as (select 1) select * from a", 0x1000),
            ("insert into t values (1)", 0x3100),
            ("INSERT /* x */ ALL into t", 0x3500),
            ("insert overwrite into t select 1", 0x3100),
            ("update t set a = 1", 0x3200),
            ("copy into t from @s", 0x3600),
            ("copy into @s from t", 0x3700),
            ("copy into 's3://bucket/' from t", 0x3700),
            ("begin", 0x5000),
            ("begin /* of it */ transaction", 0x5000),
            ("begin select 1; end", 0x9000),
            ("commit;", 0x5100),
            ("alter session set timezone = 'UTC'", 0x4100),
            ("alter user u add programmatic access token t", 0x6244),
            ("alter table t add a int", 0x6000),
            ("use schema s", 0x4302),
            ("show /* of it */ tables", 0x4400),
            ("create table t as select 1", 0x6000),
            ("set a = 1", 0x4000),
            ("", 0),
        ];
        for (text, expected) in cases {
            assert_eq!(StatementType::of(text), StatementType(expected), "{text}");
        }
    }
}
