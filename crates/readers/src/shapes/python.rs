//! Output shared by several Python tools: frames of tracebacks.
//!
//! ```text
//!   File "/project/calc.py", line 2, in div
//! ```

use crate::candidate::name;
use crate::pattern::Pattern;
use crate::text;

/// One frame of a Python traceback; a frame of a syntax error has no function.
static FRAME: Pattern = Pattern::new(r#"^\s+File "(?<file>[^"]+)", line (?<line>\d+)(?:, in (?<function>.+))?$"#);

/// Returns whether a line names a test of pytest, `tests/test_a.py::test_b`, which looks like the location of a finding.
pub(crate) fn names_test(line: &str) -> bool {
    line.contains(".py::")
}

pub(crate) const TRACEBACK: &str = "Traceback (most recent call last):";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) file: String,
    pub(crate) line: Option<u32>,
    /// The function, if the frame names one.
    pub(crate) function: Option<String>,
}

/// Parses a frame of a traceback.
pub(crate) fn frame(line: &str) -> Option<Frame> {
    if !line.trim_start_matches([' ', '|']).starts_with("File \"") {
        return None;
    }
    // Tracebacks of exception groups are preceded by a bar.
    let behind_bar = || line.find("| ").and_then(|bar| FRAME.find(&line[bar + 1..]));
    let found = FRAME.find(line).or_else(behind_bar)?;
    Some(Frame {
        file: name(&text::path(found.text("file"))),
        line: found.position("line"),
        function: found.get("function").map(|function| name(function.trim_end())),
    })
}

/// Returns whether a file belongs to the project rather than to Python, an installed package or a test runner.
pub(crate) fn is_in_project(file: &str) -> bool {
    let foreign = |part: &str| matches!(part, "site-packages" | "dist-packages" | "_pytest" | "pluggy");
    let is_standard_library = file.contains("/lib/python3")
        || file.contains("/lib64/python3")
        || (file.contains("/Python3") && file.contains("/Lib/"));
    !file.starts_with('<') && !is_standard_library && !file.split('/').any(foreign)
}

/// Returns whether a file is a Python source or notebook.
pub(crate) fn is_source(file: &str) -> bool {
    [".py", ".pyi", ".pyw", ".pyx", ".ipynb"].iter().any(|end| file.ends_with(end))
}

/// Returns whether a line announces the traceback of an exception that followed from the one above.
pub(crate) fn is_chained(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '|']);
    line.starts_with("During handling of the above exception, another exception occurred")
        || line.starts_with("The above exception was the direct cause of the following exception")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_name_their_places() {
        for (line, place) in [
            ("  File \"a.py\", line 3, in f", Some(("a.py", 3, Some("f")))),
            ("  File \"C:\\p\\a.py\", line 3", Some(("C:/p/a.py", 3, None))),
            ("  | File \"a.py\", line 3, in <module>", Some(("a.py", 3, Some("<module>")))),
            ("File \"a.py\", line 3", None),
            ("  File a.py, line 3", None),
        ] {
            let found = frame(line);
            let found = found.as_ref().map(|it| (it.file.as_str(), it.line.unwrap_or(0), it.function.as_deref()));
            assert_eq!(found, place, "{line}");
        }
    }

    #[test]
    fn what_is_installed_is_not_the_project() {
        assert!(is_in_project("tests/test_a.py") && is_in_project("/project/python3/a.py"));
        for file in [
            "/usr/lib/python3.11/json/decoder.py",
            "C:/Python311/Lib/unittest/case.py",
            "venv/site-packages/x.py",
            "<string>",
            "<frozen os>",
        ] {
            assert!(!is_in_project(file), "{file}");
        }
    }
}
