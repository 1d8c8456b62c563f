//! Text for programs, one file a format.

pub mod json_lines;

pub mod github;
