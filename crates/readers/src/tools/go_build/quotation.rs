//! Compiler errors that a linter passes on where a package does not compile: one problem of several lines, with
//! the package's name in the first and, in text output, the linter's code for it at the end of the last.
//!
//! ```text
//! -: # example.com/demo/broken
//! broken/broken.go:3:23: undefined: missing
//! broken/broken.go:5:26: cannot use 1 as string value in return statement (compile)
//! ```

use crate::prelude::*;
use crate::rows::Row;

/// Creates the rows of such a problem; `first` is its first line, and `code` the linter's code for it.
pub(crate) const fn rows(first: &'static str, code: &'static str) -> [Row; 5] {
    [
        within(first).enters("quotation"),
        head(r"^(?<file>[^\s:][^:]*\.(?:go|mod|s|c|h)):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*) \((?:compile|typecheck)\)$")
            .code(code)
            .inside("quotation")
            .enters("quoted"),
        head(r"^(?<file>[^\s:][^:]*\.(?:go|mod|s|c|h)):(?<line>\d+)(?::(?<column>\d+))?: (?<message>\S.*)$")
            .code(code)
            .inside("quotation"),
        part(r"^\t\s*(?<message>.*) \((?:compile|typecheck)\)$").inside("quotation").enters("quoted"),
        part(r"^\t\s*(?<message>.*)$").inside("quotation"),
    ]
}
