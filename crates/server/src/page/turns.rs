//! The repair loop of an incident, turn by turn, from its files. Missing data is left out (IN-36).

use referee_engine::incident::Part;
use referee_engine::incident::detail::IncidentFile;
use referee_model::incident::attempt::{CommitDocument, PushDocument, ReplanDocument};
use serde::{Deserialize, Deserializer};

use super::harmless;
use super::moment::{Moment, Span};

/// Maximum number of turns shown, the last ones.
const TURNS: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The turns, in order.
    pub(super) taken: Vec<Turn>,
    pub(super) result: Option<RunResult>,
    /// Messages about files that could not be parsed.
    pub(super) unreadable: Vec<String>,
}

/// A turn of the loop. Every key may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Turn {
    pub(super) iteration: u32,
    started_at: String,
    finished_at: String,
    pub(super) actions_applied: Vec<String>,
    pub(super) verification_passed: Option<bool>,
    pub(super) result: String,
    pub(super) error_signature: Option<String>,
    pub(super) same_error_repeats: u32,
    pub(super) no_progress_streak: u32,
    pub(super) command_results: Vec<CommandResult>,
}

/// Result of a command of a turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CommandResult {
    pub(super) command: String,
    pub(super) returncode: Option<i64>,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Result of a loop. Every key may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RunResult {
    pub(super) final_status: String,
    pub(super) reason: String,
    pub(super) loops_used: u32,
    pub(super) runtime_minutes: f64,
    pub(super) same_error_repeats: u32,
    pub(super) no_progress_streak: u32,
    pub(super) archived_to: Option<String>,
    #[serde(deserialize_with = "or_nothing")]
    pub(super) replan: ReplanDocument,
    #[serde(deserialize_with = "or_nothing")]
    pub(super) commit: CommitDocument,
}

/// Accepts null as a missing value, since other programs may write it.
fn or_nothing<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

impl Turns {
    /// Reads the loop from an incident's files.
    pub(super) fn read(files: &[IncidentFile]) -> Self {
        let mut read = Self::default();
        for (_, name, bytes) in files.iter().filter(|(part, ..)| *part == Part::Run) {
            if name == referee_model::incident::attempt::RUN_RESULT {
                read.result = read.note(name, harmless::document(bytes));
            } else if referee_model::incident::attempt::number(name).is_some()
                && let Some(turn) = read.note(name, harmless::document::<Turn>(bytes))
            {
                read.taken.push(turn);
            }
        }
        read.taken.sort_by_key(|turn| turn.iteration);
        read.taken.drain(..read.taken.len().saturating_sub(TURNS));
        read
    }

    fn note<Document>(&mut self, name: &str, read: Result<Document, String>) -> Option<Document> {
        read.map_err(|why| self.unreadable.push(format!("{} cannot be read: {why}", harmless::text(name)))).ok()
    }

    /// Returns whether there is nothing to show.
    pub(super) fn is_empty(&self) -> bool {
        self.taken.is_empty() && self.result.is_none() && self.unreadable.is_empty()
    }
}

impl Turn {
    pub(super) fn began(&self) -> Option<Moment> {
        Moment::read(&self.started_at)
    }

    pub(super) fn took(&self) -> Option<Span> {
        let (began, ended) = (Moment::read(&self.started_at)?, Moment::read(&self.finished_at)?);
        Some(Span(ended.0.milliseconds_since(began.0)))
    }

    /// Returns the result of the turn, in words.
    pub(super) fn words(&self) -> String {
        match (self.result.as_str(), self.verification_passed) {
            ("continue", Some(false)) => "failed".to_owned(),
            (other, _) => other.replace('_', " "),
        }
    }

    /// Returns the style of the turn.
    pub(super) fn tone(&self) -> &'static str {
        match (self.verification_passed, self.result.as_str()) {
            (Some(true), _) | (_, "resolved") => "good",
            (_, "replan" | "replan_requested") => "odd",
            (Some(false), _) | (_, "escalated") => "bad",
            _ => "plain",
        }
    }
}

impl CommandResult {
    pub(super) fn passed(&self) -> bool {
        self.returncode == Some(0)
    }
}

