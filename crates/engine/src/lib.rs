//! The engine: takes a request from specification to answer. The only crate that uses all of the others below it.
//!
//! A [`request::TaskRequest`] goes through [`pipeline::run`]: events are appended to the journal before they are
//! reported, output is stored before it is read, every action is judged from stored output, and the directory is
//! sealed before the [`request::Answer`] is returned. [`replay`] repeats these steps on a sealed directory, and
//! [`verification`] determines whether that directory can be trusted.
#![warn(missing_docs)]

pub mod clean_room;
pub mod protection;

pub mod sandbox;

pub mod path;

pub mod event_sink;

pub mod request;

pub mod selection;

mod redaction;

mod stored;

mod location;

mod log_lines;

mod condition_inputs;

mod confinement;

mod stored_baseline;

pub mod waivers;

mod evaluation;

pub mod inputs;

pub mod session;

mod judgement;

mod recorder;

pub mod replay;

pub mod debt;

mod diagnostic_register;

pub mod earlier_tests;
mod signer;

mod environment_probe;
mod silent_files;

pub mod pipeline;

pub mod earlier;

pub mod error;

pub mod context;

pub mod person;

pub mod until;

pub mod enrolment;

pub mod keys;

pub mod protection_source;

pub mod enrolment_change;

mod reuse;

mod mutator;

pub mod probe;

pub mod suite;

pub mod status;

pub mod run;

pub mod gate;

pub mod tail;

pub mod agent_loop;

pub mod standby;

pub mod unloadable;

pub mod repair;

pub mod incident;

pub mod stage;

pub mod recorded;

pub mod run_explanation;

pub mod known_tests;

mod agreement;

pub mod verification;

pub mod depot;

pub mod order_queue;

mod worker_run;

pub mod worker;

pub mod library;

pub mod depot_mirror;

pub mod comparison;

pub mod run_comparison;

pub mod selftest;

pub mod baseline;

pub mod trial;
pub mod weakenings;
