//! `events.jsonl`: the events of all incidents, in order, numbered from 1 without a gap, each with the digest
//! of the line before (`event_fault` checks them).
//!
//! The file is only appended to, by one process at a time. A truncated last line (its writer died) is skipped
//! by readers, and removed by the next writer. The numbers grow with the offset, so an event can be found by
//! binary search.

use std::fs::File;
use std::io;

use referee_model::incident::event::{self, IncidentEventDocument};
use referee_model::incident::id::IncidentId;
use referee_model::limit;
use referee_model::stage::log_end::LogEnd;
use rustix::fs::OFlags;

use super::anchor;
use super::incident_root::IncidentRoot;
use super::locks::Lock;
use crate::append;
use crate::error::LedgerError;
use crate::log_end::{self, END_BYTES};
use crate::log_lines::{LINE_BYTES, Lines};

pub(super) const EVENTS: &str = "events.jsonl";

pub(super) struct Events<'ground> {
    ground: &'ground IncidentRoot,
}

impl<'ground> Events<'ground> {
    pub(super) fn of(ground: &'ground IncidentRoot) -> Self {
        Self { ground }
    }

    /// Returns the number of the last event; 0 if there is none.
    pub(super) fn last(&self) -> Result<u64, LedgerError> {
        let Some(file) = self.open()? else { return Ok(0) };
        Ok(self.end(&file)?.lines)
    }

    /// Returns up to `limit` events after the given number, in order. A limit of 0 stands for the default.
    pub(super) fn after(&self, after: u64, limit: usize) -> Result<Vec<IncidentEventDocument>, LedgerError> {
        let Some(file) = self.open()? else { return Ok(Vec::new()) };
        let limit = if limit == 0 { limit::INCIDENTS_LISTED } else { limit.min(limit::INCIDENTS_LISTED_MAX) };
        read_after(&file, after, limit).map_err(self.io("read"))
    }

    /// Returns up to `limit` last events of one incident, in order. They are searched from the end, no further
    /// back than the last of [`END_BYTES`].
    pub(super) fn last_of(&self, id: &IncidentId, limit: usize) -> Result<Vec<IncidentEventDocument>, LedgerError> {
        let Some(file) = self.open()? else { return Ok(Vec::new()) };
        let length = file.metadata().map_err(self.io("look at"))?.len();
        let mut own = Vec::new();
        for bytes in END_BYTES {
            let from = length.saturating_sub(bytes);
            own = of_incident(&file, from, id).map_err(self.io("read"))?;
            let is_whole = own.first().is_some_and(|first| first.from.is_none());
            if own.len() >= limit || is_whole || from == 0 {
                break;
            }
        }
        own.drain(..own.len().saturating_sub(limit));
        Ok(own)
    }

    /// Appends the event of a change, unless an event of its incident was already appended after
    /// `after_sequence`. The caller holds the right to change the incident, so no other change of it can come
    /// between.
    pub(super) fn tell(&self, event: &IncidentEventDocument, after_sequence: u64) -> Result<(), LedgerError> {
        let _lock = Lock::of_events(self.ground)?;
        let file = self.ground.make(&[])?.open_with(EVENTS, OFlags::RDWR | OFlags::CREATE)?;
        let end = self.end(&file)?;
        if self.was_told(&file, event, after_sequence)? {
            return Ok(());
        }
        let event = IncidentEventDocument { sequence: end.lines + 1, previous: log_end::link(end), ..event.clone() };
        let path = self.ground.root().join(EVENTS);
        let line = event::KIND
            .encode_line(&event)
            .map_err(|error| LedgerError::Unusable { path, reason: error.to_string() })?;
        append::cut(&file, end.bytes)
            .and_then(|()| append::append(&file, end.bytes, &line))
            .map_err(self.io("write"))?;
        // The event is written. If its end cannot be recorded now, the end of the next event is.
        let _ = anchor::keep(self.ground, &file, log_end::after(end, line.trim_ascii_end()));
        Ok(())
    }

    fn was_told(&self, file: &File, event: &IncidentEventDocument, after_sequence: u64) -> Result<bool, LedgerError> {
        let mut after = after_sequence;
        loop {
            let page = read_after(file, after, limit::INCIDENTS_LISTED_MAX).map_err(self.io("read"))?;
            if page.iter().any(|told| told.incident_id == event.incident_id) {
                return Ok(true);
            }
            match page.last() {
                Some(last) if last.sequence > after => after = last.sequence,
                _ => return Ok(false),
            }
        }
    }

