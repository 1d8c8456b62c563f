//! `assert` of C and C++: one failed assertion ends the program, and there is no summary.
//!
//! ```text
//! prog: a.c:5: test_sub: Assertion `add(1,1)==3' failed.
//! Assertion failed: (add(1,1)==3), function test_sub, file a.c, line 5.
//! ```

use crate::prelude::*;

/// Assertions of the C library.
pub(crate) static TOOL: Tool = Tool::new("assert", &[], Role::Test)
    .lines(&[LineFormat::new(&[": Assertion `", "Assertion failed: "], |_| Box::new(Asserts::default()))]);

/// In the formats of glibc, of the libraries of macOS and the BSDs, and of musl.
static FAILED: [Pattern; 3] = [
    Pattern::new(
        r"^(?:[^\s:]+: )?(?<file>[^\s:][^:]*\.\w+):(?<line>\d+): (?<function>.+?): Assertion `(?<what>.+)' failed\.$",
    ),
    Pattern::new(r"^Assertion failed: (?<what>.+), function (?<function>.+), file (?<file>\S.*), line (?<line>\d+)\.$"),
    Pattern::new(r"^Assertion failed: (?<what>.+) \((?<file>[^():]+): (?<function>[^():]+): (?<line>\d+)\)$"),
];

#[derive(Default)]
struct Asserts {
    results: Runs,
}

impl LineReader for Asserts {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let Some(found) = FAILED.iter().find_map(|pattern| pattern.find(line.text.trim_end())) else {
            return Use::None;
        };
        let (file, function) = (found.file("file"), found.text("function"));
        self.results.case(results::case(&[], function, file.as_deref(), TestStatus::Failed));
        self.results.failure(TestFailure {
            name: name(function),
            file,
            line: found.position("line"),
            message: cut::head(&format!("Assertion failed: {}", found.text("what")), limit::MESSAGE_BYTES).to_owned(),
            origin: Some(origin("assert/text", line)),
            ..TestFailure::default()
        });
        Use::Line
    }

    fn finish(self: Box<Self>) -> Option<Candidate> {
        if self.results.is_empty() {
            return None;
        }
        let tests = self.results.finish("assert", CountAuthority::Lines);
        Some(Candidate { format: "text", tests: Some(tests), ..Candidate::default() })
    }
}

#[cfg(test)]
mod tests {
    use crate::trial::results;

    #[test]
    fn a_failed_assertion_names_its_place_and_nothing_is_summed_up() {
        for text in [
            "prog: src/a.c:5: test_sub: Assertion `add(1,1)==3' failed.\n",
            "prog: src/a.cpp:5: void test_sub(): Assertion `a == std::map<int, int>{}' failed.\n",
            "Assertion failed: (add(1,1)==3), function test_sub, file src/a.c, line 5.\n",
            "Assertion failed: add(1,1)==3 (src/a.c: test_sub: 5)\n",
        ] {
            let tests = results(text).unwrap();
            let failure = &tests.failures[0];
            assert!(failure.name.contains("test_sub") && failure.line == Some(5), "{text}: {failure:?}");
            assert!(failure.file.as_deref().is_some_and(|file| file.starts_with("src/a.c")), "{text}");
            assert_eq!(tests.authority, referee_model::reading::CountAuthority::Lines, "{text}");
        }
        assert!(results("AssertionError [ERR_ASSERTION]: Assertion failed: no\n").is_none());
    }
}
