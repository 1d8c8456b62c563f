//! Layouts shared by several tools.

// Findings in lines.
pub(crate) mod coded;
pub(crate) mod gnu;
pub(crate) mod tally;

// Documents in JSON.
pub(crate) mod json_findings;
pub(crate) mod json_tests;
pub(crate) mod members;
pub(crate) mod record_kind;

// Test results.
pub(crate) mod ctest_lines;
pub(crate) mod failing;
pub(crate) mod python_runs;
pub(crate) mod results;
pub(crate) mod runs;

// Stacks and exceptions.
pub(crate) mod dotnet;
pub(crate) mod jvm;
pub(crate) mod locate;
pub(crate) mod python;

// Several formats in one log.
pub(crate) mod ant;
pub(crate) mod outcome;
pub(crate) mod repeats;
