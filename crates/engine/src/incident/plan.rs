//! Plans an incident: by rules, or by a user's planner program whose answer must follow the rules.

use std::path::PathBuf;

use referee_exec::signal::Cancellation;
use referee_judge::incident::evidence::{self, FailureEvidence};
use referee_judge::incident::finding::{self, Finding};
use referee_judge::incident::plan::proposal::merged;
use referee_judge::incident::plan::{Case, NEVER_RED, by_rules, safe_path};
use referee_ledger::approvals;
use referee_ledger::incidents::{Part, PartFile, Stored};
use referee_ledger::redness::Redness;
use referee_model::document::{from_bytes, to_bytes};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::{Planner, RemediationPlan, Verification};
use referee_model::incident::status::{Illegal, IncidentEvent, IncidentStatus};
use referee_model::incident::{self as bundle, PlanState, planner as asked, remediation};
use referee_model::limit::{INCIDENT_LOG_BYTES, PLAN_EVIDENCE};
use referee_model::time::Timestamp;
use serde_json::Value;

use super::{IncidentContext, IncidentError, part_file, take_step};

mod planner;

/// Options of planning.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// Whether an existing plan is replaced. Its approval is voided then.
    pub force: bool,
    /// Checks of the specification that a plan may choose from to verify the repair. Empty: there are none.
    pub checks: Vec<Verification>,
    /// The planner: a program and its arguments. `None`: the plan is made by rules.
    pub planner: Option<Vec<String>>,
    /// Time limit of the planner in milliseconds. 0: the default.
    pub planner_ms: u64,
    /// Directory that the planner starts in, and that target paths are relative to.
    pub workspace: PathBuf,
    /// Whether the loop requests the plan: it counts as a replan.
    pub is_replan: bool,
    /// Target paths given by a person, in addition to those of the diagnostics; relative to the workspace.
    pub targets: Vec<String>,
    /// Cancels the planner. `None`: only its time limit stops it.
    pub cancellation: Option<Cancellation>,
}

/// Name of the file with a plan's approval, beside the plan.
pub(super) const APPROVAL: &str = "approval.json";

/// Makes and writes a plan, which a person has to approve.
///
/// # Errors
/// Fails if the status of the incident does not allow it, if there is a plan already and neither `force` nor a
/// replan is requested, or if the plan cannot be stored. A failing planner is no error: the plan is made by rules
/// and says why.
pub fn plan(
    context: IncidentContext<'_>,
    id: &IncidentId,
    request: &PlanRequest,
) -> Result<RemediationPlan, IncidentError> {
    let seen = context.find(id)?;
    let earlier = Earlier::read(context, &seen)?;
    event(&seen, request, earlier.is_there())?;
    let targets = request.targets.iter().map(|path| target(path, request)).collect::<Result<Vec<_>, _>>()?;
    let kept = Kept::read(context, &seen)?;
    let now = context.now();
    let mut made = make(context, (&seen, &kept), request, (&targets, earlier.revision.saturating_add(1), now))?;
    let redness = Redness::read(context.state, context.incidents.root(), id)?;
    let commands = &made.verification_commands;
    if !commands.is_empty() && !commands.iter().any(|command| redness.was_red(command)) {
        made.unknowns.insert(0, NEVER_RED.to_owned());
    }
    let files = files(&made, &earlier)?;
    // First, so that no crash leaves a valid approval for a plan that is restored later. The files are not asked
    // whether there was an approval, since they could have been moved away meanwhile.
    let before = Timestamp::from_millisecond(now.as_millisecond().saturating_sub(1));
    approvals::void(context.state, context.incidents.root(), id, before)?;
    let action = if request.is_replan { "replan" } else { "plan" };
    context.change(id, action, now, |stored, change| {
        let event = event(stored, request, earlier.is_there())?;
        if stored.incident.plan_revision != seen.incident.plan_revision || stored.shelf != seen.shelf {
            return Err(IncidentError::Refused(format!(
                "incident {id} was changed meanwhile: look at it, and plan again"
            )));
        }
        take_step(change, event)?;
        let incident = &mut change.incident;
        incident.plan_state = Some(PlanState::Proposed);
        incident.plan_path = Some(format!("error_plans/{id}/{}", remediation::PLAN));
        incident.planned_at = Some(now);
        incident.plan_revision = made.revision;
        incident.replans = incident.replans.saturating_add(u32::from(request.is_replan));
        (incident.approved_at, incident.approved_by) = (None, None);
        change.files = files;
        change.removed.extend(earlier.approval.map(|_| (Part::Plan, APPROVAL.to_owned())));
        let by = if made.planner.mode == "ai" { "by the planner" } else { "by rules" };
        change.note = format!("revision {}, {by}", made.revision);
        Ok(())
    })?;
    Ok(made)
}

