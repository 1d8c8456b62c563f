//! Text formats. Nothing here knows Referee: no plans, no checks, no files, no processes.

pub mod ansi;
pub mod base64;
pub mod connection;
pub mod count;
pub mod cut;
pub mod distance;
pub mod duration;
pub mod hex;
pub mod line;
pub mod markdown;
pub mod percent;
pub mod pointer;
pub mod position;
pub mod program;
pub mod quotation;
pub mod shell;
pub mod size;
pub mod span;
pub mod tree;

pub mod fault;
pub mod ini;
pub mod json;
pub mod table;
pub mod toml;
pub mod yaml;
