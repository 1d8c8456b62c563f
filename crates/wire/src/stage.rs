//! The documents of stages: a run's folder is made of them (seed 5). One file a document.
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

pub mod checks;
pub mod composed;
pub mod data;
pub mod deeds;
pub mod error_codes;
pub mod handed_back;
pub mod log;
pub mod log_end;
pub mod message;
pub mod parameters;
pub mod result;
pub mod run;
pub mod standing;

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
