//! Output of a failed Go test: `    pkg_test.go:17: Add(1, 2) = 3, want 4`, the blocks of testify, the values
//! of an example, or a panic with its goroutines.

use crate::prelude::*;

/// Maximum number of output lines kept for one test.
const LINES: usize = 400;

/// `    pkg_test.go:17: message`.
static PLACE: Pattern =
    Pattern::new(r"^\s*(?<file>(?:[A-Za-z]:)?[\w./\\@+-]*\w\.go):(?<line>\d+):(?: (?<message>.*))?$");

/// `  /demo/p_test.go:9 +0x28`, in a stack below the function.
static FRAME: Pattern = Pattern::new(r"^\s+(?<file>\S.*\.go):(?<line>\d+)(?: \+0x[0-9a-f]+)?$");

/// `expected: 404`, `actual  : 200`, as testify prints values.
static VALUE: Pattern = Pattern::new(r"^(?:Error: +)?(?:Not equal: *)?(?<label>expected|actual) *: ?(?<value>.*)$");

/// Collects the output of one test, or that of one package outside of its tests.
#[derive(Debug, Clone, Default)]
pub(crate) struct Printed {
    lines: Vec<String>,
}

impl Printed {
    pub(crate) fn add(&mut self, line: &str) {
        if self.lines.len() < LINES {
            self.lines.push(cut::head(line.trim_end(), limit::MESSAGE_BYTES).to_owned());
        }
    }

    /// Fills in a failure: message, location, values and stack.
    pub(crate) fn fill(&self, failure: &mut TestFailure) {
        if let Some(panic) = self.panic() {
            failure.message = panic;
            if let Some((file, line)) = self.frame() {
                (failure.file, failure.line) = (Some(name(&file)), line);
            }
            failure.stack = self.stack();
        }
        if failure.file.is_none()
            && let Some((_, found)) = self.places().next()
        {
            failure.file = Some(name(&text::path(found.text("file"))));
            failure.line = found.position("line");
        }
        if failure.message.is_empty() {
            self.message(failure);
        }
    }

    /// Returns the lines that name a location in a test, with their index.
    fn places(&self) -> impl Iterator<Item = (usize, Groups<'_, '_>)> {
        let numbered = self.lines.iter().enumerate();
        numbered
            .filter(|(_, line)| line.contains(".go:") && line.starts_with([' ', '\t']))
            .filter_map(|(at, line)| PLACE.find(line).map(|found| (at, found)))
            .filter(|(_, found)| found.text("file") != "testing.go")
    }

    fn message(&self, failure: &mut TestFailure) {
        let first = self.places().next();
        let from = first.as_ref().map_or(0, |(at, _)| *at);
        let mut is_continued = false;
        for line in self.lines.iter().skip(from) {
            let said = match line.contains(".go:").then(|| PLACE.find(line)).flatten() {
                Some(found) => found.text("message"),
                None => line.as_str(),
            };
            let said = said.trim();
            // testify repeats the location and the test.
            let repeats =
                said.starts_with("Error Trace:") || said.starts_with("Test:") || is_continued && is_place(said);
            is_continued = said.starts_with("Error Trace:") || is_continued && repeats;
            if said.is_empty() || repeats {
                continue;
            }
            let may_be_value = said.contains("expected") || said.contains("actual");
            if let Some(found) = may_be_value.then(|| VALUE.find(said)).flatten() {
                let value = cut::head(found.text("value"), limit::MESSAGE_BYTES).to_owned();
                let of_label =
                    if found.text("label") == "expected" { &mut failure.expected } else { &mut failure.received };
                of_label.get_or_insert(value);
            }
            text::append_line(
                &mut failure.message,
                said.strip_prefix("Error:").map_or(said, str::trim_start),
                limit::MESSAGE_BYTES,
            );
        }
        self.example(failure);
    }

    /// Reads the values of an example test, below `got:` and `want:`.
    fn example(&self, failure: &mut TestFailure) {
        let Some(got) = self.lines.iter().position(|line| line == "got:") else { return };
        let is_want = |line: &String| line == "want:" || line == "want (unordered):";
        let Some(want) = self.lines.iter().skip(got).position(is_want).map(|at| got + at) else { return };
        let joined = |lines: &[String]| cut::head(&lines.join("\n"), limit::MESSAGE_BYTES).to_owned();
        failure.received = self.lines.get(got + 1..want).map(joined);
        failure.expected = self.lines.get(want + 1..).map(joined);
    }

