//! A proxy between a MySQL or MariaDB server and its clients that encrypts chosen columns of the result
//! sets, whatever statement they come from; statements pass as they are.
//!
//! `responder` and the modules below it know the protocol and do no input or output; `session` moves
//! bytes. Parts are public for the tests, the fuzz target and the benchmark.

pub mod binary_row;
pub mod capabilities;
pub mod cli;
pub mod column;
pub mod envelope;
pub mod inbox;
pub mod key;
pub mod packet;
pub mod refusal;
pub mod request;
pub mod responder;
pub mod rules;
pub mod server;
pub mod session;
pub mod sql;
pub mod text_form;
pub mod text_row;
