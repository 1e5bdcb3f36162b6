//! What databases, schemas and roles can be told.

/// What a schema says of itself beside its name. The tables of a transient schema are transient.
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
    /// For how many days what is dropped is kept; `None` goes back to what is said further up.
    SetRetention(Option<u8>),
}
