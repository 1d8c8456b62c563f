//! The lines of a stack as Vitest writes them.

use std::sync::LazyLock;

use regex::Regex;

use crate::shapes::locate::Frame;
use crate::text;

/// ` ❯ parse src/calc.ts:4:35`.
static FRAME: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^ *❯ (?:.*? )?(?<file>[^\s:]\S*?):(?<line>\d+):(?<column>\d+)$"));

/// Reads a line of a stack as Vitest writes it.
pub(super) fn read(line: &str) -> Option<Frame> {
    if !line.trim_start().starts_with('❯') {
        return None;
    }
    FRAME.captures(line).map(|captures| Frame::of(&captures))
}
