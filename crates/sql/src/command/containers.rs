//! Properties of databases, schemas and roles that CREATE and ALTER set.

use super::TagChange;

/// Options of CREATE SCHEMA. The tables of a transient schema are transient.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SchemaOptions {
    pub transient: bool,
    pub managed_access: bool,
}

#[derive(Clone, Debug)]
pub enum ContainerChange {
    Rename(String),
    /// Each gets the other's name; both are databases, or schemas of one database.
    SwapWith(String),
    /// Of a schema.
    SetManagedAccess(bool),
    SetComment(Option<String>),
    /// For how many days dropped objects are retained; `None` inherits the value of the parent.
    SetRetention(Option<u8>),
    SetTags(Vec<TagChange>),
}
