//! Output formats for programs, one module per format.

pub mod json_lines;

pub mod rdjson;

pub mod sarif;

pub mod github;
