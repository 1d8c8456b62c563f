//! Performs the operation that a form requests.

use std::sync::Arc;
use std::time::Duration;

use referee_engine::incident::approval::{self, ApprovalRequest, Credential};
use referee_engine::incident::archive::ArchiveRequest;
use referee_engine::incident::handoff::{self, HandoffRequest};
use referee_engine::incident::repair_loop::LoopOptions;
use referee_engine::incident::{IncidentContext, IncidentError, archive, detail, plan};
use referee_model::id::Digest;
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::{Closing, IncidentStatus};

use super::form::Form;
use super::mutation::Mutation;
use super::remedy;
use crate::problem::Problem;
use crate::service::{Project, Service};

/// Time to wait whether a loop is refused at once, before the page says that it was started.
const REFUSED_AT_ONCE: Duration = Duration::from_millis(700);

/// Milliseconds per minute.
const MINUTE: u64 = 60_000;

pub(super) async fn perform(
    service: &Arc<Service>,
    id: &IncidentId,
    operation: Mutation,
    form: &Form,
) -> Result<(), Problem> {
    if operation == Mutation::Run {
        return run(service, id, form).await;
    }
    let (id, form) = (id.clone(), form.clone());
    service.with_project(move |project| with_incidents(project, &id, operation, &form)).await
}

fn with_incidents(project: &Project, id: &IncidentId, operation: Mutation, form: &Form) -> Result<(), IncidentError> {
    let context = project.office.context("page");
    match operation {
        Mutation::Plan => plan::plan(context, id, &project.backend.plan_request(form.has("force"))).map(drop),
        Mutation::Approve => approve(context, id, form),
        Mutation::Reject => approval::reject(context, id, needed(form, "reason", "say why the plan is refused")?),
        Mutation::Handoff => {
            let executor = needed(form, "executor", "say who is to carry it out")?.to_owned();
            let (queue, force) = (project.queue.clone(), form.has("force"));
            handoff::hand_off(context, id, &HandoffRequest { executor, queue, force }).map(drop)
        }
        Mutation::Recall => handoff::recall(context, id),
        Mutation::Archive => {
            let reason = needed(form, "reason", "say why it is closed")?;
            let request = ArchiveRequest { result: closing(form)?, reason, note: form.given("note") };
            archive::archive(context, id, request).map(drop)
        }
        Mutation::Reopen => archive::reopen(context, id, needed(form, "reason", "say why it is opened again")?),
        Mutation::Run => Err(IncidentError::Internal("a loop is begun elsewhere".to_owned())),
    }
}

fn needed<'form>(form: &'form Form, name: &str, otherwise: &str) -> Result<&'form str, IncidentError> {
    form.given(name).ok_or_else(|| IncidentError::Invalid(otherwise.to_owned()))
}

fn closing(form: &Form) -> Result<Closing, IncidentError> {
    Closing::parse(form.one("result"))
        .ok_or_else(|| IncidentError::Invalid("say whether it is resolved or escalated".to_owned()))
}

fn approve(context: IncidentContext<'_>, id: &IncidentId, form: &Form) -> Result<(), IncidentError> {
    let person = needed(form, "person", "say who approves")?;
    let credential = match (form.given("envelope"), form.given("credential")) {
        (Some(envelope), _) => Credential::Envelope(envelope.as_bytes()),
        (None, Some(secret)) => Credential::Secret(secret),
        (None, None) => return Err(IncidentError::Invalid("an approval from here needs an approver's key".to_owned())),
    };
    let unread = |_| IncidentError::Refused("the plan is not the one that you looked at: read it again".to_owned());
    let expected = Some(Digest::parse(form.one("plan")).map_err(unread)?);
    let files = detail::detail(context, id)?.files;
    let commands = remedy::ticked(&files, form.all("command")).map_err(IncidentError::Invalid)?;
    let note = form.one("note").trim();
    let request = ApprovalRequest { person, note, commands: &commands, credential, expected };
    approval::approve(context, id, &request).map(drop)
}

async fn run(service: &Arc<Service>, id: &IncidentId, form: &Form) -> Result<(), Problem> {
    let options = options(form).map_err(Problem::invalid)?;
    let looked_at = id.clone();
    let (status, standing) = service
        .with_incidents("page", move |context| {
            Ok((context.find(&looked_at)?.incident.status, approval::standing(context, &looked_at)?))
        })
        .await?;
    // If the incident is already running, the loop itself deals with a missing approval.
    if status != IncidentStatus::Running {
        standing.map_err(|why| Problem::conflict(format!("it is not approved: {why}")))?;
    }
    let work = service.begin_loop(id, options)?;
    match tokio::time::timeout(REFUSED_AT_ONCE, work.ended()).await {
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(_)) | Err(_) => Ok(()),
    }
}

fn options(form: &Form) -> Result<LoopOptions, String> {
    let usual = LoopOptions::default();
    let count = |name: &str, usual: u32| match form.given(name) {
        Some(text) => text.parse().ok().filter(|count| (1..=1_000).contains(count)).ok_or_else(|| wrong(name, 1_000)),
        None => Ok(usual),
    };
    let runtime = match form.given("max_runtime_minutes") {
        Some(text) => text.parse::<u64>().ok().filter(|minutes| (1..=10_080).contains(minutes)),
        None => Some(usual.max_runtime_ms / MINUTE),
    };
    let archive = form.has("archive");
    Ok(LoopOptions {
        max_loops: count("max_loops", usual.max_loops)?,
        max_runtime_ms: runtime.ok_or_else(|| wrong("max_runtime_minutes", 10_080))? * MINUTE,
        same_error_limit: count("same_error_limit", usual.same_error_limit)?,
        no_progress_limit: count("no_progress_limit", usual.no_progress_limit)?,
        auto_replan: form.has("auto_replan"),
        single_iteration: form.has("single_iteration"),
        commit_on_resolve: form.has("commit_on_resolve"),
        push_on_resolve: form.has("push_on_resolve"),
        commit_message: form.given("commit_message").map(str::to_owned),
        archive_on_success: archive,
        archive_on_escalate: archive,
        ..usual
    })
}

fn wrong(name: &str, most: u64) -> String {
    format!("{} is a number from 1 to {most}", name.replace('_', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(text: &str) -> Form {
        Form::read(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_loop_may_spend_what_was_typed_and_boxes_that_are_not_ticked_are_off() {
        let read = options(&form("max_loops=2&max_runtime_minutes=5&single_iteration=yes&archive=yes")).unwrap();
        assert_eq!((read.max_loops, read.max_runtime_ms), (2, 300_000));
        assert!(read.single_iteration && read.archive_on_success && read.archive_on_escalate);
        assert!(!read.auto_replan && !read.commit_on_resolve && !read.push_on_resolve);
        assert_eq!(options(&form("auto_replan=yes&archive=yes")).unwrap(), LoopOptions::default());
    }

    #[test]
    fn limits_that_are_none_are_refused() {
        for text in ["max_loops=0", "max_loops=-1", "same_error_limit=x", "max_runtime_minutes=99999999999999999999"] {
            assert!(options(&form(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn an_incident_is_closed_in_a_way_that_there_is() {
        assert_eq!(closing(&form("result=resolved")).unwrap(), Closing::Resolved);
        assert!(closing(&form("result=new")).is_err() && closing(&form("")).is_err());
    }
}
