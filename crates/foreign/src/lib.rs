//! Turns documents of other programs into facts: what coding agents and their hosts write, and the documents of earlier programs
//! that Referee continues.
//!
//! Their formats belong to others. Documents that decide nothing are read leniently, and an unknown form is no error; those that
//! are continued must be whole (`referee_model::foreign`).

/// Events that hosts of coding agents send to a hook.
pub mod hook;

/// Machine-readable answers of coding agents.
pub mod agent_answer;

/// Results of agent processes.
pub mod agent_result;

/// Agent runs and their turns.
pub mod agent_run;

/// Reports of checks of an agent's work.
pub mod verification_report;

/// Errors that programs threw.
pub mod system_error;
