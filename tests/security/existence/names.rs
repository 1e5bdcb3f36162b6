//! The names that are asked about: of hidden objects and of missing ones, all of the same length.

use std::fmt;

/// A kind of object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Database,
    Schema,
    Table,
    View,
    Sequence,
    Stage,
    FileFormat,
    Function,
    Procedure,
    MaskingPolicy,
    RowAccessPolicy,
    PasswordPolicy,
    SessionPolicy,
    AuthenticationPolicy,
    Tag,
    SemanticView,
    Warehouse,
    User,
    Role,
    Integration,
    NetworkPolicy,
    ResourceMonitor,
}

/// Each kind with its word and the name of the hidden object.
const KINDS: [(Kind, &str, &str); 22] = [
    (Kind::Database, "database", "HID_DAT"),
    (Kind::Schema, "schema", "HID_SCH"),
    (Kind::Table, "table", "HID_TAB"),
    (Kind::View, "view", "HID_VIE"),
    (Kind::Sequence, "sequence", "HID_SEQ"),
    (Kind::Stage, "stage", "HID_STA"),
    (Kind::FileFormat, "file format", "HID_FOR"),
    (Kind::Function, "function", "HID_FUN"),
    (Kind::Procedure, "procedure", "HID_PRO"),
    (Kind::MaskingPolicy, "masking policy", "HID_MAP"),
    (Kind::RowAccessPolicy, "row access policy", "HID_RAP"),
    (Kind::PasswordPolicy, "password policy", "HID_PWP"),
    (Kind::SessionPolicy, "session policy", "HID_SEP"),
    (Kind::AuthenticationPolicy, "authentication policy", "HID_AUP"),
    (Kind::Tag, "tag", "HID_TAG"),
    (Kind::SemanticView, "semantic view", "HID_SEM"),
    (Kind::Warehouse, "warehouse", "HID_WAR"),
    (Kind::User, "user", "HID_USE"),
    (Kind::Role, "role", "HID_ROL"),
    (Kind::Integration, "integration", "HID_INT"),
    (Kind::NetworkPolicy, "network policy", "HID_NET"),
    (Kind::ResourceMonitor, "resource monitor", "HID_RES"),
];

/// No two of these have the same name in one schema: a statement about one kind may find an object of another.
const ONE_NAMESPACE: [Kind; 4] = [Kind::Table, Kind::View, Kind::Sequence, Kind::SemanticView];

/// A table, a schema and a database that were dropped and can come back.
pub const DROPPED: [&str; 3] = ["HID_DRT", "HID_DRS", "HID_DRD"];
const MISSING: [&str; 4] = ["MIS_OBJ", "MIS_SCH", "MIS_DAT", "MIS_ACC"];

impl Kind {
    pub fn of(word: &str) -> Self {
        let found = KINDS.iter().find(|(_, known, _)| *known == word);
        found.unwrap_or_else(|| panic!("{word} is no kind of object")).0
    }

    fn known(self) -> &'static (Self, &'static str, &'static str) {
        &KINDS[self as usize]
    }

    pub fn hidden(self) -> &'static str {
        self.known().2
    }

    fn is_in_schema(self) -> bool {
        (Self::Table as usize..=Self::SemanticView as usize).contains(&(self as usize))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.known().1)
    }
}

/// Names whose answers must be the same.
pub struct Question {
    pub place: &'static str,
    pub names: Vec<String>,
}

pub fn questions(kind: Kind) -> Vec<Question> {
    let question = |place, names: &[String]| Question { place, names: names.to_vec() };
    let plain = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let within = |parent: &str, names: &[&str]| names.iter().map(|name| format!("{parent}.{name}")).collect::<Vec<_>>();
    let [object, schema, database, account] = MISSING;
    let [dropped_object, dropped_schema, dropped_database] = DROPPED;
    let hidden = kind.hidden();
    match kind {
        Kind::Database => vec![question("account", &plain(&[hidden, dropped_database, database]))],
        Kind::Schema => {
            let names = [hidden, dropped_schema, schema];
            let hidden_parents = [within("HID_DAT", &[hidden, schema]), within(database, &[hidden])].concat();
            vec![
                question("unqualified", &plain(&names)),
                question("visible database", &within("SEEN", &names)),
                question("hidden database", &[hidden_parents, within(dropped_database, &[hidden])].concat()),
            ]
        }
        _ if kind.is_in_schema() => {
            let mut visible = vec![hidden, dropped_object, object];
            visible.extend(ONE_NAMESPACE.iter().filter(|other| **other != kind).map(|other| other.hidden()));
            let schemas =
                [within("HID_SCH", &[hidden, object]), within(schema, &[hidden]), within(dropped_schema, &[hidden])];
            let databases = [
                within("HID_DAT.HID_SCH", &[hidden, object]),
                within(&format!("HID_DAT.{schema}"), &[hidden]),
                within(&format!("{database}.HID_SCH"), &[hidden]),
                within(&format!("{dropped_database}.HID_SCH"), &[hidden]),
            ];
            vec![
                question("unqualified", &plain(&[hidden, object])),
                question("visible schema", &within("SEEN.OPENED", &visible)),
                question("hidden schema", &schemas.concat()),
                question("hidden database", &databases.concat()),
            ]
        }
        _ => vec![question("account", &plain(&[hidden, account]))],
    }
}

/// A text with the names that are asked about, and those that were made up for the statement, replaced.
pub fn masked(text: &str) -> String {
    let mut text = text.to_owned();
    let hidden = KINDS.iter().map(|(_, _, name)| *name);
    for name in hidden.chain(DROPPED).chain(MISSING) {
        text = text.replace(name, "#").replace(&name.to_lowercase(), "#");
    }
    let mut pieces = text.split('N');
    let mut masked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let is_made_up = piece.len() >= 6 && piece.bytes().take(6).all(|byte| byte.is_ascii_digit());
        masked.push_str(if is_made_up { "new" } else { "N" });
        masked.push_str(if is_made_up { &piece[6..] } else { piece });
    }
    masked
}
