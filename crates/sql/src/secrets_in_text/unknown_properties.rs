//! The values of unknown properties in statements that define users, integrations, stages, secrets, external volumes and kinds of
//! objects that there are not: a misspelt `PASSWRD` has a secret too. Such a statement fails, so nothing is lost where a value was
//! none. In definitions of other kinds, the values of properties that are named like secrets.

use std::ops::Range;

use super::{arguments_behind, begins_with_word, behind_signs, double_quoted_end, quoted_value, value_behind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Definition {
    User,
    Integration,
    Stage,
    Secret,
    Volume,
    /// A kind that there is not, such as `USR`.
    Unknown,
    /// A kind whose properties are no secrets by themselves.
    Other,
    /// `CREDENTIALS = ( … )` and `ENCRYPTION = ( … )` of any statement.
    Credentials,
}

const CREDENTIALS: [&str; 2] = ["CREDENTIALS", "ENCRYPTION"];
/// Words that begin the kinds whose definitions have no secrets.
const OTHER_KINDS: &str = "ACCOUNT AGGREGATION ALERT APPLICATION AUTHENTICATION COLUMN COMPUTE CONNECTION CORTEX DATA DATABASE \
    DYNAMIC EVENT EXTERNAL FAILOVER FILE FUNCTION GIT GLOBAL HYBRID ICEBERG IMAGE INTERACTIVE LOCAL MANAGED MASKING MATERIALIZED \
    MODEL NETWORK NOTEBOOK ORGANIZATION PACKAGES PASSWORD PIPE PRIVACY PROCEDURE PROJECTION RECURSIVE REPLICATION RESOURCE ROLE \
    ROW SCHEMA SECURE SEMANTIC SEQUENCE SERVICE SESSION SHARE SNAPSHOT STREAM STREAMLIT TABLE TAG TASK TRANSIENT TYPE VIEW \
    VOLATILE WAREHOUSE";

/// Their values are shown. Names end with a `*` that stands for any end.
const OF_USERS: &str = "LOGIN_NAME DISPLAY_NAME FIRST_NAME MIDDLE_NAME LAST_NAME EMAIL COMMENT TYPE DISABLED \
    MUST_CHANGE_PASSWORD DAYS_TO_EXPIRY MINS_TO_* DEFAULT_* RSA_PUBLIC_KEY RSA_PUBLIC_KEY_2 NETWORK_POLICY ROLE_RESTRICTION \
    EXPIRE_ROTATED_TOKEN_AFTER_HOURS ALLOWED_* \
    ABORT_DETACHED_QUERY AUTOCOMMIT BINARY_* CLIENT_MEMORY_LIMIT CLIENT_METADATA_* CLIENT_PREFETCH_THREADS CLIENT_RESULT_* \
    CLIENT_SESSION_* CLIENT_TIMESTAMP_* DATE_* ERROR_ON_* GEOGRAPHY_* GEOMETRY_* JSON_INDENT LOCK_TIMEOUT LOG_LEVEL METRIC_LEVEL \
    MULTI_STATEMENT_COUNT QUERY_TAG QUOTED_* ROWS_PER_RESULTSET STATEMENT_* STRICT_JSON_OUTPUT TIMESTAMP_* TIMEZONE TIME_* \
    TRACE_LEVEL TRANSACTION_* TWO_DIGIT_* USE_CACHED_RESULT WEEK_*";
const OF_INTEGRATIONS: &str = "TYPE ENABLED COMMENT EXTERNAL_OAUTH_TYPE EXTERNAL_OAUTH_ISSUER EXTERNAL_OAUTH_JWS_KEYS_URL \
    EXTERNAL_OAUTH_RSA_* EXTERNAL_OAUTH_AUDIENCE_LIST EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM \
    EXTERNAL_OAUTH_SNOWFLAKE_USER_MAPPING_ATTRIBUTE EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE EXTERNAL_OAUTH_ALLOWED_ROLES_LIST \
    EXTERNAL_OAUTH_BLOCKED_ROLES_LIST EXTERNAL_OAUTH_ANY_ROLE_MODE EXTERNAL_OAUTH_SCOPE_* \
    EXTERNAL_OAUTH_ADD_PRIVILEGED_ROLES_TO_BLOCKED_LIST NETWORK_POLICY STORAGE_PROVIDER STORAGE_AWS_ROLE_ARN \
    STORAGE_ALLOWED_LOCATIONS STORAGE_BLOCKED_LOCATIONS API_PROVIDER API_ALLOWED_PREFIXES API_BLOCKED_PREFIXES";
const OF_STAGES: &str = "URL ENDPOINT STORAGE_INTEGRATION FILE_FORMAT COPY_OPTIONS DIRECTORY COMMENT TYPE";
const OF_SECRETS: &str = "TYPE COMMENT ENABLED ALGORITHM USERNAME OAUTH_SCOPES";
const OF_CREDENTIALS: &str = "AWS_ROLE TYPE KMS_KEY_ID";
const OF_VOLUMES: &str = "ALLOW_WRITES COMMENT";
const OF_UNKNOWN: &str = "COMMENT TYPE ENABLED";

/// In the order of the text.
pub(super) fn values(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut position, mut counted_until) = (0, 0);
    let mut quotes = Quotes::default();
    while let Some((start, definition)) = next_definition(text, position) {
        quotes.count(&text[counted_until..start]);
        counted_until = start;
        let mut scan = Scan { text, definition, enclosing: quotes.enclosing(), found: &mut found };
        position = scan.properties(start);
    }
    found
}