    /// Returns the message of a panic or a fatal error of the runtime.
    pub(crate) fn panic(&self) -> Option<String> {
        let is_panic = |line: &&String| line.starts_with("panic: ") || line.starts_with("fatal error: ");
        let said = self.lines.iter().find(is_panic)?;
        let end = said.find(" [recovered").unwrap_or(said.len());
        said.get(..end).map(str::to_owned)
    }

    /// Returns the innermost stack frame after a panic that belongs neither to the runtime nor to a dependency.
    pub(crate) fn frame(&self) -> Option<(String, Option<u32>)> {
        let after = self.lines.iter().skip_while(|line| !line.starts_with("goroutine "));
        let pairs = after.clone().zip(after.skip(1));
        pairs.filter(|(function, _)| is_of_project(function)).find_map(|(_, line)| {
            let found = FRAME.find(line)?;
            let file = text::path(found.text("file"));
            let is_foreign = file.contains("/pkg/mod/") || file.contains("/vendor/") || file.starts_with("_testmain");
            (!is_foreign).then(|| (file, found.position("line")))
        })
    }

    fn stack(&self) -> Option<String> {
        let stack: Vec<&str> =
            self.lines.iter().map(String::as_str).skip_while(|line| !line.starts_with("goroutine ")).collect();
        (!stack.is_empty()).then(|| cut::head(&stack.join("\n"), limit::MESSAGE_BYTES).to_owned())
    }
}

/// Whether a function in a stack belongs to the project rather than to the standard library.
fn is_of_project(function: &str) -> bool {
    const FOREIGN: &[&str] = &[
        "testing.",
        "runtime.",
        "runtime/",
        "panic(",
        "created by ",
        "reflect.",
        "sync.",
        "internal/",
        "main.main(",
        "os.",
        "os/",
        "net/",
        "log.",
        "time.",
        "goroutine ",
        "\t",
        " ",
    ];
    !function.is_empty() && !FOREIGN.iter().any(|start| function.starts_with(start))
}

/// Whether a line is only a location: testify lists the callers on lines of their own.
fn is_place(said: &str) -> bool {
    said.contains(".go:") && PLACE.find(&format!("{said}:")).is_some_and(|found| !found.has("message"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(printed: &str) -> TestFailure {
        let mut of_test = Printed::default();
        printed.lines().for_each(|line| of_test.add(line));
        let mut failure = TestFailure::default();
        of_test.fill(&mut failure);
        failure
    }

    #[test]
    fn the_first_place_and_all_that_was_said_are_kept() {
        let failure = filled("    pkg_test.go:15: about to compare\n    pkg_test.go:17: no\n        more\n");
        assert_eq!((failure.file.as_deref(), failure.line), (Some("pkg_test.go"), Some(15)));
        assert_eq!(failure.message, "about to compare\nno\nmore");
    }

    #[test]
    fn testify_says_what_was_expected() {
        let failure = filled(
            "    a_test.go:468: \n        \tError Trace:\t/x/a_test.go:468\n        \t            \t/x/b_test.go:4\n        \tError:      \tNot equal: \n        \t            \texpected: 404\n        \t            \tactual  : 200\n        \tTest:       \tTestX\n",
        );
        assert_eq!(failure.message, "Not equal:\nexpected: 404\nactual  : 200");
        assert_eq!((failure.expected.as_deref(), failure.received.as_deref()), (Some("404"), Some("200")));
    }

    #[test]
    fn a_panic_is_where_the_project_called_it() {
        let failure = filled(
            "panic: boom [recovered]\n\tpanic: boom\n\ngoroutine 4 [running]:\ntesting.tRunner.func1()\n\t/go/src/testing/testing.go:1 +0x1\npanic({0x1?})\n\t/go/src/runtime/panic.go:8 +0x1\nexample.com/demo.TestPanics(0x4)\n\t/demo/p_test.go:9 +0x28\n",
        );
        assert_eq!(
            (failure.message.as_str(), failure.file.as_deref(), failure.line),
            ("panic: boom", Some("/demo/p_test.go"), Some(9))
        );
    }

    #[test]
    fn an_example_has_its_values() {
        let failure = filled("got:\na\nwant:\nb\n");
        assert_eq!((failure.expected.as_deref(), failure.received.as_deref()), (Some("b"), Some("a")));
    }
}
