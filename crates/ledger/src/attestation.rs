//! `attestation.intoto.jsonl`: what a run came to, said in signed statements.
//!
//! A line is a DSSE [`envelope`] around an in-toto [`statement`]. A signed run leaves two of them: the tests of the source
//! that was looked at, in the words that others know ([`test_result`]), and the verdict in our own ([`verdict`]).

pub mod envelope;

pub mod statement;

mod names;

pub mod test_result;

pub mod verdict;

pub mod draft;
