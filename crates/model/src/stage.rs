//! Stages: work that is handed to an executor in a directory of its own, and handed back (seed 5; ruling 28).
//!
//! A [`workflow`] declares an ordered list of stages; [`path`] defines the allowed paths in a stage; [`life`] its
//! states. [`check`] holds the observations about a stage, and [`standing`] the result of an executor's claim.
//!
//! A run's directory consists of documents, one per file:
//!
//! ```text
//! <run>/wf-run.json                                 the stages and their states
//! <run>/wf-log.jsonl                                all events, one per line, hash-chained
//! <run>/schemas/*.schema.json                       the schemas of all these files
//! <run>/stages/<stage>/stage-config.yaml            inputs and outputs of the stage
//! <run>/stages/<stage>/prompt/…, schemas/…          files for the executor to read
//! <run>/stages/<stage>/inputs/…, inputs/params.json inputs from a person and from earlier stages
//! <run>/stages/<stage>/run/output-data/accept.json  the current holder of control
//! <run>/stages/<stage>/run/output-data/handback.json, wf-result.json
//! <run>/stages/<stage>/run/output-data/output-params.json   published parameters
//! <run>/stages/<stage>/run/messages/m-001.json      a question and its answer
//! <run>/stages/<stage>/attempts/001/…               results of earlier attempts
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

/// Directory of a run's stages.
pub const STAGES: &str = "stages";
/// Configuration file of a stage.
pub const STAGE_CONFIG: &str = "stage-config.yaml";
/// Directory of a stage's outputs for programs and of the files that pass control.
pub const OUTPUT_DATA: &str = "run/output-data";
/// Directory of a stage's outputs for people.
pub const OUTPUT_FILES: &str = "run/output-files";
/// Directory of a stage's inputs.
pub const INPUTS: &str = "inputs";
