//! The queries whose types the binder cannot know, each with its reason.

#[derive(Debug)]
pub struct Exception {
    file: &'static str,
    /// Words of the statement that no other one of the file has.
    sql: &'static str,
    #[expect(dead_code, reason = "it is for those who read the list, and in the message of a failure")]
    reason: &'static str,
}

impl Exception {
    pub fn is_of(&self, file: &str, sql: &str) -> bool {
        self.file == file && sql.contains(self.sql)
    }
}

pub const EXCEPTIONS: &[Exception] = &[Exception {
    file: "number_and_text",
    sql: "coalesce(null, '12345678901234567890', 1)",
    reason: "a text beside numbers is a NUMBER(18,5), and one that this does not hold keeps its digits: the value decides",
}];
