//! Stored runs, as shown at a terminal.

use std::io::{self, Write};

use referee_model::evidence_list::{KeptState, StoredRun};
use referee_model::seal::SealedFile;
use referee_syntax::count::count;
use referee_syntax::size;

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone};
use crate::wording;

/// Column at which values of a run start.
const VALUES: usize = 12;

/// Maximum number of lines of one text.
const TEXT_LINES: usize = 4;

/// Writes a line for each run.
pub fn list(runs: &[StoredRun], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let tasks = runs.iter().map(|run| width(run.task_id.as_str())).max().unwrap_or(0);
    for run in runs {
        let (state_at, number_at) = (tasks + 2, tasks + 2 + 12);
        let (decision_at, sealed_at) = (number_at + 7, number_at + 7 + 9);
        let size_at = sealed_at + 26;
        let number = run.sequence.map_or_else(String::new, |number| format!("#{number}"));
        let sealed = run.sealed_at.map_or_else(String::new, |at| at.to_string());
        let decision = run.decision.map(wording::decision);
        let (decision, decision_tone) = decision.unwrap_or(("", Tone::Plain));
        let line = Line::new()
            .then(Tone::Strong, run.task_id.as_str())
            .padded_to(state_at)
            .then(tone(run.state), run.state.as_str())
            .padded_to(number_at)
            .then(Tone::Plain, &number)
            .padded_to(decision_at)
            .then(decision_tone, decision)
            .padded_to(sealed_at)
            .then(Tone::Plain, &sealed)
            .padded_to(size_at)
            .then(Tone::Plain, &size::short(run.bytes))
            .padded_to(size_at + 10)
            .then(Tone::Place, run.execution_id.as_ref().map_or("", |execution| execution.as_str()));
        page.line(line)?;
    }
    let bytes = runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.bytes));
    let sums = format!("{}, {}", count(runs.len(), "run"), size::short(bytes));
    page.line(Line::new().then(Tone::Faint, &sums))
}

/// Writes all details of a run, and its sealed files.
pub fn show(run: &StoredRun, files: &[SealedFile], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let rows = [
        ("run", run.execution_id.as_ref().map(ToString::to_string)),
        ("task", Some(run.task_id.to_string())),
        ("state", Some(run.state.as_str().to_owned())),
        ("number", run.sequence.map(|number| number.to_string())),
        ("sealed", run.sealed_at.map(|at| at.to_string())),
        ("seal", run.seal_digest.map(|digest| digest.to_string())),
        ("decision", run.decision.map(|decision| wording::decision(decision).0.to_owned())),
        ("directory", Some(run.directory.clone())),
        ("size", Some(format!("{} in {}", size::short(run.bytes), count(run.files, "file")))),
        (
            "pruned",
            run.pruned
                .as_ref()
                .map(|pruned| format!("{} at {}: {}", count(pruned.files, "file"), pruned.at, pruned.reason)),
        ),
    ];
    for (key, value) in rows.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        let lead = Line::new().then(Tone::Faint, key).padded_to(VALUES);
        page.paragraph(lead, VALUES, Tone::Plain, &value, TEXT_LINES)?;
    }
    for file in files {
        let digest: String = file.sha256.to_string().chars().take(12).collect();
        let line = Line::indented(2)
            .then(Tone::Faint, &digest)
            .then(Tone::Plain, &format!("  {:>10}  ", size::short(file.bytes)))
            .then(Tone::Plain, &file.path);
        page.line(line)?;
    }
    Ok(())
}

fn tone(state: KeptState) -> Tone {
    match state {
        KeptState::Latest => Tone::Strong,
        KeptState::Earlier | KeptState::Pruned => Tone::Faint,
        KeptState::Unsealed | KeptState::Running => Tone::Warning,
        KeptState::Unfinished => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use referee_model::evidence_list::Pruned;
    use referee_model::id::{Digest, ExecutionId, TaskId};
    use referee_model::time::Timestamp;
    use referee_model::verdict::Decision;

    use super::*;
    use crate::human::fixture::{ascii, plain};

    fn runs() -> Vec<StoredRun> {
        let at = Timestamp::from_millisecond(1_795_251_924_000);
        let run = |number: u64, state, decision, pruned| StoredRun {
            task_id: TaskId::parse("T001").unwrap(),
            execution_id: ExecutionId::parse(format!("exec-{number}")).ok(),
            state,
            directory: format!("/work/evidence/T001/{number}\u{1b}[31m"),
            sequence: Some(number),
            sealed_at: Some(at),
            seal_digest: Some(Digest::from_bytes([7; 32])),
            decision,
            files: 9,
            bytes: 12_345 * number,
            pruned,
        };
        let pruned = Pruned { at, reason: "older than 30d".to_owned(), files: 8 };
        let dead = StoredRun {
            sequence: None,
            sealed_at: None,
            seal_digest: None,
            ..run(3, KeptState::Unfinished, None, None)
        };
        vec![dead, run(2, KeptState::Latest, Some(Decision::Pass), None), run(1, KeptState::Pruned, None, Some(pruned))]
    }

    #[test]
    fn kept_runs_are_listed_and_shown() {
        insta::assert_snapshot!(plain(120, |style, out| list(&runs(), &style, out)));
        insta::assert_snapshot!(ascii(60, |style, out| list(&runs(), &style, out)));
        let file = |path: &str, bytes| SealedFile { path: path.to_owned(), bytes, sha256: Digest::from_bytes([1; 32]) };
        let files = [file("journal.jsonl", 2_048), file("STEP.1-a.log", 7)];
        insta::assert_snapshot!(plain(80, |style, out| show(&runs()[2], &files, &style, out)));
    }
}
