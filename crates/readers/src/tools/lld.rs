//! LLVM's linker in all its variants, and `mold`, which prints in the same format.
//!
//! ```text
//! ld.lld: error: undefined symbol: missing
//! >>> referenced by link.c:3 (/src/link.c:3)
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("lld", &["ld.lld", "lld-link", "wasm-ld", "mold"], Role::Compile)
    .lines(&[LineFormat::rows(&["ld.lld", "ld64.lld", "lld-link", "wasm-ld", "rust-lld", "mold: "], &TEXT)]);

static TEXT: Rows = Rows::new("lld", "text").rows(&[
    within(r"^\S*(?:ld|lld-link|mold)(?:-\d+)?(?:\.exe)?: error: too many errors emitted"),
    head(
        r"^(?:\S*[/\\])?(?:ld\.lld|ld64\.lld|lld-link|wasm-ld|rust-lld|lld|mold)(?:-\d+)?(?:\.exe)?: (?<level>fatal|error|warning|note): (?<message>\S.*)$",
    ),
    // The location where an undefined symbol is used, or a duplicate one defined.
    part(
        r"^(?<message>>>> (?:referenced by|defined at) (?<file2>[^\s:]+):(?<line>\d+)(?: \((?<file>[^)]+):\d+\))?)$",
    ),
    part(r"^(?<message>>>> .*)$"),
]);
