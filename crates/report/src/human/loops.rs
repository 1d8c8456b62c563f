//! Loops of agents in a depot, for people.

use std::io::{self, Write};

use referee_model::loop_list::{LoopEntry, LoopList, LoopStatus};

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column after the status.
const STATUS: usize = 12;

/// Writes two lines for each loop: where it stands, and who works at it.
pub fn list(list: &LoopList, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if list.loops.is_empty() {
        return page.line(Line::new().then(Tone::Plain, "no loops"));
    }
    for entry in &list.loops {
        let tone = match entry.status {
            LoopStatus::Open => Tone::Strong,
            LoopStatus::Unverified => Tone::Warning,
            LoopStatus::Ended => Tone::Plain,
        };
        let line = Line::new().then(tone, entry.status.as_str()).padded_to(STATUS).then(Tone::Plain, &subject(entry));
        page.line(line.then(Tone::Faint, &details(entry)))?;
        if let Some(text) = origin(entry) {
            page.whole(&Line::indented(STATUS).then(Tone::Faint, &text))?;
        }
    }
    Ok(())
}

fn subject(entry: &LoopEntry) -> String {
    entry.checkpoint.as_ref().map_or_else(|| entry.name.to_string(), |checkpoint| checkpoint.of.to_string())
}

fn details(entry: &LoopEntry) -> String {
    let Some(checkpoint) = &entry.checkpoint else { return String::new() };
    let turn = checkpoint.turn.map_or_else(String::new, |turn| format!(", turn {turn}"));
    format!("{turn}, renewed {}", checkpoint.renewed_at)
}

fn origin(entry: &LoopEntry) -> Option<String> {
    let Some(checkpoint) = &entry.checkpoint else { return entry.problem.clone() };
    let commit = checkpoint.commit.as_ref().map_or_else(String::new, |commit| format!(", began with commit {commit}"));
    Some(format!("signed by {}{commit}", checkpoint.signers.join(", ")))
}

#[cfg(test)]
mod tests {
    use referee_model::agent_checkpoint::AgentLoopId;
    use referee_model::id::ExecutionId;
    use referee_model::loop_list::CheckpointSummary;
    use referee_model::time::Timestamp;

    use super::*;
    use crate::style::Verbosity;

    #[test]
    fn a_loop_is_told_with_who_works_at_it_and_one_that_is_not_verified_with_why() {
        let name = ExecutionId::parse("exec-run-1").unwrap();
        let open = LoopEntry {
            name: name.clone(),
            status: LoopStatus::Open,
            checkpoint: Some(CheckpointSummary {
                of: AgentLoopId::Run("run-1".to_owned()),
                turn: Some(2),
                renewed_at: Timestamp::from_millisecond(0),
                signers: vec!["ed25519:ab".to_owned()],
                commit: Some("12".repeat(20)),
                engine_version: "0.1.0".to_owned(),
            }),
            problem: None,
        };
        let odd = LoopEntry {
            name,
            status: LoopStatus::Unverified,
            checkpoint: None,
            problem: Some("nobody \u{1b}[2Jsigned it".to_owned()),
        };
        let style =
            Style { color: false, unicode: false, width: 160, interactive: false, verbosity: Verbosity::Normal };
        let mut text = Vec::new();
        list(&LoopList { loops: vec![open, odd] }, &style, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains('\u{1b}'), "{text:?}");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "open        run-1, turn 2, renewed 1970-01-01T00:00:00.000Z");
        assert_eq!(lines[1], format!("            signed by ed25519:ab, began with commit {}", "12".repeat(20)));
        assert!(lines[2].starts_with("unverified  exec-run-1") && lines[3].ends_with("signed it"), "{text}");
    }
}
