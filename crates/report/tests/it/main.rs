//! Documents compared with their schemas, their contracts, and hostile input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agent_documents;
mod arbitrary;
mod captured;
mod debt;
mod documents;
mod explanations;
mod failures;
mod fixture;
mod registers;
mod reports;
mod round_trip;
mod schemas;
