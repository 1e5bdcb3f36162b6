//! The session protocol of the official drivers: logins and tokens, what a session keeps, and the answers to statements.

#[path = "driver_protocol/answers.rs"]
mod answers;
#[path = "driver_protocol/logins.rs"]
mod logins;
#[path = "driver_protocol/transactions.rs"]
mod transactions;
