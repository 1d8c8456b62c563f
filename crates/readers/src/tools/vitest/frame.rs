//! The lines of a stack as Vitest writes them.

use crate::pattern::Pattern;
use crate::shapes::locate::Frame;

/// ` ❯ parse src/calc.ts:4:35`.
static FRAME: Pattern = Pattern::new(r"^ *❯ (?:.*? )?(?<file>[^\s:]\S*?):(?<line>\d+):(?<column>\d+)$");

/// Reads a line of a stack as Vitest writes it.
pub(super) fn read(line: &str) -> Option<Frame> {
    if !line.trim_start().starts_with('❯') {
        return None;
    }
    FRAME.find(line).map(|captures| Frame::of(&captures))
}
