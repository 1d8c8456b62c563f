//! Result of an incident's repair loop.

use std::io::{self, Write};

use referee_model::incident::attempt::{
    CommitDocument, FinalStatus, LoopResultDocument, RunResultDocument, TurnResult,
};

use crate::page::{Line, Page};
use crate::style::{Style, Tone, Verbosity};

/// Column at which values start.
const VALUES: usize = 12;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 4;

/// Maximum number of edits of protected files that are shown.
const EDITS: usize = 5;

/// Maximum number of turns, the last ones, that are shown.
const TURNS: usize = 20;

/// Writes how the loop ended, turn by turn, and what a person may do next.
///
/// # Errors
/// Fails where writing to `out` fails.
pub fn show(result: &RunResultDocument, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let page = &mut Page::new(style, out);
    let signs = page.signs();
    let (tone, sign) = match result.final_status {
        FinalStatus::Resolved => (Tone::Good, signs.good),
        FinalStatus::Escalated => (Tone::Bad, signs.bad),
        FinalStatus::ReplanRequested | FinalStatus::Running => (Tone::Warning, signs.warning),
    };
    let id = result.incident_id.as_str();
    page.line(Line::new().then(tone, sign).word(tone, result.final_status.as_str()).word(Tone::Strong, id))?;
    page.paragraph(Line::indented(2), 2, Tone::Plain, &result.reason, TEXT_LINES)?;
    if style.verbosity == Verbosity::Quiet {
        return Ok(());
    }
    let hidden = result.loop_results.len().saturating_sub(TURNS);
    for turn in result.loop_results.iter().skip(hidden) {
        of_turn(turn, page)?;
    }
    for edit in result.edited.iter().take(EDITS) {
        let lead = Line::indented(2).then(Tone::Warning, signs.warning).then(Tone::Plain, " ");
        let indent = lead.width();
        page.paragraph(lead, indent, Tone::Plain, edit, TEXT_LINES)?;
    }
    if let Some(more) = result.edited.len().checked_sub(EDITS).filter(|more| *more > 0) {
        fact("edited", &format!("{more} more protected files, in {}", result.run_dir), page)?;
    }
    fact("turns", &turns(result), page)?;
    if result.same_error_repeats > 1 || result.no_progress_streak > 0 {
        let repeats = format!("{} in a row, {} without progress", result.same_error_repeats, result.no_progress_streak);
        fact("same error", &repeats, page)?;
    }
    if let Some(place) = &result.archived_to {
        fact("archived to", place, page)?;
    }
    if result.commit.enabled {
        fact("commit", &committed(&result.commit), page)?;
    }
    fact("kept in", &result.run_dir, page)?;
    match next(result) {
        Some(next) => fact("next", &next, page),
        None => Ok(()),
    }
}

fn turns(result: &RunResultDocument) -> String {
    match result.runtime_minutes {
        minutes if minutes < 1.0 => format!("{} by this plan, in less than a minute", result.loops_used),
        minutes => format!("{} by this plan, in {minutes:.1} minutes", result.loops_used),
    }
}

fn of_turn(turn: &LoopResultDocument, page: &mut Page<'_>) -> io::Result<()> {
    let signs = page.signs();
    let (tone, sign) = if turn.verification_passed { (Tone::Good, signs.good) } else { (Tone::Bad, signs.bad) };
    // That the loop continues means that its checks failed.
    let result = if turn.result == TurnResult::Continue { "failed" } else { turn.result.as_str() };
    let text = format!("turn {}: {result}", turn.iteration);
    let text = if turn.error_signature.is_empty() { text } else { format!("{text}: {}", turn.error_signature) };
    let text = turn.agent_ended.iter().fold(text, |text, ended| format!("{text}; {ended}"));
    let lead = Line::indented(2).then(tone, sign).then(Tone::Plain, " ");
    let indent = lead.width();
    page.paragraph(lead, indent, Tone::Plain, &text, 2)
}

