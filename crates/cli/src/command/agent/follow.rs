//! Shows a run while it is in progress, on standard error, line by line.

use std::sync::{Arc, Mutex, PoisonError};

use referee_engine::agent_loop::Live;
use referee_model::agent_run::RunStep;
use referee_model::record::Stream;
use referee_report::human::agent_run;
use referee_report::style::{Style, Verbosity, plain};

use crate::output;

/// Maximum length of an incomplete line that is held back, in bytes.
const HELD_BYTES: usize = 16 * 1024;

/// Prefix of output lines of the agent.
const MARK: &str = "  | ";

/// Writes a step, unless only the answer is wanted.
pub(super) fn step(step: RunStep<'_>, style: Style) {
    let mut text = Vec::new();
    // A failed write is no reason to stop a run.
    if agent_run::step(step, style, &mut text).is_ok() {
        drop(output::aside(&text));
    }
}

/// Returns a writer that shows the agent's output as it arrives, made safe for terminals. None: only the answer
/// is wanted.
pub(in crate::command) fn live(style: Style) -> Option<Live> {
    if style.verbosity == Verbosity::Quiet {
        return None;
    }
    let held: Mutex<[Vec<u8>; 2]> = Mutex::default();
    Some(Arc::new(move |stream, bytes: &[u8]| {
        let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
        let [stdout, stderr] = &mut *held;
        let lines = shown(if stream == Stream::Stdout { stdout } else { stderr }, bytes);
        if !lines.is_empty() {
            drop(output::aside(lines.as_bytes()));
        }
    }))
}

/// Adds bytes, and returns the lines that are complete, or too long to wait for their end.
fn shown(held: &mut Vec<u8>, bytes: &[u8]) -> String {
    held.extend_from_slice(bytes);
    let until = held.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let until = if until == 0 && held.len() > HELD_BYTES { held.len() } else { until };
    let whole: Vec<u8> = held.drain(..until).collect();
    let text = String::from_utf8_lossy(&whole);
    let lines: Vec<String> = text.lines().map(|line| format!("{MARK}{}\n", plain(line))).collect();
    lines.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_when_they_are_whole_and_never_command_a_terminal() {
        let mut held = Vec::new();
        assert_eq!(shown(&mut held, b"one\ntw"), "  | one\n");
        assert_eq!(shown(&mut held, b"o\n"), "  | two\n");
        assert!(!shown(&mut held, b"\x1b]0;title\x07\x1b[31mred\n").contains('\u{1b}'));
        assert_eq!(shown(&mut held, b"half"), "");
        assert!(shown(&mut held, &vec![b'x'; HELD_BYTES]).starts_with("  | halfxxx"));
        assert!(held.is_empty());
    }
}
