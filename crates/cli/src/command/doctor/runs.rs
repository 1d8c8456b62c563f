//! Checks runs: the chain, the status of tasks, waivers, the evidence directory, and CI.

use referee_engine::context::Context;
use referee_engine::status::{self, Looking};
use referee_exec::git::Repository;
use referee_ledger::Store;
use referee_ledger::waivers::{self, Approvers};
use referee_model::doctor::{Check, Finding, Grade};
use referee_model::plan::Plan;
use referee_model::run_context::waiver::WaiverStanding;
use referee_model::status::TaskState;
use referee_model::suite::Suite;

use super::project::Project;
use super::{file, protection};
use crate::resolve;

/// Commands that check in CI.
const CALLS: [&str; 3] = ["referee ci", "referee gate", "referee run"];

pub(super) fn look(context: &Context, project: &Project) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let (Some(suite), Some(plan)) = (&project.suite, project.plan()) {
        findings.extend(suite.tasks.iter().map(|plan| chain(project, plan)));
        findings.push(verdict(context, project, suite));
        findings.push(waived(project, plan));
        findings.push(evidence(context, project, plan));
    }
    findings.push(ci(project));
    findings
}

fn chain(project: &Project, plan: &Plan) -> Finding {
    let directory = plan.evidence_root.join(plan.task.as_str());
    let of_task = |finding: Finding| finding.about(plan.task.as_str());
    if !directory.is_dir() {
        return of_task(Finding::ok(Check::Chain, "no run stands in the evidence directory"));
    }
    match Store::survey(&directory, &plan.task, project.state.as_ref()) {
        Err(error) => of_task(Finding::bad(Check::Chain, Grade::Problem, error.to_string())),
        Ok(None) => of_task(Finding::bad(Check::Chain, Grade::Unknown, "the evidence directory is a copy")),
        Ok(Some(survey)) => of_task(standing(&survey)),
    }
}

fn standing(survey: &referee_ledger::chain_status::ChainStatus) -> Finding {
    use referee_ledger::chain_status::ChainStanding;
    if let Some(broken) = survey.breaks.first() {
        return Finding::bad(Check::Chain, Grade::Problem, broken.clone());
    }
    match survey.standing {
        ChainStanding::Head | ChainStanding::Publishing => {
            Finding::ok(Check::Chain, "the run that stands in the evidence directory is the latest of its chain")
        }
        ChainStanding::RolledBack => {
            Finding::bad(Check::Chain, Grade::Problem, "an earlier run was put in the place of the latest")
        }
        ChainStanding::Foreign | ChainStanding::Earlier | ChainStanding::Unnamed => Finding::bad(
            Check::Chain,
            Grade::Problem,
            "the run in the evidence directory is not the one that the chain has",
        ),
        ChainStanding::Unsealed => {
            Finding::bad(Check::Chain, Grade::Warning, "the run in the evidence directory has no seal")
        }
        ChainStanding::NotKept => Finding::bad(
            Check::Chain,
            Grade::Warning,
            "the state directory knows no run of this task, so nothing says whether this is the latest",
        ),
    }
}

fn verdict(context: &Context, project: &Project, suite: &Suite) -> Finding {
    let check = Check::LastVerdict;
    let looking = Looking { environment: &context.environment, state: project.state.as_ref(), replay: false };
    let statuses = match status::recompute(suite, looking) {
        Ok(statuses) => statuses,
        Err(failure) => return Finding::bad(check, Grade::Problem, failure.to_string()),
    };
    if let Some(status) = statuses.iter().find(|status| status.tampered) {
        let what = format!("the evidence of {} was changed after it was sealed: {}", status.task, status.reason);
        return Finding::bad(check, Grade::Problem, what)
            .fixed_by("`referee evidence verify` names what; then run again.");
    }
    match statuses.iter().find(|status| status.state != TaskState::Complete) {
        None => Finding::ok(check, "every task is complete, by its last sealed run"),
        Some(status) => {
            let what = format!("{} is {}: {}", status.task, status.state.as_str(), status.reason);
            Finding::bad(check, Grade::Warning, what)
        }
    }
}

fn waived(project: &Project, plan: &Plan) -> Finding {
    let now = resolve::now();
    let approvers = Approvers::load(project.state.as_ref(), now);
    let (mut in_force, mut refused) = (Vec::new(), Vec::new());
    for waiver in waivers::find(&plan.workspace, &approvers) {
        match waiver.standing {
            WaiverStanding::Signed { terms, approver, .. } if terms.given <= now && now < terms.until => {
                in_force.push(format!("{} (by {approver}, until {})", waiver.id, terms.until));
            }
            WaiverStanding::Signed { .. } => {}
            WaiverStanding::Refused { reason } => refused.push(format!("{} ({reason})", waiver.id)),
        }
    }
    if in_force.is_empty() && refused.is_empty() {
        return Finding::ok(Check::Waivers, "no waiver is in force");
    }
    let part = |word: &str, list: &[String]| (!list.is_empty()).then(|| format!("{word}: {}", list.join(", ")));
    let parts: Vec<String> = [part("in force", &in_force), part("refused", &refused)].into_iter().flatten().collect();
    Finding::bad(Check::Waivers, Grade::Warning, parts.join("; "))
}

fn evidence(context: &Context, project: &Project, plan: &Plan) -> Finding {
    let check = Check::EvidenceDirectory;
    let root = &plan.evidence_root;
    let shown = project.shown(root);
    let Ok(below) = root.strip_prefix(&project.directory) else {
        return Finding::ok(check, format!("{shown} is outside the project"));
    };
    let Ok(facts) = root.symlink_metadata() else {
        return Finding::ok(check, format!("{shown} is not there yet: the first run makes it, ignored by git"));
    };
    if !facts.is_dir() {
        return Finding::bad(check, Grade::Problem, format!("{shown} is not a directory")).fixed_by("Move it away.");
    }
    let tracked = Repository::open(&project.directory, context.search_path())
        .and_then(|repository| repository.tracked(&[below.to_string_lossy().into_owned()]));
    if tracked.is_ok_and(|tracked| !tracked.is_empty()) {
        return Finding::ok(check, format!("{shown} is committed"));
    }
    let is_ignored = file::read(&root.join(".gitignore"))
        .is_some_and(|read| read.is_ok_and(|text| text.starts_with(b"*")))
        || file::read(&project.directory.join(".gitignore")).is_some_and(|read| {
            let names = |line: &str| line.trim().trim_matches('/') == below.to_string_lossy();
            read.is_ok_and(|text| String::from_utf8_lossy(&text).lines().any(names))
        });
    if is_ignored {
        return Finding::ok(check, format!("{shown} is ignored by git"));
    }
    Finding::bad(check, Grade::Warning, format!("{shown} is neither ignored by git nor committed"))
}

/// Advises on CI, which can only overrule claims if it runs Referee.
fn ci(project: &Project) -> Finding {
    let files = protection::ci_files(project);
    let calls = |path: &&String| {
        let text = file::read(&project.directory.join(path)).and_then(Result::ok).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        CALLS.iter().any(|call| text.contains(call))
    };
    match files.iter().find(calls) {
        Some(path) => Finding::ok(Check::Ci, format!("{path} calls Referee")),
        None => Finding::bad(Check::Ci, Grade::Warning, "no workflow of CI calls Referee"),
    }
}