fn committed(commit: &CommitDocument) -> String {
    let made = match (&commit.commit_sha, &commit.error) {
        (Some(sha), _) => format!("{} on {}", sha.get(..12).unwrap_or(sha), commit.branch.as_deref().unwrap_or("–")),
        (None, Some(error)) => format!("none: {error}"),
        (None, None) => "none: nothing was changed".to_owned(),
    };
    let pushed = match (&commit.push.error, commit.push.success) {
        (Some(error), _) => format!("; not pushed: {error}"),
        (None, true) => format!("; pushed to {}", commit.remote),
        (None, false) => String::new(),
    };
    let note = commit.note.as_ref().map(|note| format!("; {note}")).unwrap_or_default();
    format!("{made}{pushed}{note}")
}

fn next(result: &RunResultDocument) -> Option<String> {
    let id = &result.incident_id;
    match result.final_status {
        FinalStatus::Resolved if result.archived_to.is_some() => None,
        FinalStatus::Resolved => Some(format!("referee incident archive {id} --result resolved --reason WHY")),
        FinalStatus::ReplanRequested => Some(format!("referee incident show {id}, then approve the plan or refuse it")),
        FinalStatus::Escalated => {
            Some(format!("look at it; referee incident reopen {id} --reason WHY gives it fresh turns"))
        }
        FinalStatus::Running if result.never_red => Some(format!(
            "as a person: referee incident archive {id} --result resolved --reason WHY where it is over. Else --result escalated, \
             write a check that fails because of it, and referee incident reopen {id} --reason WHY takes it up again"
        )),
        FinalStatus::Running => Some(format!("referee incident run {id}")),
    }
}

fn fact(name: &str, value: &str, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(2).then(Tone::Plain, name).padded_to(VALUES + 2);
    page.paragraph(lead, VALUES + 2, Tone::Plain, value, TEXT_LINES)
}

#[cfg(test)]
mod tests {
    use referee_model::incident::id::IncidentId;

    use super::*;

    fn shown(result: &RunResultDocument) -> String {
        let style = Style { color: false, unicode: false, width: 80, interactive: false, verbosity: Verbosity::Normal };
        let mut text = Vec::new();
        show(result, style, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    fn result(status: FinalStatus) -> RunResultDocument {
        let id = IncidentId::parse("incident_1").unwrap();
        RunResultDocument { reason: "why".to_owned(), ..RunResultDocument::of(id, status) }
    }

    #[test]
    fn it_is_told_how_a_loop_ended_and_what_a_person_may_do() {
        for (status, next) in [
            (FinalStatus::Resolved, "referee incident archive incident_1"),
            (FinalStatus::Escalated, "referee incident reopen incident_1"),
            (FinalStatus::ReplanRequested, "approve the plan"),
            (FinalStatus::Running, "referee incident run incident_1"),
        ] {
            let text = shown(&result(status));
            assert!(text.contains(next) && text.contains(status.as_str()) && text.contains("why"), "{text}");
        }
    }

    #[test]
    fn what_tools_print_moves_no_cursor() {
        let turn = LoopResultDocument {
            iteration: 1,
            attempt: String::new(),
            verification_passed: false,
            result: TurnResult::Continue,
            error_signature: "x\u{1b}[2Jy::rc=1".to_owned(),
            agent_ended: Some("the agent was ended at its deadline, after 1 s".to_owned()),
        };
        let text = shown(&RunResultDocument { loop_results: vec![turn], ..result(FinalStatus::Running) });
        assert!(!text.contains('\u{1b}') && text.contains("turn 1: failed"), "{text}");
        assert!(text.contains("ended at its deadline"), "{text}");
    }

    #[test]
    fn a_push_that_failed_is_told_beside_the_commit() {
        let mut ended = result(FinalStatus::Resolved);
        ended.commit = CommitDocument {
            enabled: true,
            commit_sha: Some("0123456789abcdef".to_owned()),
            branch: Some("main".to_owned()),
            ..CommitDocument::default()
        };
        ended.commit.push.error = Some("no such remote".to_owned());
        let text = shown(&ended);
        assert!(text.contains("0123456789ab on main; not pushed: no such remote"), "{text}");
    }
}
