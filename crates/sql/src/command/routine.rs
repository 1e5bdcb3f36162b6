//! Functions, procedures, policies and tags as CREATE declares them.

use super::{PolicyReference, PolicyUse, TagDefinition};
use crate::data_types::DataType;
use crate::names::ObjectName;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoutineKind {
    Function,
    Procedure,
    /// A function that the server calls where a column with it is read.
    MaskingPolicy,
    /// A function that the server calls for each row of a table with it.
    RowAccessPolicy,
    /// It is not called: its objects have values for it.
    Tag,
}

impl RoutineKind {
    pub fn word(self) -> &'static str {
        match self {
            Self::Function => "FUNCTION",
            Self::Procedure => "PROCEDURE",
            Self::MaskingPolicy => "MASKING POLICY",
            Self::RowAccessPolicy => "ROW ACCESS POLICY",
            Self::Tag => "TAG",
        }
    }

    /// As status texts write it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Function => "Function",
            Self::Procedure => "Procedure",
            Self::MaskingPolicy => "Masking policy",
            Self::RowAccessPolicy => "Row access policy",
            Self::Tag => "Tag",
        }
    }

    pub const EVERY: [Self; 5] =
        [Self::Function, Self::Procedure, Self::MaskingPolicy, Self::RowAccessPolicy, Self::Tag];

    pub fn of_word(word: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether several of one name differ in their parameters.
    pub fn is_overloaded(self) -> bool {
        matches!(self, Self::Function | Self::Procedure)
    }

    /// Policies are called by the server alone.
    pub fn is_policy(self) -> bool {
        matches!(self, Self::MaskingPolicy | Self::RowAccessPolicy)
    }
}

#[derive(Clone, Debug)]
pub struct Routine {
    pub kind: RoutineKind,
    pub name: ObjectName,
    pub parameters: Vec<Parameter>,
    pub returns: Returns,
    pub body: String,
    pub comment: Option<String>,
    pub secure: bool,
    /// NULL for any argument gives NULL, or no rows.
    pub strict: bool,
    /// The function is declared deterministic; recorded and shown only.
    pub memoizable: bool,
    pub rights: Rights,
    /// Of a masking policy: other policies may get the columns that it masks.
    pub exempt_other_policies: bool,
    /// Of a policy: the databases that its body reads, as they were when it was written; `None` if an older version wrote it.
    pub databases: Option<Vec<NamedDatabase>>,
    /// Of a tag.
    pub tag: TagDefinition,
}

/// A database by its name and by its identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedDatabase {
    pub name: String,
    pub id: i64,
    pub owner: String,
}

/// Which way an argument goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    In,
    /// The caller's variable gets the value that the parameter has in the end.
    Out,
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub direction: Direction,
    pub data_type: DataType,
    /// The text of its default.
    pub default: Option<String>,
}

#[derive(Clone, Debug)]
pub enum Returns {
    Value(DataType),
    Table(Vec<(String, DataType)>),
}

/// Whose role a procedure runs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    Owner,
    Caller,
}

#[derive(Clone, Debug)]
pub enum RoutineChange {
    Rename(ObjectName),
    SetComment(Option<String>),
    SetSecure(bool),
    SetRights(Rights),
    /// Of a policy. The databases are those that were looked up.
    SetBody(String, Vec<NamedDatabase>),
    /// Of a tag, as all that follow.
    SetAllowedValues(Vec<String>),
    AddAllowedValues(Vec<String>),
    DropAllowedValues(Vec<String>),
    UnsetAllowedValues,
    SetTagPolicies {
        policies: Vec<PolicyUse>,
        /// FORCE: takes the place of another policy for the same type.
        force: bool,
        /// Those whose places are taken, once they were looked up.
        replaced: Vec<PolicyReference>,
    },
    UnsetTagPolicies(Vec<PolicyUse>),
}

impl Routine {
    /// With the defaults of all that its clauses may say.
    pub fn new(kind: RoutineKind, name: ObjectName, parameters: Vec<Parameter>, returns: Returns) -> Self {
        Self {
            kind,
            name,
            parameters,
            returns,
            body: String::new(),
            comment: None,
            secure: false,
            strict: false,
            memoizable: false,
            rights: Rights::Owner,
            exempt_other_policies: false,
            databases: None,
            tag: TagDefinition::default(),
        }
    }

    /// Whether the body is its owner's alone: it is secure, or a procedure that runs with its owner's rights.
    pub fn hides_body(&self) -> bool {
        self.secure || (self.kind == RoutineKind::Procedure && self.rights == Rights::Owner)
    }

    /// Two routines of one name differ in the types of their parameters, without lengths.
    pub fn signature(&self) -> String {
        signature(self.parameters.iter().map(|parameter| &parameter.data_type))
    }

    pub fn parameters_without_default(&self) -> usize {
        self.parameters.iter().filter(|parameter| parameter.default.is_none()).count()
    }
}

/// `NUMBER, VARCHAR`.
pub fn signature<'a>(types: impl Iterator<Item = &'a DataType>) -> String {
    types.map(type_word).collect::<Vec<_>>().join(", ")
}

pub fn type_word(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Number { .. } | DataType::Integer => "NUMBER",
        DataType::Float => "FLOAT",
        DataType::Varchar { .. } => "VARCHAR",
        DataType::Boolean => "BOOLEAN",
        DataType::Date => "DATE",
        DataType::Time { .. } => "TIME",
        DataType::TimestampNtz { .. } => "TIMESTAMP_NTZ",
        DataType::TimestampLtz { .. } => "TIMESTAMP_LTZ",
        DataType::TimestampTz { .. } => "TIMESTAMP_TZ",
        DataType::Binary { .. } => "BINARY",
        DataType::Variant => "VARIANT",
        DataType::Object => "OBJECT",
        DataType::Array => "ARRAY",
        DataType::Geography => "GEOGRAPHY",
        DataType::Geometry => "GEOMETRY",
        DataType::Vector { .. } => "VECTOR",
        DataType::Structured(structured) => structured.outermost(),
    }
}
