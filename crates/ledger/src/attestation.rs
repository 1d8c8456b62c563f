//! `attestation.intoto.jsonl`: signed statements about the result of a run.
//!
//! Each line is a DSSE [`envelope`] around an in-toto [`statement`]. A signed run has two of them: the test
//! result of the source, in a predicate that other tools know ([`test_result`]), and the verdict in Referee's
//! own predicate ([`verdict`]).

pub mod envelope;

pub mod statement;

mod names;

pub mod test_result;

pub mod verdict;

pub mod draft;
