//! Text for programs, one file a format.

pub mod json_lines;

pub mod rdjson;

pub mod sarif;

pub mod github;