impl RunResult {
    pub(super) fn words(&self) -> &str {
        match self.final_status.as_str() {
            "resolved" => "Resolved",
            "escalated" => "Escalated",
            "replan_requested" => "Another plan is needed",
            "running" => "One turn was taken",
            other => other,
        }
    }

    pub(super) fn committed(&self) -> String {
        committed(&self.commit)
    }

    /// Returns the run time in words. Empty if it is negligible.
    pub(super) fn time(&self) -> String {
        match self.runtime_minutes {
            minutes if minutes < 0.05 => String::new(),
            minutes if minutes < 1.0 => " in less than a minute".to_owned(),
            minutes => format!(" in {minutes:.1} minutes"),
        }
    }

    /// Returns the reason of the result, as a sentence.
    pub(super) fn why(&self) -> String {
        let mut reason = self.reason.trim().chars();
        let first: String = reason.next().into_iter().flat_map(char::to_uppercase).collect();
        let rest = reason.as_str();
        let end = if first.is_empty() || rest.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("{first}{rest}{end}")
    }
}

/// Returns the result of a commit, as a sentence.
fn committed(commit: &CommitDocument) -> String {
    let branch = commit.branch.as_deref().unwrap_or("the branch");
    let remote = if commit.remote.is_empty() { "the remote" } else { &commit.remote };
    let mut words = match (&commit.commit_sha, &commit.error) {
        (Some(sha), _) => format!("Committed as {} on {branch}", sha.get(..12).unwrap_or(sha)),
        (None, Some(error)) => format!("Not committed: {error}"),
        (None, None) if commit.skipped => "Nothing to commit".to_owned(),
        (None, None) if commit.ran => "Committed".to_owned(),
        (None, None) => "Not committed".to_owned(),
    };
    match &commit.push {
        push if push.success => words = format!("{words}, pushed to {remote}"),
        PushDocument { requested: true, error: Some(error), .. } => words = format!("{words}, not pushed: {error}"),
        _ => {}
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> (Part, String, Vec<u8>) {
        (Part::Run, name.to_owned(), text.as_bytes().to_vec())
    }

    #[test]
    fn turns_are_in_order_and_junk_is_told() {
        let read = Turns::read(&[
            file("attempt_10.json", r#"{"iteration":10,"result":"escalated"}"#),
            file(
                "attempt_02.json",
                r#"{"iteration":2,"started_at":"2026-02-17T03:20:00+00:00","finished_at":"2026-02-17T03:25:00+00:00"}"#,
            ),
            file("attempt_03.json", "{"),
            file("attempt_.json", "{}"),
            file("notes.txt", "x"),
            file("run_result.json", r#"{"final_status":"resolved"}"#),
        ]);
        assert_eq!(read.taken.iter().map(|turn| turn.iteration).collect::<Vec<_>>(), [2, 10]);
        assert_eq!(read.taken[0].took(), Some(Span(300_000)));
        let failed = Turn { verification_passed: Some(false), result: "continue".to_owned(), ..Turn::default() };
        assert_eq!((failed.tone(), failed.words().as_str()), ("bad", "failed"));
        assert_eq!((read.taken[1].tone(), read.taken[1].began()), ("bad", None));
        assert_eq!(read.unreadable.len(), 1);
        // IN-36: neither replan nor commit.
        let result = read.result.unwrap();
        assert!(!result.replan.requested && !result.commit.requested);
        assert_eq!((result.words(), result.time().as_str(), result.why().as_str()), ("Resolved", "", ""));
    }

    #[test]
    fn what_became_of_a_commit_is_one_sentence() {
        let rows = [
            (
                r#"{"commit_sha":"0123456789abcdef","branch":"main","push":{"requested":true,"success":true},"remote":"origin"}"#,
                "Committed as 0123456789ab on main, pushed to origin",
            ),
            (
                r#"{"commit_sha":"01","push":{"requested":true,"error":"no route"}}"#,
                "Committed as 01 on the branch, not pushed: no route",
            ),
            (r#"{"skipped":true}"#, "Nothing to commit"),
            (r#"{"error":"no git"}"#, "Not committed: no git"),
            ("{}", "Not committed"),
        ];
        for (text, words) in rows {
            assert_eq!(committed(&serde_json::from_str(text).unwrap()), words);
        }
    }
}