    pub(super) fn open(&self) -> Result<Option<File>, LedgerError> {
        self.ground.open()?.map_or(Ok(None), |root| root.find_file(EVENTS))
    }

    /// Finds the end of the complete lines, searching from the end of the file; its line count is the number of
    /// the last event.
    fn end(&self, file: &File) -> Result<LogEnd, LedgerError> {
        let number = |line: &[u8]| event::KIND.decode::<IncidentEventDocument>(line).ok().map(|event| event.sequence);
        let found = log_end::find(file, number).map_err(self.io("read"))?;
        found.ok_or_else(|| LedgerError::Unusable {
            path: self.ground.root().join(EVENTS),
            reason: "no event stands near its end: move it away, and events begin at 1 again".to_owned(),
        })
    }

    pub(super) fn io(&self, operation: &'static str) -> impl FnOnce(io::Error) -> LedgerError + use<> {
        let path = self.ground.root().join(EVENTS);
        move |source| LedgerError::Io { operation, path, source }
    }
}

/// Returns the events of one incident after an offset.
fn of_incident(file: &File, from: u64, id: &IncidentId) -> io::Result<Vec<IncidentEventDocument>> {
    let named = memchr::memmem::Finder::new(id.as_str());
    let mut own = Vec::new();
    let mut lines = Lines::from(file, from);
    while let Some(line) = lines.next()? {
        if named.find(line.bytes).is_some()
            && let Ok(event) = event::KIND.decode::<IncidentEventDocument>(line.bytes)
            && event.incident_id == *id
        {
            own.push(event);
        }
    }
    Ok(own)
}

fn read_after(file: &File, after: u64, limit: usize) -> io::Result<Vec<IncidentEventDocument>> {
    let mut lines = Lines::from(file, start_after(file, after)?);
    let mut events = Vec::new();
    while events.len() < limit
        && let Some(line) = lines.next()?
    {
        if let Ok(event) = event::KIND.decode::<IncidentEventDocument>(line.bytes)
            && event.sequence > after
        {
            events.push(event);
        }
    }
    Ok(events)
}

/// Finds an offset from which the events after this number can be read, by binary search.
fn start_after(file: &File, after: u64) -> io::Result<u64> {
    let (mut low, mut high) = (0, file.metadata()?.len());
    while after > 0 && high - low > LINE_BYTES as u64 {
        let middle = low + (high - low) / 2;
        match first_from(file, middle)? {
            Some((start, sequence)) if start < high && sequence <= after => low = start.max(middle),
            Some(_) | None => high = middle,
        }
    }
    Ok(low)
}

