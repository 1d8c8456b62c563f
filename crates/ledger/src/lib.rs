//! Evidence on disk: writes, seals, signs, publishes and verifies what runs recorded.
//!
//! A [`store::Store`] is the directory that holds all evidence. A run writes to a [`staging::Staging`]: events
//! to the journal, output through a [`capture::Capture`] that redacts secrets, documents as they are. When the
//! run is over its directory is sealed and published in one step; the previous run moves to the history.
//! [`evidence::Evidence`] reads a directory back, and [`verify::integrity`] checks that it is unchanged since
//! it was sealed. A run that dies at any point leaves the previous run in place, and is itself listed as
//! unfinished by [`store::Store::unfinished`].
//!
//! A run is signed by [`attest`], with a key of [`key`]; [`trust::TrustStore`] lists the keys that the user
//! trusts. Documents that outlast single runs are kept in [`register::Registers`]. [`project_file`] writes the
//! specification that `init` creates.

pub mod key;

mod error;
mod fault;
mod paths;

mod append;
mod chance;
mod parallel;
mod real_path;

mod open_below;

mod directory;

pub mod private_directory;

pub mod cache_directory;

pub mod state;

mod log_lines;

mod log_end;

mod evidence_root;

mod lock;

pub mod redact;

mod excluded_dirs;

pub mod tree;
pub mod tree_copy;
pub mod tree_transfer;
pub mod tree_update;

mod contents;

mod content_check;

mod journal;

mod log_file;

pub mod capture;

pub mod attest;

pub mod trust;

pub mod staging;

mod seal;

pub mod chain_heads;

pub mod evidence;

mod journal_check;

pub mod verify;

mod published_run;

mod chain;

mod durability;

mod publish;

pub mod spool;

pub mod recovery;

pub mod publication;

pub mod register;

pub mod chain_status;

pub mod retention;

pub mod catalogue;

pub mod document;

pub mod export;
pub mod file_depot;
pub mod host_file;
pub mod locks;
pub mod project_file;
pub mod server_credentials;
pub mod server_tokens;

pub mod audit_log;
pub mod workspace;

pub mod clean_room;
pub mod held_out;
pub mod order_room;
pub mod probes;
pub mod status_files;

pub mod receipts;

pub mod sessions;

pub mod enrolment;

pub mod agent_runs;
pub mod incidents;
pub mod pending_turn;
pub mod waivers;

pub mod stages;

mod state_record;

pub mod approvals;
pub mod handoff_queue;
pub mod redness;

pub mod test_counts;

pub mod chain_head;

pub mod tombstone;

pub mod attestation;

pub mod status_lock;

pub mod incoming_run;

pub mod stale_tests;

pub mod store;

pub use chain::SealedRun;
pub use error::LedgerError;
pub use publication::Published;
pub use real_path::real_path;
pub use recovery::Unfinished;
pub use state::State;
pub use store::Store;

#[cfg(test)]
mod sample;

#[cfg(test)]
mod crash_suite;

#[cfg(test)]
mod meddling_tests;
