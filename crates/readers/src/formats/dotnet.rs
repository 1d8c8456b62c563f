//! What the XML of .NET's runners share: stacks in the words of the runtime.

use std::sync::LazyLock;

use regex::Regex;

use crate::text;

/// Lines of a stack that are looked at.
const LINES: usize = 200;

/// `   at N.T.b() in C:\p\T.cs:line 12`; the word for line is translated.
static FRAME: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^\s*\S+ .+\) \S+ (?<file>.+\.\w+):\S+ (?<line>\d+)\s*$"));

/// Returns the innermost place that a stack names with a file of the project.
pub(super) fn place(stack: &str) -> Option<(String, u32)> {
    stack.lines().take(LINES).filter(|line| line.len() < 4096 && line.contains(") ")).find_map(|line| {
        let captures = FRAME.captures(line)?;
        let file = text::path(&captures["file"]);
        // Sources of the frameworks are named in the stack, too, where those were built with them.
        let is_foreign = file.starts_with("/_/") || file.contains("/xunit/") && file.contains("/src/");
        (!is_foreign).then_some((file, text::position(&captures["line"])?))
    })
}
