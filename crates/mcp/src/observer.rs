//! Follows a run: events become progress, and notes are kept for the answer.

use referee_engine::event_sink::{EventSink, Note};
use referee_model::event::{Event, journal};
use serde_json::Value;
use tokio::sync::mpsc;

/// Maximum number of steps that wait for the client. While it reads nothing, further ones are left out: progress is
/// told, and no run waits for that.
pub(crate) const WAITING: usize = 256;

/// One event of a run, as the client is told of it.
#[derive(Debug)]
pub(crate) struct Step {
    /// Number of the step, over all tasks of the run.
    pub(crate) number: u32,
    pub(crate) message: String,
    /// The event, as in the journal.
    pub(crate) event: Value,
}

/// Follows one run.
#[derive(Debug)]
pub(crate) struct Observer {
    /// Where steps go. `None`: the client did not ask for progress.
    steps: Option<mpsc::Sender<Step>>,
    number: u32,
    /// Notes beside the answer, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl Observer {
    pub(crate) fn new(steps: Option<mpsc::Sender<Step>>) -> Self {
        Self { steps, number: 0, notes: Vec::new() }
    }
}

impl EventSink for Observer {
    fn on_event(&mut self, event: &Event) {
        let Some(steps) = &self.steps else { return };
        self.number = self.number.saturating_add(1);
        let Ok(event) = serde_json::from_str::<Value>(&journal::line(event)) else { return };
        // A full queue, or a client that is gone: the run goes on.
        drop(steps.try_send(Step { number: self.number, message: sentence(&event), event }));
    }

    fn on_note(&mut self, note: &Note<'_>) {
        match note {
            Note::Text(text) => self.notes.push(text.clone()),
            Note::Complaints(complaints) => {
                self.notes
                    .extend(complaints.iter().map(|complaint| format!("{}: {}", complaint.file, complaint.message)));
            }
        }
    }
}

/// Tells an event in a few words, such as `STEP.1 types: action started`.
fn sentence(event: &Value) -> String {
    let words = |keys: &[&str]| -> Vec<String> {
        keys.iter().filter_map(|key| event.get(*key)?.as_str().map(str::to_owned)).collect()
    };
    let about = words(&["taskId", "actionId", "name", "title"]).join(" ");
    let kind = words(&["type"]).concat().replace('-', " ");
    let outcome = words(&["outcome", "status", "decision"]).join(" ");
    let told: Vec<String> = [about, kind, outcome].into_iter().filter(|part| !part.is_empty()).collect();
    told.join(": ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_told_by_what_it_is_about() {
        for (event, told) in [
            (json!({"type": "run-started", "taskId": "T001", "title": "All"}), "T001 All: run started"),
            (json!({"type": "action-started", "actionId": "STEP.1", "name": "types"}), "STEP.1 types: action started"),
            (json!({"type": "run-finished", "decision": "FAIL"}), "run finished: FAIL"),
        ] {
            assert_eq!(sentence(&event), told);
        }
    }
}