/// Returns the offset and the number of the first event after an offset.
fn first_from(file: &File, from: u64) -> io::Result<Option<(u64, u64)>> {
    let mut lines = Lines::from(file, from);
    while let Some(line) = lines.next()? {
        if let Ok(event) = event::KIND.decode::<IncidentEventDocument>(line.bytes) {
            return Ok(Some((line.start, event.sequence)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use referee_model::incident::status::IncidentStatus;
    use referee_model::time::Timestamp;

    use super::*;

    fn event(id: &str) -> IncidentEventDocument {
        IncidentEventDocument {
            sequence: 0,
            at: Timestamp::from_millisecond(0),
            incident_id: IncidentId::parse(id).unwrap(),
            action: "capture".to_owned(),
            from: None,
            to: IncidentStatus::New,
            by: "somebody".to_owned(),
            note: "x".repeat(300),
            previous: None,
        }
    }

    fn told(events: &Events<'_>, after: u64, limit: usize) -> Vec<u64> {
        events.after(after, limit).unwrap().iter().map(|event| event.sequence).collect()
    }

    #[test]
    fn events_are_numbered_without_a_gap_and_found_after_any_number() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let events = Events::of(&ground);
        assert_eq!((events.last().unwrap(), told(&events, 0, 0)), (0, vec![]));
        for number in 0..1_500 {
            events.tell(&event(&format!("i-{number}")), number).unwrap();
        }
        assert_eq!(events.last().unwrap(), 1_500);
        assert!(directory.path().join(EVENTS).metadata().unwrap().len() > 5 * LINE_BYTES as u64, "halving is tried");
        for after in (0..1_500).step_by(37) {
            assert_eq!(told(&events, after, 3), (after + 1..=(after + 3).min(1_500)).collect::<Vec<_>>());
        }
        assert_eq!(told(&events, 1_499, 0), [1_500]);
        assert_eq!(told(&events, 1_500, 0), [0_u64; 0]);
        assert_eq!(told(&events, u64::MAX, 0), [0_u64; 0]);
        assert_eq!(told(&events, 0, 0).len(), limit::INCIDENTS_LISTED);
        assert_eq!(told(&events, 0, usize::MAX).len(), limit::INCIDENTS_LISTED_MAX);
    }

    #[test]
    fn the_last_events_of_one_incident_are_found_from_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let events = Events::of(&ground);
        for number in 0..400 {
            let name = if number % 100 == 0 { "one" } else { "other-one" };
            let from = (number > 0).then_some(IncidentStatus::New);
            events.tell(&IncidentEventDocument { from, ..event(name) }, number).unwrap();
        }
        let of = |name: &str, limit| {
            let own = events.last_of(&IncidentId::parse(name).unwrap(), limit).unwrap();
            own.iter().map(|event| event.sequence).collect::<Vec<_>>()
        };
        assert_eq!(of("one", 100), [1, 101, 201, 301]);
        assert_eq!(of("one", 2), [201, 301]);
        assert_eq!(of("other-one", 2), [399, 400]);
        assert_eq!(of("none", 2), [0_u64; 0]);
    }

    #[test]
    fn an_event_is_told_once() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let events = Events::of(&ground);
        events.tell(&event("one"), 0).unwrap();
        events.tell(&event("two"), 1).unwrap();
        events.tell(&event("one"), 0).unwrap();
        assert_eq!(told(&events, 0, 0), [1, 2]);
        events.tell(&event("one"), 2).unwrap();
        assert_eq!(told(&events, 0, 0), [1, 2, 3]);
    }

    #[test]
    fn half_a_line_is_no_event_and_the_next_writer_removes_it() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let events = Events::of(&ground);
        events.tell(&event("one"), 0).unwrap();
        let whole = std::fs::read(directory.path().join(EVENTS)).unwrap();
        for cut in [1, 20, whole.len() - 1] {
            let torn = [whole.as_slice(), whole.get(..cut).unwrap()].concat();
            std::fs::write(directory.path().join(EVENTS), torn).unwrap();
            assert_eq!((events.last().unwrap(), told(&events, 0, 0)), (1, vec![1]), "{cut}");
            events.tell(&event("two"), 1).unwrap();
            assert_eq!(told(&events, 0, 0), [1, 2], "{cut}");
            assert!(std::fs::read(directory.path().join(EVENTS)).unwrap().ends_with(b"}\n"));
            std::fs::write(directory.path().join(EVENTS), &whole).unwrap();
        }
    }

    #[test]
    fn junk_among_the_events_is_passed_over_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        let events = Events::of(&ground);
        events.tell(&event("one"), 0).unwrap();
        let mut content = std::fs::read(directory.path().join(EVENTS)).unwrap();
        content.extend(b"junk\n{}\n");
        content.extend(vec![b'x'; 3 * LINE_BYTES]);
        content.push(b'\n');
        std::fs::write(directory.path().join(EVENTS), &content).unwrap();
        events.tell(&event("two"), 1).unwrap();
        assert_eq!(told(&events, 0, 0), [1, 2]);
        assert!(std::fs::read(directory.path().join(EVENTS)).unwrap().starts_with(&content));
    }

    #[test]
    fn something_else_in_the_place_of_the_events_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let ground = IncidentRoot::new(directory.path(), None);
        std::os::unix::fs::symlink("/etc/passwd", directory.path().join(EVENTS)).unwrap();
        let events = Events::of(&ground);
        assert!(matches!(events.after(0, 1), Err(LedgerError::NotAFile { .. })));
        assert!(matches!(events.tell(&event("one"), 0), Err(LedgerError::NotAFile { .. })));
        std::fs::remove_file(directory.path().join(EVENTS)).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            directory.path().join(EVENTS),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        assert!(matches!(events.after(0, 1), Err(LedgerError::NotAFile { .. })));
        assert!(matches!(events.tell(&event("one"), 0), Err(LedgerError::NotAFile { .. })));
    }
}
