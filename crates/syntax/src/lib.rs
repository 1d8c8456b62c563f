//! How text is written. Nothing in here knows Referee: no plan, no check, no file, no process.

pub mod shell;
