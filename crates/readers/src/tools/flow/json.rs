//! The JSON report, whose messages are in pieces, and whose keys are sorted in some versions:
//! `{"flowVersion":"…","errors":[{"level":"error","message":[…]}],"passed":false}`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Origin};
use referee_model::record::Stream;
use serde_json::{Map, Value};

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::{pattern, text};

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening {
    compact: &[
        "{\"flowVersion\":",
        "{\"errors\":[{\"error_codes\":",
        "{\"errors\":[{\"kind\":",
        "{\"errors\":[],\"flowVersion\":",
    ],
    keys: &["\"flowVersion\":", "\"errors\": ["],
    empty: None,
};

const PATHS: &[Path] = &[&["errors", ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
    is_recognized: bool,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("flow"), is_recognized: false }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, PATHS, self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Claim> {
        (0 < self.tally.read || self.is_recognized).then(|| self.tally.claim("json", Standing::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let origin = Origin { rule: "flow/json".to_owned(), stream: self.stream, start: record.start, end: record.end };
        if let Some(found) = finding(&record.value, origin) {
            self.tally.add(found);
        }
    }

    fn closed(&mut self, depth: usize, members: &Map<String, Value>) {
        let is_flows = members.contains_key("passed") && members.contains_key("flowVersion");
        self.is_recognized |= depth == 0 && is_flows;
    }
}

/// Makes a finding of a record: its place is that of its first piece that has one.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let level = pattern::level(value.get("level")?.as_str()?)?;
    let pieces = value.get("message")?.as_array()?;
    let words: Vec<&str> = pieces.iter().filter_map(|piece| piece.get("descr")?.as_str()).collect();
    let place = pieces.iter().find_map(|piece| piece.get("loc").filter(|loc| loc.is_object()));
    let number = |end: &str, key: &str| {
        place?.get(end)?.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok()).filter(|at| 0 < *at)
    };
    let code = value.get("error_codes").and_then(|codes| codes.get(0)?.as_str());
    let words = words.join(" ");
    // The code ends the message, too.
    let said = words.strip_suffix(']').zip(code).and_then(|(said, code)| said.strip_suffix(code)?.strip_suffix(" ["));
    let file = place.and_then(|place| place.get("source")?.as_str());
    Some(Diagnostic {
        tool: "flow".to_owned(),
        file: file.map(|file| name(&text::path(file))),
        line: number("start", "line"),
        column: number("start", "column"),
        end_line: number("end", "line"),
        // It is the last character's.
        end_column: number("end", "column").and_then(|column| column.checked_add(1)),
        code: code.map(name),
        level,
        message: text::beginning(said.unwrap_or(&words), limit::MESSAGE_BYTES).to_owned(),
        fixable: false,
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin,
    })
}
