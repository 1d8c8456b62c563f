//! The rows of all incidents, with their texts in one piece: a list of a hundred thousand takes few allocations, and
//! is written and read as it lies in memory.
//!
//! ```text
//! magic · number of rows (8 bytes) · rows · texts · sum (8)
//! row: directory (1) · status (1) · stamps (2 × 44) · occurrences (8) · created (8) · updated (8) · ends (7 × 4)
//! ```
//!
//! Numbers are little-endian. The sum detects damage only: anyone who can write to the state directory can compute one.

use referee_model::incident::id::IncidentId;
use referee_model::incident::list::IncidentRow;
use referee_model::incident::status::IncidentStatus;
use referee_model::time::Timestamp;

use super::incident_dir::IncidentDir;
use super::query::Cursor;
use super::row::{Row, Text};
use crate::tree::stored::{put_stamp, sum_of, take, take_stamp};

const MAGIC: &[u8] = b"referee incident rows 1\n";

#[derive(Debug, Default)]
pub(super) struct Rows {
    /// By directory and name.
    all: Vec<Row>,
    texts: String,
    /// Number of rows with stamps that were added since this was written or read.
    pub(super) unsaved: usize,
}

impl Rows {
    pub(super) fn all(&self) -> &[Row] {
        &self.all
    }

    pub(super) fn text(&self, row: &Row, text: Text) -> &str {
        let number = text as usize;
        let start = number.checked_sub(1).map_or(0, |before| row.ends[before]);
        self.texts.get(row.start + start as usize..row.start + row.ends[number] as usize).unwrap_or_default()
    }

    /// Returns all texts of a row, one after the other.
    pub(super) fn texts(&self, row: &Row) -> &str {
        self.texts.get(row.start..row.start + row.ends[Text::COUNT - 1] as usize).unwrap_or_default()
    }

    /// Adds a row, which comes after the others.
    pub(super) fn add(&mut self, row: Row, texts: &str) {
        self.all.push(Row { start: self.texts.len(), ..row });
        self.texts.push_str(texts);
    }

    pub(super) fn cursor(&self, row: &Row) -> Cursor {
        Cursor { updated_ms: row.updated_ms, name: self.text(row, Text::Name).to_owned(), lies: row.lies.number() }
    }

    /// Returns the lower-case text that search words are matched against.
    pub(super) fn words(&self, row: &Row) -> String {
        Text::SEARCHED.map(|text| self.text(row, text)).join("\n").to_lowercase()
    }

    /// Returns a row as lists show it. None: its name is not an id.
    pub(super) fn shown(&self, row: &Row) -> Option<IncidentRow> {
        let text = |text| self.text(row, text).to_owned();
        let incident_id = IncidentId::parse(self.text(row, Text::Name)).ok()?;
        Some(IncidentRow {
            path: row.shelf.path_of(&incident_id),
            incident_id,
            status: row.status,
            failure_class: text(Text::FailureClass),
            step: text(Text::Step),
            message: text(Text::Message),
            ym: text(Text::Ym),
            run_id: text(Text::RunId),
            fingerprint: text(Text::Fingerprint),
            occurrences: row.occurrences,
            created_at: Timestamp::from_millisecond(row.created_ms),
            updated_at: Timestamp::from_millisecond(row.updated_ms),
        })
    }

    /// Returns the rows as bytes, without those that have no stamps.
    pub(super) fn encode(&self) -> Vec<u8> {
        let kept = || self.all.iter().filter_map(|row| Some((row, row.stamps?)));
        let mut bytes = MAGIC.to_vec();
        bytes.extend((kept().count() as u64).to_le_bytes());
        for (row, stamps) in kept() {
            let status = IncidentStatus::ALL.iter().position(|status| *status == row.status);
            bytes.extend([row.lies.number(), status.and_then(|status| u8::try_from(status).ok()).unwrap_or(u8::MAX)]);
            for stamp in stamps {
                put_stamp(stamp, &mut bytes);
            }
            bytes.extend(row.occurrences.to_le_bytes());
            bytes.extend(row.created_ms.to_le_bytes());
            bytes.extend(row.updated_ms.to_le_bytes());
            bytes.extend(row.ends.iter().flat_map(|end| end.to_le_bytes()));
        }
        for (row, _) in kept() {
            bytes.extend_from_slice(self.texts(row).as_bytes());
        }
        bytes.extend(sum_of(&bytes).to_le_bytes());
        bytes
    }

    /// Reads rows. None: these bytes are not whole, or of another version.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_last_chunk()?;
        let mut rest = body.strip_prefix(MAGIC)?;
        if sum_of(body) != u64::from_le_bytes(*sum) {
            return None;
        }
        let count = u64::from_le_bytes(take(&mut rest)?);
        let (mut all, mut start) = (Vec::new(), 0);
        for _ in 0..count {
            let row = decode_row(&mut rest, start)?;
            start += row.ends[Text::COUNT - 1] as usize;
            all.push(row);
        }
        let texts = std::str::from_utf8(rest).ok().filter(|texts| texts.len() == start)?.to_owned();
        Some(Self { all, texts, unsaved: 0 })
    }
}

fn decode_row(rest: &mut &[u8], start: usize) -> Option<Row> {
    let [lies, status] = take(rest)?;
    let lies = *IncidentDir::ALL.get(usize::from(lies))?;
    let status = *IncidentStatus::ALL.get(usize::from(status))?;
    let stamps = Some([take_stamp(rest)?, take_stamp(rest)?]);
    let occurrences = u64::from_le_bytes(take(rest)?);
    let (created_ms, updated_ms) = (i64::from_le_bytes(take(rest)?), i64::from_le_bytes(take(rest)?));
    let mut ends = [0; Text::COUNT];
    for end in &mut ends {
        *end = u32::from_le_bytes(take(rest)?);
    }
    Some(Row { lies, shelf: lies, status, occurrences, created_ms, updated_ms, stamps, start, ends })
}
