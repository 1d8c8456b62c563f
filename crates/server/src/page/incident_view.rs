//! Everything about one incident, for display.

use referee_engine::incident::approval::{self, inspect, standing};
use referee_engine::incident::detail::{Detail, Finding, IncidentFile, detail, file, findings};
use referee_engine::incident::{IncidentContext, IncidentError, Part};
use referee_model::access::Role;
use referee_model::id::{ExecutionId, TaskId};
use referee_model::incident::approval::Approval;
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::PLAN;
use referee_model::incident::status::IncidentStatus;
use referee_model::incident::{CONTEXT, DIAGNOSTICS, IncidentDocument, LOG_TAIL};
use referee_syntax::cut::head;
use serde_json::Value;

use super::harmless;
use super::history::{self, Entry};
use super::moment::Moment;
use super::mutation::{Mutation, Offers, PlanState};
use super::remedy::{Plan, Word};
use super::state::State;
use super::tail::Tail;
use super::turns::Turns;

/// Maximum size of the context shown, in bytes.
const CONTEXT_BYTES: usize = 16 * 1024;

/// Maximum number of diagnostics shown.
const DIAGNOSTICS_SHOWN: usize = 50;

/// Everything about one incident. All texts are harmless.
pub(super) struct IncidentView {
    pub(super) incident: IncidentDocument,
    pub(super) state: State,
    /// Directory of the incident, relative to the root.
    pub(super) path: String,
    pub(super) created: Moment,
    pub(super) updated: Moment,
    pub(super) last_seen: Option<Moment>,
    pub(super) offers: Offers,
    /// Whether a loop of this server is running for the incident.
    pub(super) is_at_work: bool,
    /// Address of the page of the run that the incident was captured from.
    pub(super) run: Option<String>,
    pub(super) tail: Tail,
    pub(super) diagnostics: Vec<Finding>,
    pub(super) context: String,
    pub(super) plan: Option<Plan>,
    /// Why the plan cannot be parsed.
    pub(super) unreadable: Option<String>,
    pub(super) word: Word,
    pub(super) difference: Vec<Changed>,
    pub(super) handoff: Option<Handoff>,
    pub(super) turns: Turns,
    pub(super) history: Vec<Entry>,
}

impl IncidentView {
    /// Returns whether the loop is shown first: it is running, or has ended.
    pub(super) fn is_loop_first(&self) -> bool {
        matches!(self.state.0, IncidentStatus::Running | IncidentStatus::Resolved | IncidentStatus::Escalated)
    }
}

/// A line of the difference between the approved plan and the current one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Changed {
    /// `added`, `removed`, `same`, or `place`.
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// A handoff package, and the executor's answer.
#[derive(Debug, Default)]
pub(super) struct Handoff {
    pub(super) executor: String,
    pub(super) prepared: Option<Moment>,
    /// Directory that the package was put into for the executor.
    pub(super) queue: Option<String>,
    /// When the executor accepted the handoff.
    pub(super) accepted: Option<Moment>,
    /// The executor's handback, summarized.
    pub(super) handed_back: Option<String>,
}

/// Reads everything about an incident, for whoever may do this much. `is_at_work`: a loop is running for it. `asked`:
/// the operation that was requested and refused.
pub(super) fn read(
    context: IncidentContext<'_>,
    id: &IncidentId,
    role: Role,
    (is_at_work, asked): (bool, Option<Mutation>),
) -> Result<IncidentView, IncidentError> {
    // An operator's check resets an incident whose plan was changed, so it comes first, and everything else is read
    // after it.
    let word = match role {
        Role::Viewer => inspect(context, id),
        Role::Operator => standing(context, id),
    };
    let found = detail(context, id)?;
    let has_plan = file(&found.files, Part::Plan, PLAN).is_some();
    let word = match word {
        Ok(word) if has_plan => word,
        Ok(_) => Err("there is no plan".to_owned()),
        Err(error) => Err(error.to_string()),
    };
    let changed = approval::difference(context, id)?;
    let mut view = of(&found, word, changed.as_deref(), history::of(context, id)?, (is_at_work, asked))?;
    if role < Role::Operator {
        view.offers = Offers::none();
    }
    Ok(view)
}

