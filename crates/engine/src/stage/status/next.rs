//! The next step of a stage.

use std::collections::BTreeSet;

use referee_ledger::stages::LogTrust;
use referee_model::plan::shell_word;
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;

use crate::stage::Configuration;
use crate::stage::history::{History, outdated};

pub(super) struct StageView<'status> {
    pub(super) history: &'status History,
    pub(super) id: &'status StageId,
    pub(super) configuration: &'status Configuration,
    pub(super) is_handed_back: bool,
    pub(super) named: Option<&'status str>,
}

/// The next step, and the command for it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) sentence: Option<String>,
    pub(super) command: Option<String>,
}

/// Returns the next step. Empty if the log is not reliable, which is reported for the run.
///
/// | state       | next step                                              | if its inputs are out of date            |
/// |-------------|--------------------------------------------------------|------------------------------------------|
/// | `pending`   | wait for other stages, or `prepare`, or `accept`       |                                          |
/// | `prepared`  | `accept`                                               | `prepare`                                |
/// | `active`    | the executor works; `finalize` after its handback      | `prepare --again`, unless handed back    |
/// | `blocked`   | `answer`                                               | `answer`                                 |
/// | `failed`    | fix the error, then `accept`                           | `prepare`                                |
/// | `completed` | nothing                                                | `prepare --again`                        |
///
/// A stage can be prepared again once its source stages are completed; until then it waits for them.
pub(super) fn of(standing: &StageView<'_>) -> Next {
    let StageView { history, id, .. } = standing;
    let is_readable = matches!(history.trust, LogTrust::Kept | LogTrust::Unknown);
    if !is_readable || history.illegal.is_some() || history.composed.is_none() {
        return Next::default();
    }
    let past = history.stage(id);
    let is_outdated = !outdated(history, id).is_empty();
    match past.state {
        StageState::Pending => begin(standing),
        StageState::Prepared if is_outdated => standing.prepare_anew("", "prepare it again"),
        StageState::Prepared => standing.command("accept", "", "an executor can take it"),
        StageState::Active if standing.is_handed_back => {
            standing.command("finalize", "", "it was handed back: end it, or hear what stands against that")
        }
        StageState::Active if is_outdated => standing.prepare_anew(" --again", "begin again"),
        StageState::Active => Next::wait("its executor works at it until it writes handback.json"),
        StageState::Blocked => standing.command("answer", "", "it waits for an answer"),
        StageState::Failed => {
            let incident = past.incident.map(|incident| format!(" (incident {incident})")).unwrap_or_default();
            let fix = format!("fix what went wrong{incident}, then have it done again");
            if is_outdated { standing.prepare_anew("", &fix) } else { standing.command("accept", "", &fix) }
        }
        StageState::Completed if is_outdated => standing.prepare_anew(" --again", "have it done again"),
        StageState::Completed => Next::default(),
    }
}

fn begin(standing: &StageView<'_>) -> Next {
    let stage = match standing.configuration {
        Configuration::Read(stage) => stage,
        Configuration::Absent => return Next::wait("its configuration is missing"),
        Configuration::Broken(_) => return Next::wait("its configuration cannot be read"),
    };
    let sources: BTreeSet<&StageId> = stage.sources().collect();
    if sources.is_empty() {
        return standing.command("accept", "", "an executor can take it");
    }
    standing.waits(sources).unwrap_or_else(|| standing.command("prepare", "", "what comes from other stages is there"))
}

impl StageView<'_> {
    /// Returns the next step if the inputs of the stage are out of date.
    fn prepare_anew(&self, option: &str, then: &str) -> Next {
        let past = self.history.stage(self.id);
        let sentence = format!("what it was prepared from is out of date: {then}");
        self.waits(past.sources.keys()).unwrap_or_else(|| self.command("prepare", option, &sentence))
    }

    /// Returns the step of waiting for those stages that are not completed or are out of date. `None` if all are
    /// completed.
    fn waits<'id>(&self, sources: impl IntoIterator<Item = &'id StageId>) -> Option<Next> {
        let is_done = |source: &&StageId| {
            self.history.stage(source).state == StageState::Completed && outdated(self.history, source).is_empty()
        };
        let waits: Vec<&str> = sources.into_iter().filter(|source| !is_done(source)).map(StageId::as_str).collect();
        let verb = if waits.len() == 1 { "is" } else { "are" };
        (!waits.is_empty()).then(|| Next::wait(&format!("it waits until {} {verb} completed", waits.join(", "))))
    }

    fn command(&self, operation: &str, option: &str, sentence: &str) -> Next {
        let run = self.named.map(|directory| format!(" -r {}", shell_word(directory))).unwrap_or_default();
        let adopt = if self.history.trust == LogTrust::Unknown && matches!(operation, "accept" | "prepare" | "finalize")
        {
            " --adopt"
        } else {
            ""
        };
        let command = format!("referee stage {operation} {}{run}{option}{adopt}", self.id);
        Next { sentence: Some(sentence.to_owned()), command: Some(command) }
    }
}

impl Next {
    fn wait(sentence: &str) -> Self {
        Self { sentence: Some(sentence.to_owned()), command: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_told_as_a_shell_takes_it() {
        assert_eq!(shell_word("runs/run-2026-11-22-001"), "runs/run-2026-11-22-001");
        assert_eq!(shell_word("my runs/it's"), r"'my runs/it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
