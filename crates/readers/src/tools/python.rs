//! Python itself: uncaught exceptions, and files that it cannot parse.
//!
//! ```text
//! Traceback (most recent call last):
//!   File "/project/main.py", line 12, in <module>
//!     main()
//! RuntimeError: config broken
//! ```
//!
//! Any program may print a traceback, even of handled exceptions: without a hint it counts only if no tool is
//! recognized.

use crate::prelude::*;
use crate::rows::When;
use crate::shapes::python::{TRACEBACK, is_in_project};

pub(crate) static TOOL: Tool = Tool::new("python", &["python3", "py_compile", "compileall"], Role::Compile)
    .lines(&[LineFormat::rows(&[TRACEBACK, "SyntaxError: ", "IndentationError: ", "TabError: "], &TEXT)])
    .merge(candidate::together);

/// A frame. `compileall` marks a file that it cannot parse with `***`, and a bar stands before the frames of an
/// exception group.
const FRAME: &str = r#"^(?:\*\*\*)?(?: *\|+)? +File "(?<file>[^"]+)", line (?<line>\d+)(?:, in .+)?$"#;

static TEXT: Rows = Rows::new("python", "traceback")
    .confidence(Confidence::LastResort)
    .spans_blank_lines()
    .most_lines(u32::MAX)
    .complete(complete)
    .rows(&[
        lead(r"^Traceback \(most recent call last\):$").enters("traceback"),
        part(FRAME).check(|made, _| made.code.is_none()).then(locate),
        // Without a heading, only a syntax error counts.
        lead(FRAME).then(locate).enters("file"),
        // The later exception replaces the one that caused it.
        part(r"^[ |]*(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception)")
            .check(|made, _| made.code.take().is_some())
            .last(),
        part("^ ").check(|made, _| made.code.is_none()),
        rest(r"^(?<code>SyntaxError|IndentationError|TabError): (?<message>.*)$").check(raise).when(When::Always),
        // The name of an exception, with its module unless it is built in, and its message.
        rest(r"^(?:[A-Za-z_]\w*\.)*(?<code>[A-Za-z_]\w*)(?:: (?<message>.*))?$").check(raise).inside("traceback"),
    ]);

/// Moves an exception to a frame, which is kept as a related location instead if only the frames above it are in the
/// project.
fn locate(made: &mut Diagnostic, found: &Groups<'_, '_>) {
    let frame = found.related();
    let is_own = |file: &Option<String>| file.as_deref().is_some_and(is_in_project);
    made.related.clear();
    if is_own(&made.file) && !is_own(&frame.file) {
        made.related.push(frame);
    } else {
        (made.file, made.line) = (frame.file, frame.line);
    }
}

fn raise(made: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    if !found.has("message") {
        found.text("code").clone_into(&mut made.message);
    }
    made.file.is_some()
}

/// Completes an exception. A syntax error is in the innermost file, wherever that is.
fn complete(found: &mut Diagnostic) -> bool {
    let innermost = found.related.pop();
    if matches!(found.code.as_deref(), Some("SyntaxError" | "IndentationError" | "TabError"))
        && let Some(frame) = innermost
    {
        (found.file, found.line) = (frame.file, frame.line);
    }
    found.code.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    fn read(text: &str) -> Vec<Diagnostic> {
        claimed(TEXT.reader(true), text).map(|candidate| candidate.findings.kept.into_items()).unwrap_or_default()
    }

    #[test]
    fn the_innermost_place_in_the_project_is_told() {
        let text = "Traceback (most recent call last):\n  File \"main.py\", line 3, in <module>\n    run()\n  File \"/usr/lib/python3.11/json/decoder.py\", line 1, in decode\njson.decoder.JSONDecodeError: bad\n";
        let found = read(text);
        assert_eq!(
            (found[0].file.as_deref(), found[0].line, found[0].code.as_deref()),
            (Some("main.py"), Some(3), Some("JSONDecodeError"))
        );
    }

    #[test]
    fn what_came_of_an_exception_stands_for_it() {
        let one = "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x\n";
        let chained = format!("{one}\nDuring handling of the above exception, another exception occurred:\n\n{one}");
        assert_eq!(read(&chained).len(), 1);
        assert_eq!(read(&format!("{one}{one}")).len(), 2);
    }

    #[test]
    fn without_a_heading_only_a_syntax_error_is_one() {
        assert_eq!(read("  File \"a.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n").len(), 1);
        assert!(read("  File \"a.py\", line 1\nsomething else\n").is_empty());
    }
}
