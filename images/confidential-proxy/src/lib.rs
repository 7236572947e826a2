//! A proxy between a MySQL or MariaDB server and its clients that encrypts chosen columns of the result
//! sets, whatever statement they come from; statements pass as they are.
//!
//! `responder` and the modules below it know the protocol and do no input or output; `relay` moves bytes,
//! `connection` says which ones, and `worker` runs many connections in one thread by Tokio. Parts are
//! public for the tests, the fuzz target and the benchmark.

mod answers;
pub mod attributes;
mod background;
pub mod binary_row;
pub mod capabilities;
pub mod cli;
pub mod clock;
pub mod column;
mod commands;
pub mod connection;
pub mod envelope;
mod handshake;
pub mod inbox;
pub mod key;
mod names;
pub mod open_files;
pub mod packet;
pub mod plan;
pub mod refusal;
mod relay;
pub mod request;
pub mod responder;
pub mod room;
pub mod rules;
pub mod server;
mod socket;
pub mod sql;
mod stream;
pub mod text_form;
pub mod text_row;
pub mod upstream;
mod worker;