/// Where the properties of the next definition begin.
fn next_definition(text: &str, from: usize) -> Option<(usize, Definition)> {
    let bytes = text.as_bytes();
    (from..bytes.len()).find_map(|position| {
        if !matches!(bytes[position], b'C' | b'c' | b'A' | b'a' | b'E' | b'e') {
            return None;
        }
        if let Some(name) = CREDENTIALS.into_iter().find(|name| begins_with_word(bytes, position, name)) {
            let value = behind_signs(&text[position + name.len()..]);
            return value.starts_with('(').then(|| (text.len() - value.len() + 1, Definition::Credentials));
        }
        let verb = ["CREATE", "ALTER"].into_iter().find(|verb| begins_with_word(bytes, position, verb))?;
        let before = text[..position].trim_end();
        let begins_statement = before.is_empty() || before.ends_with(';');
        defined(text, position + verb.len(), begins_statement)
    })
}

fn defined(text: &str, behind_verb: usize, begins_statement: bool) -> Option<(usize, Definition)> {
    const BEFORE_KIND: [&str; 12] = [
        "OR",
        "REPLACE",
        "SCOPED",
        "TEMPORARY",
        "TEMP",
        "SECURITY",
        "STORAGE",
        "API",
        "NOTIFICATION",
        "CATALOG",
        "EXTERNAL",
        "ACCESS",
    ];
    let mut rest = &text[behind_verb..];
    loop {
        rest = behind_signs(rest);
        let length = rest.find(|c: char| !is_part_of_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        let is = |other: &str| word.eq_ignore_ascii_case(other);
        rest = behind;
        let definition = match () {
            () if is("USER") => Definition::User,
            () if is("INTEGRATION") => Definition::Integration,
            () if is("STAGE") => Definition::Stage,
            () if is("SECRET") => Definition::Secret,
            () if is("VOLUME") => Definition::Volume,
            () if BEFORE_KIND.iter().any(|known| is(known)) => continue,
            () if word.is_empty() || !begins_statement => return None,
            () if OTHER_KINDS.split_whitespace().any(is) => Definition::Other,
            () => Definition::Unknown,
        };
        return Some((text.len() - rest.len(), definition));
    }
}

/// The text that a definition is part of ends with its quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    Nothing,
    Quotes,
    Dollars,
}

/// Which quotes are open at a place, as far as one can tell without parsing.
#[derive(Default)]
struct Quotes {
    in_dollars: bool,
    in_quotes: bool,
}

impl Quotes {
    fn count(&mut self, text: &str) {
        let mut bytes = text.bytes().peekable();
        while let Some(byte) = bytes.next() {
            if byte == b'$' && bytes.next_if_eq(&b'$').is_some() {
                self.in_dollars = !self.in_dollars;
                self.in_quotes = false;
            } else if byte == b'\'' {
                self.in_quotes = !self.in_quotes;
            }
        }
    }

