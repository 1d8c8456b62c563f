//! Source locations: stack frames, and which of them to look at.

use crate::pattern::{Groups, Pattern};
use crate::text;

/// Maximum length of a line that is parsed as a stack frame, in bytes.
const FRAME_BYTES: usize = 4 * 1024;

/// `at name (file:line:column)`, `at file:line:column`, with `async` and `file://` before the file.
static FRAME: Pattern =
    Pattern::new(r"^\s*at (?:.*? \()?(?:async )?(?:file://)?(?<file>.+?):(?<line>\d+):(?<column>\d+)\)?$");

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
}

impl Frame {
    /// Creates a frame from the groups `file`, `line` and, if present, `column` of a match.
    pub(crate) fn of(found: &Groups<'_, '_>) -> Self {
        Self { file: text::path(found.text("file")), line: found.position("line"), column: found.position("column") }
    }
}

/// Returns whether a line looks like one of a JavaScript stack.
pub(crate) fn is_stack_line(line: &str) -> bool {
    line.trim_start_matches(' ').starts_with("at ")
}

/// Parses a JavaScript stack frame that has a location.
pub(crate) fn frame(line: &str) -> Option<Frame> {
    if FRAME_BYTES < line.len() || !is_stack_line(line) {
        return None;
    }
    let found = FRAME.find(line)?;
    Some(Frame { file: text::path(found.text("file")), line: found.position("line"), column: found.position("column") })
}

/// Returns whether a file belongs to the project rather than to its dependencies or the runtime.
pub(crate) fn is_in_project(file: &str) -> bool {
    !file.split('/').any(|part| part == "node_modules") && !file.starts_with("node:") && !file.starts_with("internal/")
}

/// Returns whether two printed paths denote the same file; one may be relative, or start from another
/// directory.
pub(crate) fn is_same_file(one: &str, other: &str) -> bool {
    let parts = |path: &'_ str| {
        path.rsplit('/').filter(|part| !matches!(*part, "" | "." | "..")).map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, other) = (parts(one), parts(other));
    let shared = one.len().min(other.len());
    0 < shared && one[..shared] == other[..shared]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_name_their_places() {
        for (line, place) in [
            ("      at Object.toBe (src/sum.test.js:4:54)", Some(("src/sum.test.js", 4, 54))),
            ("    at src/a.js:1:2", Some(("src/a.js", 1, 2))),
            ("    at async Promise.all (index 0)", None),
            ("    at async load (file:///project/load.mjs:9:1)", Some(("/project/load.mjs", 9, 1))),
            ("    at Object.throwingMatcher [as toThrow] (a (copy)/b.js:3:4)", Some(("a (copy)/b.js", 3, 4))),
            ("    at C:\\project\\a.test.ts:7:8", Some(("C:/project/a.test.ts", 7, 8))),
            ("    at new Promise (<anonymous>)", None),
            ("    look at me:1:2", None),
            ("at ", None),
        ] {
            let found = frame(line).map(|frame| (frame.file, frame.line, frame.column));
            assert_eq!(found, place.map(|(file, line, column)| (file.to_owned(), Some(line), Some(column))), "{line}");
        }
    }

    #[test]
    fn dependencies_and_the_runtime_are_not_the_project() {
        assert!(is_in_project("src/a.js") && is_in_project("../shared/b.ts"));
        for file in ["node_modules/x/index.js", "../../node_modules/y.js", "node:internal/timers", "internal/a.js"] {
            assert!(!is_in_project(file), "{file}");
        }
    }

    #[test]
    fn a_file_is_known_by_its_last_parts() {
        assert!(is_same_file("./math.test.js", "/project/math.test.js"));
        assert!(is_same_file("a/b.ts", "b.ts"));
        assert!(!is_same_file("a/b.ts", "c/b.ts"));
        assert!(!is_same_file("", "b.ts"));
    }
}
