//! The JSON report: `[{"line":2,"column":1,"severity":"Error","message":"…","ruleId":"compiler-version","filePath":"a.sol"}, {"conclusion":"…"}]`.

use std::io::{self, BufRead};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Origin};
use referee_model::record::Stream;
use serde_json::Value;

use crate::claim::{Claim, DocumentReader, Standing, name};
use crate::document::{Extent, Opening};
use crate::json::{self, ANY, Path, Record, Records};
use crate::tally::Tally;
use crate::tools::solhint::is_solidity_name;
use crate::{pattern, text};

/// How the documents begin.
pub(crate) const OPENING: Opening = Opening { compact: &["[{\"line\":"], keys: &["\"line\":"], empty: None };

const PATHS: &[Path] = &[&[ANY]];

/// Gathers what the documents of one stream report.
pub(crate) struct Report {
    stream: Stream,
    tally: Tally,
    has_others: bool,
}

impl Report {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream, tally: Tally::new("solhint"), has_others: false }
    }
}

impl DocumentReader for Report {
    fn document(&mut self, reader: &mut dyn BufRead, start: u64) -> io::Result<Extent> {
        json::read(reader, start, PATHS, self)
    }

    fn finish(self: Box<Self>, _are_all: bool) -> Option<Claim> {
        (0 < self.tally.read && !self.has_others).then(|| self.tally.claim("json", Standing::Certain))
    }
}

impl Records for Report {
    fn record(&mut self, record: Record<'_>) {
        let rule = "solhint/json".to_owned();
        let origin = Origin { rule, stream: self.stream, start: record.start, end: record.end };
        match finding(&record.value, origin) {
            Some(found) => self.tally.add(found),
            None => self.has_others |= record.value.get("conclusion").is_none(),
        }
    }
}

/// Makes a finding of a record.
fn finding(value: &Value, origin: Origin) -> Option<Diagnostic> {
    let said = |key: &str| value.get(key).and_then(Value::as_str);
    let number = |key: &str| value.get(key)?.as_u64().and_then(|at| u32::try_from(at).ok()).filter(|at| 0 < *at);
    let level = pattern::level(said("severity")?)?;
    let file = said("filePath").filter(|file| is_solidity_name(file))?;
    Some(Diagnostic {
        tool: "solhint".to_owned(),
        file: Some(name(&text::path(file))),
        line: number("line"),
        column: number("column"),
        end_line: None,
        end_column: None,
        code: said("ruleId").filter(|rule| !rule.is_empty()).map(name),
        level,
        message: text::beginning(&text::plain(said("message")?), limit::MESSAGE_BYTES).to_owned(),
        fixable: value.get("fix").is_some_and(Value::is_object),
        suggestion: None,
        source: None,
        related: Vec::new(),
        origin,
    })
}