/// Returns the event of the incident that a plan causes in its current status.
fn event(stored: &Stored, request: &PlanRequest, has_plan: bool) -> Result<IncidentEvent, IncidentError> {
    let (id, may_replace) = (&stored.incident.incident_id, request.force || request.is_replan);
    let refused = |reason: String| Err(IncidentError::Refused(reason));
    match stored.incident.status {
        IncidentStatus::New => Ok(IncidentEvent::Planned),
        IncidentStatus::PlanProposed if may_replace || !has_plan => Ok(IncidentEvent::Planned),
        IncidentStatus::PlanProposed => refused(format!(
            "incident {id} has a plan (revision {}) that waits for approval: pass --force to make another one",
            stored.incident.plan_revision.max(1)
        )),
        IncidentStatus::Approved if may_replace => Ok(IncidentEvent::PlanChanged),
        IncidentStatus::Approved => refused(format!(
            "the plan of incident {id} is approved, and another one voids that: pass --force if that is meant"
        )),
        IncidentStatus::Running if request.is_replan => Ok(IncidentEvent::ReplanRequested),
        IncidentStatus::Running => refused(format!(
            "incident {id} is being worked on by its plan: the loop makes another one when this one brings nothing"
        )),
        IncidentStatus::HandedOff => {
            refused(format!("incident {id} is handed off: recall it first, with `referee incident recall {id}`"))
        }
        IncidentStatus::Escalated => refused(format!(
            "incident {id} was left to a person: open it again first, with `referee incident reopen {id}`"
        )),
        from @ IncidentStatus::Resolved => Err(Illegal { from, event: IncidentEvent::Planned }.into()),
    }
}

fn target(path: &str, request: &PlanRequest) -> Result<String, IncidentError> {
    safe_path(path, &request.workspace.to_string_lossy()).ok_or_else(|| {
        IncidentError::Invalid(format!("the target path {path:?} is not inside {}", request.workspace.display()))
    })
}

/// The existing plan of an incident, if any.
struct Earlier {
    bytes: Option<Vec<u8>>,
    approval: Option<Vec<u8>>,
    /// Revision of the plan. 0: there was none.
    revision: u32,
}

impl Earlier {
    fn read(context: IncidentContext<'_>, stored: &Stored) -> Result<Self, IncidentError> {
        let id = &stored.incident.incident_id;
        let bytes = context.incidents.file(id, Part::Plan, remediation::PLAN)?;
        let read = bytes
            .as_deref()
            .map(|bytes| from_bytes::<RemediationPlan>(remediation::PLAN, bytes).map_or(1, |plan| plan.revision));
        let revision = read.unwrap_or(0).max(stored.incident.plan_revision);
        Ok(Self { bytes, approval: context.incidents.file(id, Part::Plan, APPROVAL)?, revision })
    }

    fn is_there(&self) -> bool {
        self.bytes.is_some()
    }
}

/// Stored evidence of an incident's failure, without secrets.
struct Kept {
    message: String,
    signature: String,
    context: Value,
    log: String,
    diagnostics: Value,
    findings: Vec<Finding>,
    failed: Vec<String>,
    command: Vec<String>,
}

