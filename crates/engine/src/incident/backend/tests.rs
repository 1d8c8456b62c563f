#![expect(clippy::disallowed_methods, reason = "tests lay out workspaces")]

use std::fs;
use std::sync::Arc;

use referee_model::incident::attempt::FinalStatus;
use referee_model::incident::status::IncidentStatus;
use referee_model::verdict::Decision;

use super::*;
use crate::context::sample;
use crate::gate::{self, GateRequest};
use crate::incident::approval::{self, ApprovalRequest, Credential};
use crate::incident::capture::{self, CaptureRequest, CaptureResult, CaptureSource};
use crate::incident::plan;
use crate::run::GateOptions;

#[test]
fn a_failed_run_is_captured_planned_approved_repaired_and_archived() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let project = root.join("project");
    fs::create_dir(&project).unwrap();
    fs::write(project.join("referee.yaml"), "task: T001\nchecks:\n  out: { run: 'test -s out.txt' }\n").unwrap();
    fs::write(project.join("agent.sh"), "cat > prompt.json\necho x > out.txt\n").unwrap();
    let mut context = sample::context(&project);
    context.environment.push(("REFEREE_STATE_DIR".into(), root.join("state").into()));
    let (mut notes, cancellation) = (Arc::new(|_: &Note<'_>| ()) as NoteSink, Cancellation::new().unwrap());
    let suite = context.load_single(&SpecificationNames::default(), "one", &mut notes).unwrap();
    let options = GateOptions::default();
    let request = GateRequest {
        context: &context,
        suite: &suite,
        options: &options,
        held_out: None,
        is_settled: false,
        reuse: true,
        timeout: None,
        cancellation: &cancellation,
    };
    assert_eq!(gate::ask(&request, &mut notes).unwrap().decision, Decision::Fail);

    let service = IncidentService::of_project(&context, None).unwrap();
    let (given, last) = (CaptureRequest::default(), CaptureSource::LastRuns(Vec::new()));
    let captured = capture::capture_from(&context, service.context("p"), last, &given, &mut notes).unwrap();
    let [CaptureResult::New(id)] = captured.as_slice() else { panic!("{captured:?}") };
    let options = BackendOptions {
        verification: VerificationOptions::default(),
        agent: Some("sh agent.sh".to_owned()),
        agent_timeout: 60_000,
        agent_workers: None,
        live: None,
        planner: None,
        notes,
    };
    let backend = Backend::new(&context, options).unwrap();
    assert_eq!((backend.workspace(), backend.evidence_root()), (project.as_path(), project.join("evidence")));
    let unapproved = backend.run(&service, id, LoopOptions::default(), &cancellation);
    assert!(matches!(unapproved, Err(IncidentError::Illegal(_))), "{unapproved:?}");
    let plan = plan::plan(service.context("p"), id, &backend.plan_request(false)).unwrap();
    assert_eq!(plan.verification_commands.len(), 1, "{plan:?}");
    let credential = Credential::Terminal;
    let request = ApprovalRequest { person: "p", note: "", commands: &[], credential, expected: None };
    approval::approve(service.context("p"), id, &request).unwrap();
    let result = backend.run(&service, id, LoopOptions::default(), &cancellation).unwrap();
    assert_eq!(result.final_status, FinalStatus::Resolved, "{result:?}");
    assert!(project.join("prompt.json").is_file(), "the agent was told what failed");
    let stored = service.context("p").find(id).unwrap();
    assert_eq!(stored.incident.status, IncidentStatus::Resolved);
    assert!(stored.path().contains("archive"), "{}", stored.path());
}
