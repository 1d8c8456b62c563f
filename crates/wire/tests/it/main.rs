//! Documents against their schemas, their own words, and hostile input.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agent_documents;
mod captured;
mod schemas;
