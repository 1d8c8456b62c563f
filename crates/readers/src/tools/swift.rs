//! Swift: the compiler (`Sources/A/a.swift:3:5: error: cannot find 'x' in scope`), and `swift test` with XCTest
//! (`Test Case 'ATests.testX' failed (0.1 seconds)`) and Swift Testing (`✘ Test adds() failed after 0.001 seconds`).

mod tests;

use std::collections::HashSet;

use crate::prelude::*;
use crate::shapes::nothing::with_hint;

pub(crate) const COMPILER: Tool = Tool::new("swiftc", &["swift", "swift-build"], Role::Compile)
    .lines(&[LineFormat::new(PREFILTER, |_| Box::new(Compiler::default()))]);

pub(crate) const TEST: Tool = Tool::new("swift-test", &["xctest", "swift-testing"], Role::Test)
    .lines(&[
        LineFormat::new(&["Test Case '", "Test run ", "Test Suite '"], |_| Box::new(tests::Tests::default())),
        LineFormat::new(PREFILTER, |is_hinted| with_hint(is_hinted, || Box::new(Compiler::default()))),
    ])
    .merge(candidate::together);

/// What is in the first line of every finding.
const PREFILTER: &[&str] = &[".swift:"];

/// Findings that are remembered, to tell which were printed twice: by the module's and the file's own compilation.
const REMEMBERED: usize = 100_000;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

static LINE: Pattern = Pattern::new(
    r"^(?<file>(?:[A-Za-z]:)?[^:\s][^:]*\.swift):(?<line>\d+):(?<column>\d+): (?<level>error|warning|note|remark|fatal error): (?<message>\S.*?)(?: \[#(?<code>\w+)\])?$",
);

/// Reads the compiler's findings.
#[derive(Default)]
struct Compiler {
    findings: Findings,
    seen: HashSet<(String, Option<u32>, Option<u32>, String)>,
    open: Option<Diagnostic>,
    below: u8,
}

impl Compiler {
    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            let key = (found.file.clone().unwrap_or_default(), found.line, found.column, found.message.clone());
            if REMEMBERED <= self.seen.len() || self.seen.insert(key) {
                self.findings.add(found);
            }
        }
    }
}

impl LineReader for Compiler {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(captures) = LINE.find(text) {
            let found = captures.diagnostic("swiftc", "swiftc/text", line, Level::Error);
            self.below = 0;
            if captures.text("level") != "note" {
                self.close();
                self.open = Some(found);
                return Use::Line;
            }
            if let Some(open) = &mut self.open {
                open.origin.end = line.end;
                if open.related.len() < RELATED_KEPT {
                    let message = cut::head(&found.message, limit::MESSAGE_BYTES / RELATED_KEPT).to_owned();
                    let Diagnostic { file, line, column, .. } = found;
                    open.related.push(RelatedPlace { file: file.map(|file| name(&file)), line, column, message });
                }
                return Use::Line;
            }
            return Use::None;
        }
        let Some(open) = &mut self.open else {
            return Use::None;
        };
        self.below += 1;
        let is_mark = text.contains('^') || text.contains("`- ") || text.contains("|- ") || text.contains(" | ");
        if self.below == 1 && !line.is_blank() && open.source.is_none() && !is_mark {
            open.source = Some(cut::head(text, limit::MESSAGE_BYTES).to_owned());
        }
        if self.below == 1 || is_mark && self.below < 20 {
            if is_mark { Use::WithPrevious } else { Use::None }
        } else {
            self.close();
            Use::None
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.findings.candidate("text")
    }
}