impl Kept {
    fn read(context: IncidentContext<'_>, stored: &Stored) -> Result<Self, IncidentError> {
        let file = |name: &str| context.incidents.file(&stored.incident.incident_id, Part::Incident, name);
        // Invalid JSON contributes nothing; the rest of the evidence still does.
        let json = |bytes: Option<Vec<u8>>| {
            let value = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null);
            context.redactor.data_strictly(value)
        };
        let (facts, diagnostics) = (json(file(bundle::CONTEXT)?), json(file(bundle::DIAGNOSTICS)?));
        let log = file(bundle::LOG_TAIL)?.unwrap_or_default();
        let tail = log.get(log.len().saturating_sub(INCIDENT_LOG_BYTES)..).unwrap_or_default();
        Ok(Self {
            message: context.clean(&stored.incident.message),
            signature: context.clean(&stored.incident.error_signature),
            log: context.clean(&String::from_utf8_lossy(tail)),
            findings: finding::read(&diagnostics),
            failed: [&facts["failed_actions"], &facts["capture"]["failed_actions"]]
                .into_iter()
                .flat_map(words)
                .collect(),
            command: words(&facts["capture"]["command"]),
            context: facts,
            diagnostics,
        })
    }
}

/// Returns a list of texts; empty for any other value.
fn words(value: &Value) -> Vec<String> {
    let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
    let words: Option<Vec<String>> = list.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    words.unwrap_or_default()
}

/// Makes the plan: by rules, merged with the planner's proposal if there is a planner and its answer follows the
/// rules.
fn make(
    context: IncidentContext<'_>,
    (stored, kept): (&Stored, &Kept),
    request: &PlanRequest,
    (targets, revision, now): (&[String], u32, Timestamp),
) -> Result<RemediationPlan, IncidentError> {
    let incident = &stored.incident;
    let rows = evidence::rows(&FailureEvidence {
        message: &kept.message,
        signature: &kept.signature,
        context: &kept.context,
        log: &kept.log,
        findings: &kept.findings,
    });
    debug_assert!(rows.len() <= PLAN_EVIDENCE);
    let case = Case {
        incident: &incident.incident_id,
        revision,
        now,
        step: &incident.step,
        failure_class: &incident.failure_class,
        message: &kept.message,
        log: &kept.log,
        findings: &kept.findings,
        rows: &rows,
        checks: &request.checks,
        failed: &kept.failed,
        command: &kept.command,
        targets,
        workspace: &request.workspace.to_string_lossy(),
    };
    let draft = by_rules(&case);
    let Some(command) = &request.planner else { return Ok(draft) };
    let question = asked::question(incident, &kept.diagnostics, request.checks.clone(), &draft);
    let question = referee_model::document::to_bytes(&question)?;
    let proposed = planner::ask(context, &incident.incident_id, (command, request), &question)?;
    let words: Vec<String> = command.iter().map(|word| context.clean(word)).collect();
    let made = proposed.and_then(|proposal| merged(draft.clone(), proposal, &case, &words));
    Ok(made.unwrap_or_else(|reason| RemediationPlan {
        planner: Planner { fallback_reason: Some(reason), ..draft.planner.clone() },
        ..draft
    }))
}

/// Returns the files to write: the plan, its page, and the plan that it replaces under another name.
fn files(document: &RemediationPlan, earlier: &Earlier) -> Result<Vec<PartFile>, IncidentError> {
    let file = |name: &str, bytes: Vec<u8>| part_file(Part::Plan, name, bytes);
    let bytes = to_bytes(document)?;
    let page = referee_report::remediation_plan::markdown(document).into_bytes();
    let mut files = vec![file(remediation::PLAN, bytes), file(remediation::PLAN_TEXT, page)];
    if let Some(bytes) = &earlier.bytes {
        files.push(file(&remediation::earlier(earlier.revision), bytes.clone()));
    }
    if let Some(bytes) = &earlier.approval {
        files.push(file(&void_approval(earlier.revision), bytes.clone()));
    }
    Ok(files)
}

/// Returns the file name of an approval that no longer counts.
pub(super) fn void_approval(revision: u32) -> String {
    format!("approval_{revision}.json")
}
