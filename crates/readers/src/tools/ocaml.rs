//! OCaml's compilers, also with their output passed on by dune.
//!
//! ```text
//! File "a.ml", line 2, characters 14-19:
//! 2 | let x = add 1 "two"
//!                   ^^^^^
//! Error: This expression has type string but an expression was expected of type
//!          int
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("ocaml", &["ocamlc", "ocamlopt", "ocamlfind", "dune"], Role::Compile)
    .lines(&[LineFormat::rows(&[", characters ", "File \"dune", ".opam\", line ", "dune-project\", line "], &TEXT)]);

static TEXT: Rows = Rows::new("ocaml", "text").rows(&[
    // Character positions are 0-based.
    lead(
        r#"^File "(?<file>[^"]+)", lines? (?<line>\d+)(?:-(?<end_line>\d+))?(?:, characters (?<column0>\d+)-(?<last_column>\d+))?:$"#,
    ),
    rest(
        r"^(?:Error(?: \((?:warning|alert) (?<code3>[\w-]+)(?: \[(?<code>[\w-]+)\])?\))?): (?<message>.*)$",
    )
    .level(Level::Error),
    rest(
        r"^(?:Warning(?: \((?:warning|alert) (?<code3>[\w-]+)(?: \[(?<code>[\w-]+)\])?\))?|Warning (?<code4>\d+)(?: \[(?<code2>[\w-]+)\])?|Alert (?<code5>[\w-]+)): (?<message>.*)$",
    )
    .level(Level::Warning),
    part(r"^ *(?<number>\d+) \| (?<source>.*)$").check(|made, found| {
        made.source.is_none() && text::position(found.text("number")) == made.line
    }),
    part(r"^[ ^.]+$"),
    part(r"^.* \| ").check(|made, _| made.message.is_empty()),
    part(r"^(?:  +(?<message>\S.*)|(?<message2>Hint: .*))$").check(|made, _| !made.message.is_empty()),
]);
