//! Tools for agents, by the Model Context Protocol: over the standard input and output, and over HTTP. Both offer the same
//! tools, and every tool is requests of firn's API in its caller's name: what the API refuses a caller, no tool gives. Nothing is
//! kept between two calls.

mod api;
mod arguments;
mod batches;
mod handler;
mod http;
mod lines;
mod messages;
mod page;
mod reply;
mod rows;
mod stdio;
mod tools;

pub use api::{Answer, Api, CANCEL_IF_LEFT, Method, Request, Unreachable};
pub use handler::{Names, Options, Writes};
pub use http::answer;
pub use stdio::serve;
