//! Describes a tried check: in the answer, and as a comment on a check that does not work.

use std::path::Path;

use referee_engine::trial::{Attempt, Cause, TrialOutcome};
use referee_model::plan::{Action, Work};
use referee_report::initial::{Trial, TrialResult};
use referee_spec::detect::Project;
use referee_syntax::count::list;

/// Maximum number of files named in a sentence.
const NAMED: usize = 5;

/// Install commands of Node projects, by lock file.
const INSTALLS: &[(&str, &str)] = &[
    ("package-lock.json", "npm ci"),
    ("npm-shrinkwrap.json", "npm ci"),
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("yarn.lock", "yarn install"),
    ("bun.lock", "bun install"),
    ("bun.lockb", "bun install"),
    ("package.json", "npm install"),
];

/// Describes the result of an attempt.
pub(super) fn of(attempt: &Attempt, action: &Action, root: &Path) -> Trial {
    let mut trial = Trial {
        result: TrialResult::DoesNotWork,
        reason: attempt.reason.clone(),
        advice: Some(attempt.advice.clone()).filter(|advice| !advice.is_empty()),
        finding: attempt.finding.clone(),
        edited: attempt.edited.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        left: attempt.left.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        duration_ms: attempt.outcome.is_some().then_some(attempt.duration_ms),
    };
    if !trial.edited.is_empty() {
        trial.result = TrialResult::EditsFiles;
        trial.reason = format!("edits files of the project: {}", list(&trial.edited, NAMED));
        trial.advice = Some("use a form that checks and writes nothing, such as `--check`".to_owned());
        return trial;
    }
    match &attempt.standing {
        TrialOutcome::Passes | TrialOutcome::Quiet => (trial.result, trial.advice) = (TrialResult::Passes, None),
        TrialOutcome::Fails => trial.result = TrialResult::Fails,
        TrialOutcome::NoService(service) => {
            trial.reason = format!("needs the service `{service}`, which does not work here: {}", attempt.reason);
        }
        TrialOutcome::FindsProducts(file) => {
            trial.reason = format!("all that it finds is in what another check or a build made, such as {file}");
            trial.advice = Some(format!("have the tool ignore {file}, as git does"));
        }
        TrialOutcome::Broken(Cause::NotInstalled) => {
            trial.reason = format!("not installed: {}", attempt.reason);
            if let Some(install) = install(action, root) {
                trial.advice = Some(format!("run `{install}`"));
            }
        }
        TrialOutcome::Broken(Cause::Deadline) => {
            trial.reason = format!("does not end: {}", attempt.reason);
            trial.advice = Some(
                "use a form that runs once and ends; if it is only slow, give it a longer `--try-timeout`".to_owned(),
            );
        }
        TrialOutcome::Broken(Cause::NoTests) => trial.advice = Some("write the first test".to_owned()),
        TrialOutcome::Broken(Cause::NoSummary) => {
            trial.advice = Some(
                "use a reporter that sums up, or set `exitCodeOnly: true` if its honest run prints no summary"
                    .to_owned(),
            );
        }
        TrialOutcome::Broken(Cause::Other) => {}
    }
    trial
}

/// Describes a check that was not tried, because another one that it needs does not work.
pub(super) fn needs(need: &str) -> Trial {
    Trial {
        result: TrialResult::DoesNotWork,
        reason: format!("needs `{need}`, which does not work here"),
        advice: None,
        finding: None,
        edited: Vec::new(),
        left: Vec::new(),
        duration_ms: None,
    }
}

/// Returns the comment on a check that does not work here.
pub(super) fn comment(trial: &Trial) -> String {
    match &trial.advice {
        Some(advice) => format!("{}: {advice}", trial.reason),
        None => trial.reason.clone(),
    }
}

/// Leaves a service that does not become ready to people.
pub(super) fn leave_service(name: &str, reason: &str, project: &mut Project) {
    for service in project.services.iter_mut().filter(|service| service.name == name) {
        service.needed = false;
        service.because = format!("does not work here: {reason}");
    }
}

/// Sets `exitCodeOnly` for a runner that printed no summary (ruling 9).
pub(super) fn by_exit_code(name: &str, project: &mut Project) {
    for check in project.checks.iter_mut().filter(|check| check.name == name && !check.exit_code_only) {
        check.exit_code_only = true;
        check.because.push_str("; it printed nothing when it was tried, so its exit code decides");
    }
}

/// Returns the command that installs the packages a command needs. None: they are installed, or it is not a
/// Node project.
fn install(action: &Action, root: &Path) -> Option<&'static str> {
    let Work::Command(command) = &action.work else { return None };
    let directory = root.join(command.directory.as_str());
    if !directory.join("package.json").is_file()
        || directory.join("node_modules").is_dir()
        || root.join("node_modules").is_dir()
    {
        return None;
    }
    let lock = |directory: &Path| {
        INSTALLS.iter().find(|(file, _)| directory.join(file).is_file()).map(|(_, install)| *install)
    };
    lock(&directory)
}
