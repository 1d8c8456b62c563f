//! The real program on real projects with real processes.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests start the program, make files and look at what it left; what fails here fails the test"
)]

mod support;

mod baseline;
mod debt;
mod diagnostics;
mod diagnostics_cases;
mod error;
mod evaluator;
mod evidence;
mod example;
mod explain;
mod full_form;
mod init;
mod interruption;
mod output;
mod parallel;
mod parse;
mod process;
mod reference;
mod replay;
mod serving;
mod specification;
