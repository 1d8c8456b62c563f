//! Stack frames in Vitest's format.

use crate::pattern::Pattern;
use crate::shapes::locate::Frame;

/// ` ❯ parse src/calc.ts:4:35`.
static FRAME: Pattern = Pattern::new(r"^ *❯ (?:.*? )?(?<file>[^\s:]\S*?):(?<line>\d+):(?<column>\d+)$");

/// Parses a stack frame in Vitest's format.
pub(super) fn read(line: &str) -> Option<Frame> {
    if !line.trim_start().starts_with('❯') {
        return None;
    }
    FRAME.find(line).map(|captures| Frame::of(&captures))
}
