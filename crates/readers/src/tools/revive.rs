//! revive: JSON (a list of failures, one failure per line, or an object of files), `friendly`
//! (`  ⚠  https://revive.run/r#exported  message`, with the location below), `stylish`, `unix`
//! (`main.go:10:6: [exported] message`), `plain` and the default format, which names no rule.

use std::io::{self, BufRead};

use crate::json::{self, Records};
use crate::prelude::*;
use crate::shapes::json_findings::place;
use crate::shapes::record_kind::RecordKind;

pub(crate) static TOOL: Tool = Tool::new("revive", &["revive-json"], Role::Lint)
    .lines(&[LineFormat::rows(&["https://revive.run/r#", ".go:"], &TEXT)])
    .documents(&[
        DocumentFormat::json(&["[{\"Severity\":\""], &["\"Severity\":"], &JSON).or_empty("[]"),
        DocumentFormat::new(&[], &["\""], |stream, _| {
            Box::new(ByFile { stream, findings: Findings::default(), has_strangers: false })
        }),
    ]);

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("revive", "text").level(Level::Warning).rows([
        // `friendly`, with the location below.
        head(r"^ *(?<level>⚠|✘) +https://revive\.run/r#(?<code>[a-z0-9-]+) +(?<message>\S.*)$")
            .levels(&[("✘", Level::Error)]),
        part(r"^ +(?<file>\S.*\.go):(?<line>\d+):(?<column>\d+)$").last(),
        finding(r"^ *\((?<line>\d+), (?<column>\d+)\) +https://revive\.run/r#(?<code>[a-z0-9-]+) +(?<message>\S.*)$"),
        finding(r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?:\[(?<code>[a-z][a-z0-9-]+)\] )?(?<message>\S.*?) https://revive\.run/r#(?<code2>[a-z0-9-]+)$"),
        // Without the link to a rule, many tools print such a line.
        finding(r"^(?<file>\S[^:]*\.go):(?<line>\d+):(?<column>\d+): (?:\[(?<code>[a-z][a-z0-9-]+)\] )?(?<message>\S.*)$")
            .hinted(),
        heading(r"^(?<file>\S.*\.go)$").tentative(),
    ])
});

static JSON: JsonFindings = JsonFindings { is_strict: true, ..JsonFindings::of(&MEMBERS) };

/// A failure in revive's own JSON format.
const MEMBERS: Members = Members {
    tool: "revive",
    message: "Failure",
    file: "Position/Start/Filename",
    line: "Position/Start/Line",
    column: "Position/Start/Column",
    end_line: "Position/End/Line",
    end_column: "Position/End/Column",
    code: "RuleName",
    level: "Severity",
    otherwise: Level::Warning,
    needs: &["RuleName"],
    ..Members::MESSAGE
};

/// A failure below the name of its file.
const OF_FILE: Members = Members {
    tool: "revive",
    file: "@",
    line: "line",
    column: "column",
    code: "rule",
    level: "severity",
    otherwise: Level::Warning,
    needs: &["rule"],
    check: |_, record| record.key.is_some_and(|path| text::has_extension(path, &["go"])),
    ..Members::MESSAGE
};

/// Reads failures grouped by file. The start of such a document does not identify it as revive's.
struct ByFile {
    stream: Stream,
    findings: Findings,
    /// Whether a record of another shape was read.
    has_strangers: bool,
}

impl DocumentReader for ByFile {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        let mut extent = json::read(reader, start, &[&[ANY, ANY]], self)?;
        if self.findings.counts.total() == 0 {
            // Any object may begin like this: one of another shape is not a broken report of revive.
            (extent.is_complete, extent.lines) = (true, extent.lines.max(1));
        }
        Ok(extent)
    }

    fn finish(self: Box<Self>, _: bool) -> Option<Candidate> {
        let found = !self.has_strangers && 0 < self.findings.counts.total();
        found.then(|| Candidate { format: "json", findings: self.findings, ..Candidate::default() })
    }
}

impl Records for ByFile {
    fn record(&mut self, record: Record<'_>) {
        match OF_FILE.told(&record) {
            RecordKind::Finding(mut found) => {
                found.origin = place("revive/json", self.stream, &record);
                self.findings.add(*found);
            }
            _ => self.has_strangers = true,
        }
    }
}