/// Builds the view from the data of an incident.
pub(super) fn of(
    Detail { stored, files }: &Detail,
    word: Result<Approval, String>,
    changed: Option<&str>,
    history: Vec<Entry>,
    (is_at_work, asked): (bool, Option<Mutation>),
) -> Result<IncidentView, IncidentError> {
    // A new incident needs a new plan, so an earlier approval no longer matters.
    let changed = changed.filter(|_| stored.incident.status != IncidentStatus::New);
    let incident = harmless::copy(&stored.incident)
        .ok_or_else(|| IncidentError::Internal("the incident cannot be shown".to_owned()))?;
    let (plan, unreadable) = match Plan::read(files) {
        Some(Ok(plan)) => (Some(plan), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let evidence = plan.as_ref().map(|plan| plan.document.evidence.as_slice()).unwrap_or_default();
    let standing = match &word {
        _ if is_at_work => PlanState::AtWork,
        Ok(_) => PlanState::Approved,
        Err(_) => PlanState::Unapproved,
    };
    let own = |name: &str| file(files, Part::Incident, name).unwrap_or_default();
    Ok(IncidentView {
        state: State(stored.incident.status),
        path: stored.path(),
        created: Moment(stored.incident.created_at),
        updated: Moment(stored.incident.updated_at),
        last_seen: stored.incident.last_seen_at.map(Moment),
        offers: Offers::of(stored, standing, asked),
        is_at_work,
        run: context_run(own(CONTEXT), &stored.incident.run_id),
        tail: Tail::read(own(LOG_TAIL), evidence),
        diagnostics: diagnostics(own(DIAGNOSTICS)),
        context: context(own(CONTEXT)),
        difference: difference(changed),
        handoff: handoff(files, &incident),
        turns: Turns::read(files),
        word: Word::of(stored, word, changed.is_some()),
        history,
        incident,
        plan,
        unreadable,
    })
}

/// Parses the diagnostics, wherever in the document their list is.
fn diagnostics(bytes: &[u8]) -> Vec<Finding> {
    let mut found = findings(&harmless::document(bytes).unwrap_or_default());
    found.truncate(DIAGNOSTICS_SHOWN);
    found
}

/// Formats a context. Empty for an empty one.
fn context(bytes: &[u8]) -> String {
    let value: Value = harmless::document(bytes).unwrap_or_default();
    if value.as_object().is_none_or(serde_json::Map::is_empty) {
        return String::new();
    }
    head(&serde_json::to_string_pretty(&value).unwrap_or_default(), CONTEXT_BYTES).to_owned()
}

/// Returns the address of the page of the run that an incident was captured from. `None`: it was not captured
/// from a run.
fn context_run(bytes: &[u8], run: &str) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let task = TaskId::parse(value.pointer("/capture/task")?.as_str()?).ok()?;
    let execution = ExecutionId::parse(run).ok()?;
    Some(format!("/runs/{task}?run={execution}"))
}

/// Parses the difference between the approved plan and the current one.
fn difference(text: Option<&str>) -> Vec<Changed> {
    let line = |line: &str| {
        let kind = match line.as_bytes().first() {
            _ if ["+++", "---", "@@"].iter().any(|head| line.starts_with(head)) => "place",
            Some(b'+') => "added",
            Some(b'-') => "removed",
            _ => "same",
        };
        Changed { kind, text: harmless::text(line) }
    };
    text.unwrap_or_default().lines().map(line).collect()
}

fn handoff(files: &[IncidentFile], incident: &IncidentDocument) -> Option<Handoff> {
    let read = |name| file(files, Part::Handoff, name).and_then(|bytes| harmless::document::<Value>(bytes).ok());
    let package = read("handoff.json")?;
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let claim = |value: Value| {
        let fault = |key: &str| value.get("error").map(|error| text(error, key)).unwrap_or_default();
        let parts = [text(&value, "reason"), fault("code"), text(&value, "description"), fault("message")];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
    };
    Some(Handoff {
        executor: text(&package, "executor"),
        prepared: Moment::read(&text(&package, "prepared_at")),
        queue: incident.handoff_queue_path.clone(),
        accepted: read("accept.json").and_then(|value| Moment::read(&text(&value, "timestamp"))),
        handed_back: read("handback.json").map(claim),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_are_found_in_a_list_or_below_their_key_and_junk_is_none() {
        let entry =
            r#"{"severity":"error","message":"a\u0000b","file":"a.ts","position":{"line":3},"blocking":true,"more":1}"#;
        for text in [format!("[{entry},7]"), format!("{{\"diagnostics\":[{entry}]}}")] {
            let found = diagnostics(text.as_bytes());
            assert_eq!((found.len(), found[0].message.as_str()), (1, "a\\u{0}b"));
            assert_eq!((found[0].file.as_deref(), found[0].line), (Some("a.ts"), Some(3)));
        }
        assert!(diagnostics(b"").is_empty() && diagnostics(b"{").is_empty() && diagnostics(b"{}").is_empty());
    }

    #[test]
    fn an_empty_context_is_nothing_and_a_large_one_is_cut() {
        assert!([&b"{}"[..], b"junk", b"[1]"].into_iter().all(|bytes| context(bytes).is_empty()));
        assert_eq!(context(br#"{"a":1}"#), "{\n  \"a\": 1\n}");
        assert_eq!(context(format!("{{\"a\":\"{}\"}}", "x".repeat(99_000)).as_bytes()).len(), CONTEXT_BYTES);
    }

    #[test]
    fn the_run_that_it_was_captured_from_is_found_by_ids_and_by_nothing_else() {
        let run = "exec-20261122T140958249Z-556404da";
        assert_eq!(context_run(br#"{"capture":{"task":"T001"}}"#, run).unwrap(), format!("/runs/T001?run={run}"));
        assert_eq!(context_run(br#"{"capture":{"task":"../x"}}"#, run), None);
        assert_eq!(context_run(br#"{"capture":{"task":"T001"}}"#, "import \"7\""), None);
        assert_eq!(context_run(b"{}", run), None);
    }

    #[test]
    fn lines_of_a_difference_are_known_by_how_they_begin() {
        let kinds: Vec<_> = difference(Some("--- one\n@@\n-a\n+b\n c")).into_iter().map(|line| line.kind).collect();
        assert_eq!(kinds, ["place", "place", "removed", "added", "same"]);
        assert!(difference(None).is_empty());
    }
}
