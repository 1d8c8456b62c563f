//! Events as JSON, one per line: the content of the journal, written as it happens.

use std::io::{self, Write};

use referee_model::event::Event;

/// Writes one event as one line and flushes, so that a program that follows the output sees it at once.
pub fn write(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", referee_model::event::journal::line(event))?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use referee_model::event::EventKind;
    use referee_model::time::Timestamp;
    use referee_model::verdict::Decision;

    use super::*;

    #[test]
    fn each_event_is_one_line_as_the_journal_has_it() {
        let at = Timestamp::from_millisecond(1_795_251_924_120);
        let told = |sequence, decision| Event { sequence, at, happening: EventKind::RunFinished { decision } };
        let events = [told(1, Decision::Pass), told(2, Decision::Blocked)];
        let mut out = Vec::new();
        for event in &events {
            write(event, &mut out).unwrap();
        }
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, events.each_ref().map(referee_model::event::journal::line));
        assert!(text.ends_with('\n') && lines[1].contains("BLOCKED"), "{text}");
    }
}