    fn enclosing(&self) -> Enclosing {
        match (self.in_dollars, self.in_quotes) {
            (true, _) => Enclosing::Dollars,
            (false, true) => Enclosing::Quotes,
            (false, false) => Enclosing::Nothing,
        }
    }
}

struct Scan<'a> {
    text: &'a str,
    definition: Definition,
    enclosing: Enclosing,
    found: &'a mut Vec<Range<usize>>,
}

impl Scan<'_> {
    /// Finds values from here on, and returns where the definition ends.
    fn properties(&mut self, from: usize) -> usize {
        let mut position = self.behind_name_as_text(from);
        loop {
            let rest = super::behind_signs_of(&self.text[position..], ",=");
            position = self.text.len() - rest.len();
            let Some(first) = rest.chars().next() else { return position };
            if first == ';' || self.definition == Definition::Credentials && first == ')' || self.ends_enclosing(rest) {
                return position + 1;
            }
            position = match first {
                '"' => {
                    let end = double_quoted_end(self.text, position + 1);
                    self.property(position + 1..end, (end + 1).min(self.text.len()))
                }
                '\'' => self.value(position, self.unnamed()),
                '$' if rest.starts_with("$$") => self.value(position, self.unnamed()),
                _ if is_part_of_word(first) => {
                    let length = rest.find(|c: char| !is_part_of_word(c)).unwrap_or(rest.len());
                    let word = position..position + length;
                    if self.definition == Definition::Other && is_one_of(&rest[..length], &["AS", "SELECT"]) {
                        return word.end;
                    }
                    if rest[..length].eq_ignore_ascii_case("TAG") {
                        match tags_end(self.text, word.end) {
                            Some(end) => end,
                            // The rest of SET TAG and UNSET TAG.
                            None => return word.end,
                        }
                    } else {
                        self.property(word.clone(), word.end)
                    }
                }
                other => position + other.len_utf8(),
            };
        }
    }

    /// `CREATE USER 'u'` fails at a name that is no secret.
    fn behind_name_as_text(&mut self, from: usize) -> usize {
        let name = behind_signs(&self.text[from..]);
        let is_name =
            self.definition != Definition::Credentials && name.starts_with('\'') && !self.ends_enclosing(name);
        if is_name { self.value(self.text.len() - name.len(), Shown::Yes) } else { from }
    }

    /// Whether a value that no property has is shown.
    fn unnamed(&self) -> Shown {
        if self.definition == Definition::Other { Shown::Yes } else { Shown::No }
    }

    /// Goes past a name and its value, if it has one.
    fn property(&mut self, name: Range<usize>, behind: usize) -> usize {
        let rest = &self.text[behind..];
        let value = behind_signs(rest);
        let start = self.text.len() - value.len();
        let is_assigned = self.text[behind..start].contains('=');
        let is_literal = value.starts_with('\'') || value.starts_with("$$");
        if value.is_empty() || self.ends_enclosing(value) || !(is_assigned || is_literal) {
            return behind;
        }
        let written = &self.text[name.clone()];
        let is_credentials =
            CREDENTIALS.iter().any(|known| written.eq_ignore_ascii_case(known)) && value.starts_with('(');
        if is_credentials && self.definition == Definition::Stage {
            let around = std::mem::replace(&mut self.definition, Definition::Credentials);
            let end = self.properties(start + 1);
            self.definition = around;
            return end;
        }
        let is_plain = self.definition == Definition::Other && !is_named_as_secret(written);
        if is_plain || is_shown(self.definition, written) {
            return self.value(start, Shown::Yes);
        }
        match value_behind(self.text, name) {
            Some(hidden) => {
                let end = hidden.end;
                self.found.push(hidden);
                behind_closing(self.text, start, end)
            }
            None => start + value.chars().next().map_or(0, char::len_utf8),
        }
    }

    /// Goes past a value.
    fn value(&mut self, start: usize, shown: Shown) -> usize {
        let value = &self.text[start..];
        let hidden = if let Some(quoted) = value.strip_prefix("$$") {
            start + 2..quoted.find("$$").map_or(self.text.len(), |end| start + 2 + end)
        } else if value.starts_with('\'') && self.enclosing != Enclosing::Quotes {
            start + 1..literal_end(self.text.as_bytes(), start + 1)
        } else if value.starts_with('\'') {
            quoted_value(self.text, start)
        } else if value.starts_with('(') {
            arguments_behind(self.text, start).unwrap_or(start + 1..start + 1)
        } else if value.starts_with('"') {
            start + 1..double_quoted_end(self.text, start + 1)
        } else {
            let length = value.find(|c: char| c.is_whitespace() || ",();'".contains(c)).unwrap_or(value.len());
            return start + length.max(1);
        };
        let end = hidden.end;
        if shown == Shown::No && !hidden.is_empty() {
            self.found.push(hidden);
        }
        behind_closing(self.text, start, end)
    }

    fn ends_enclosing(&self, rest: &str) -> bool {
        match self.enclosing {
            Enclosing::Nothing => false,
            Enclosing::Dollars => rest.starts_with("$$"),
            Enclosing::Quotes => rest.bytes().take_while(|byte| *byte == b'\'').count() == 1,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Yes,
    No,
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn is_shown(definition: Definition, name: &str) -> bool {
    let shown = match definition {
        Definition::User => OF_USERS,
        Definition::Integration => OF_INTEGRATIONS,
        Definition::Stage => OF_STAGES,
        Definition::Secret => OF_SECRETS,
        Definition::Credentials => OF_CREDENTIALS,
        Definition::Volume => OF_VOLUMES,
        Definition::Unknown | Definition::Other => OF_UNKNOWN,
    };
    shown.split_whitespace().any(|known| match known.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|given| given.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(known),
    })
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn is_named_as_secret(name: &str) -> bool {
    const ENDS: [&str; 6] = ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "CREDENTIAL", "PASSPHRASE"];
    let name = name.to_ascii_uppercase();
    name != "MUST_CHANGE_PASSWORD" && ENDS.iter().any(|end| name.ends_with(end))
}

/// Behind the parentheses of `TAG ( … )`.
fn tags_end(text: &str, from: usize) -> Option<usize> {
    let tags = arguments_behind(text, from)?;
    Some((tags.end + 1).min(text.len()))
}

/// Where the value of a literal ends.
fn literal_end(bytes: &[u8], start: usize) -> usize {
    let mut position = start;
    while position < bytes.len() {
        match bytes[position] {
            b'\\' => position += 2,
            b'\'' if bytes.get(position + 1) == Some(&b'\'') => position += 2,
            b'\'' => return position,
            _ => position += 1,
        }
    }
    bytes.len()
}

/// Behind the quotes or the parenthesis that close a value.
fn behind_closing(text: &str, open: usize, end: usize) -> usize {
    let quotes = text[open..].bytes().take_while(|byte| *byte == b'\'').count();
    let rest = &text[end..];
    end + match rest.chars().next() {
        Some('\'') => rest.bytes().take(quotes.max(1)).take_while(|byte| *byte == b'\'').count(),
        Some('$') if rest.starts_with("$$") => 2,
        Some(')' | '"') => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::hidden;

    fn check(text: &str, expected: &str) {
        assert_eq!(hidden(text), expected);
    }

    #[test]
    fn values_of_misspelt_properties_are_hidden() {
        for (text, expected) in [
            ("create user u passwrd = 'p' comment = 'c'", "create user u passwrd = '****' comment = 'c'"),
            (
                "CREATE OR REPLACE USER IF NOT EXISTS \"U\" PASWORD='p', EMAIL = 'a@b'",
                "CREATE OR REPLACE USER IF NOT EXISTS \"U\" PASWORD='****', EMAIL = 'a@b'",
            ),
            ("alter user u set passwrd = $$p$$ x = 1", "alter user u set passwrd = $$****$$ x = ****"),
            ("alter user u set \"Passwrd\" = 'p'", "alter user u set \"Passwrd\" = '****'"),
            ("create user u passwrd 'p'", "create user u passwrd '****'"),
            ("create user u passwrd = p1 type = person", "create user u passwrd = **** type = person"),
            ("create user u passwrd = \"p\"", "create user u passwrd = \"****\""),
            ("create user u ('p')", "create user u ('****')"),
            ("create user u comment = '''c'' d' passwrd = 'p'", "create user u comment = '''c'' d' passwrd = '****'"),
            ("create user u comment = '' passwrd = 'p'", "create user u comment = '' passwrd = '****'"),
            (
                "create user u tag (a.b.cost = 'high') passwrd = 'p'",
                "create user u tag (a.b.cost = 'high') passwrd = '****'",
            ),
            ("create /* a */ user u -- 'c'\n passwrd = 'p'", "create /* a */ user u -- 'c'\n passwrd = '****'"),
            (
                "select 1; create user u passwrd = 'p'; select 'q' as r",
                "select 1; create user u passwrd = '****'; select 'q' as r",
            ),
            (
                "execute immediate 'create user u passwrd = ''p'' comment = ''c'''",
                "execute immediate 'create user u passwrd = ''****'' comment = ''c'''",
            ),
            ("execute immediate $$create user u passwrd = 'p'$$", "execute immediate $$create user u passwrd = '****"),
            (
                "begin execute immediate 'drop user u; create user u'; return 'done'; end",
                "begin execute immediate 'drop user u; create user u'; return 'done'; end",
            ),
            (
                "create security integration i type = external_oauth client_secrt = 's' enabled = true",
                "create security integration i type = external_oauth client_secrt = '****' enabled = true",
            ),
            (
                "create stage s url = 's3://b' credentials = (aws_keyid = 'k' aws_role = 'r') comment = 'c'",
                "create stage s url = 's3://b' credentials = (aws_keyid = '****' aws_role = 'r') comment = 'c'",
            ),
            (
                "create stage s url = 's3://b' credentals = (aws_key_id = 'k')",
                "create stage s url = 's3://b' credentals = (****)",
            ),
            (
                "copy into t from 's3://b' credentials = (aws_keyid = 'k') pattern = 'p'",
                "copy into t from 's3://b' credentials = (aws_keyid = '****') pattern = 'p'",
            ),
            (
                "create secret s type = password username = 'u' pasword = 'p'",
                "create secret s type = password username = 'u' pasword = '****'",
            ),
            (
                "create stage s encryption = (type = 'AWS_CSE' mastr_key = 'k') comment = 'c'",
                "create stage s encryption = (type = 'AWS_CSE' mastr_key = '****') comment = 'c'",
            ),
            (
                "copy into 's3://b' from t encryption = (mastr_key = 'k') header = true",
                "copy into 's3://b' from t encryption = (mastr_key = '****') header = true",
            ),
            (
                "create external volume v storage_locations = ((name = 'n' aws_secret = 's')) comment = 'c'",
                "create external volume v storage_locations = (****) comment = 'c'",
            ),
            ("create usr u passwrd = 'p' comment = 'c'", "create usr u passwrd = '****' comment = 'c'"),
            ("select 1; alter usr u set passwrd = 'p'", "select 1; alter usr u set passwrd = '****'"),
        ] {
            check(text, expected);
        }
    }

    /// Every step goes on behind the one before.
    #[test]
    fn a_text_of_many_definitions_is_read_once() {
        for part in
            ["create user;", "alter user u set x = ", "create user u tag (", "create user u x = '", "credentials = ("]
        {
            let text = part.repeat(100_000);
            assert!(hidden(&text).len() <= text.len() + 4 * 100_000, "{part}");
        }
    }

    #[test]
    fn other_values_are_shown() {
        for text in [
            "create user u login_name = 'l' email='e' default_secondary_roles = ('ALL') rsa_public_key = 'MIIB' timezone = 'UTC'",
            "alter user u set tag a.b.cost = 'high', a.b.kind = 'x'",
            "alter user u add programmatic access token t role_restriction = 'r' days_to_expiry = 3 comment = 'c'",
            "alter user u rename to v",
            "create user 'u' comment = 'c'",
            "alter user u unset email",
            "create stage s file_format = (type = csv field_delimiter = '|') directory = (enable = true)",
            "create table t (user varchar default 'x', create_user varchar default 'y')",
            "select 'a' as user, 'alter' as b from t where user = 'c'",
            "create warehouse w comment = 'user x = y'",
            "show users like 'u'",
            "create stage s encryption = (type = 'SNOWFLAKE_SSE')",
            "create or replace transient table t (a int) data_retention_time_in_days = 3",
            "create file format f type = csv field_delimiter = '|'",
            "alter session set query_tag = 'x'",
            "create function f() returns varchar language sql as 'select 1'",
            "select create_thing(a = 'b')",
        ] {
            check(text, text);
        }
    }
}
