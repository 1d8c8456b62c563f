//! Stages: work that is handed to an executor in a directory of its own, and handed back (seed 5; ruling 28).
//!
//! A [`workflow`] declares stages in an order; [`path`] says which files of a stage may be named; a stage's life is [`life`].
//! What was looked at of a stage is held in [`check`], and what an executor's claim is worth in [`standing`].
//!
//! A run's directory is made of documents, one file a document:
//!
//! ```text
//! <run>/wf-run.json                                 which stages there are, and which are done
//! <run>/wf-log.jsonl                                everything that happened, line by line, chained
//! <run>/schemas/*.schema.json                       the schemas of all these files
//! <run>/stages/<stage>/stage-config.yaml            what the stage takes and gives
//! <run>/stages/<stage>/prompt/…, schemas/…          what its executor reads
//! <run>/stages/<stage>/inputs/…, inputs/params.json what comes from a person, and from stages before
//! <run>/stages/<stage>/run/output-data/accept.json  who has control
//! <run>/stages/<stage>/run/output-data/handback.json, wf-result.json
//! <run>/stages/<stage>/run/output-data/output-params.json   what it published
//! <run>/stages/<stage>/run/messages/m-001.json      a question, and its answer
//! <run>/stages/<stage>/attempts/001/…               what an earlier attempt left
//! ```

pub mod check;
pub mod error_codes;
pub mod id;
pub mod life;
pub mod log;
pub mod log_end;
pub mod message;
pub mod parameters;
pub mod path;
pub mod query;
pub mod result;
pub mod run;
pub mod standing;
pub mod workflow;

/// What the stages of a run are kept in.
pub const STAGES: &str = "stages";
/// The configuration of a stage.
pub const STAGE_CONFIG: &str = "stage-config.yaml";
/// Where a stage's outputs for programs lie, and what passes control.
pub const OUTPUT_DATA: &str = "run/output-data";
/// Where a stage's outputs for people lie.
pub const OUTPUT_FILES: &str = "run/output-files";
/// Where a stage's inputs lie.
pub const INPUTS: &str = "inputs";
