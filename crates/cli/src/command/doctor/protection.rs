//! Checks the protection of the gate: the lock or the trusted commit, drift, and whether hooks, CI and the
//! specification are protected.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::protection::{Baseline, RuleBook};
use referee_engine::protection_source;
use referee_judge::criteria;
use referee_model::doctor::{Check, Finding, Grade};
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::{Drift, Mode, TrustedBaseline};
use referee_syntax::count::list;

use super::project::Project;
use super::{Hooks, file};
use crate::resolve;

/// Maximum number of paths in one finding.
const NAMED: usize = 8;

/// CI configurations that are single files.
const CI_FILES: [&str; 6] = [
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    ".travis.yml",
    ".pre-commit-config.yaml",
];

/// Checks the protection of the gate.
pub(super) fn look(context: &Context, project: &Project, hooks: &Hooks) -> Vec<Finding> {
    let Some(suite) = &project.suite else {
        let what = "without a specification that loads it is not known what is protected";
        return vec![Finding::bad(Check::Baseline, Grade::Unknown, what)];
    };
    let reference = context.variable("REFEREE_TRUSTED").map(|value| value.to_string_lossy().into_owned());
    match protection_source::baseline(context, suite, project.state.as_ref(), reference.as_deref()) {
        Err(problem) => vec![Finding::bad(Check::Baseline, Grade::Problem, problem.message)],
        Ok(None) => {
            vec![Finding::bad(Check::Baseline, Grade::Problem, "nothing is locked, and no commit is trusted")]
        }
        Ok(Some(baseline)) => {
            vec![named(&baseline), drift(project, &baseline), protected(project, hooks, &baseline)]
        }
    }
}

fn named(baseline: &Baseline) -> Finding {
    let check = Check::Baseline;
    if let Some(loss) = baseline.all().find_map(Baseline::loss) {
        return Finding::bad(check, Grade::Problem, loss.to_owned());
    }
    let doubt = baseline.all().find_map(|baseline| baseline.doubt.clone());
    match (&baseline.trusted, doubt) {
        (_, Some(doubt)) => Finding::bad(check, Grade::Warning, doubt),
        (TrustedBaseline::Git { reference, commit }, None) if reference == commit => {
            Finding::ok(check, format!("protected files are compared with the commit {commit}"))
        }
        (TrustedBaseline::Git { reference, .. }, None) => {
            let what = format!(
                "protected files are compared with {reference}, a name that whoever changes the repository can move"
            );
            Finding::bad(check, Grade::Warning, what)
                .fixed_by("Name the commit by its whole id: `referee enroll --trusted ID`.")
        }
        (TrustedBaseline::Lock { approved_by: Some(approver), .. }, None) => {
            Finding::ok(check, format!("referee.lock is signed by {approver}"))
        }
        (TrustedBaseline::Lock { .. }, None) => match baseline.notes.first() {
            Some(note) => Finding::bad(check, Grade::Warning, note.clone()),
            None => Finding::ok(check, format!("files that are locked: {}", baseline.lock.files.len())),
        },
    }
}

fn drift(project: &Project, baseline: &Baseline) -> Finding {
    let Some(plan) = project.plan() else {
        return Finding::bad(Check::Drift, Grade::Unknown, "the specification has no task");
    };
    match baseline.observe(plan) {
        Err(error) => Finding::bad(Check::Drift, Grade::Problem, error.to_string()),
        Ok(protection) => {
            let (now, nothing) = (resolve::now(), RunContext::default());
            let blocking: Vec<&Drift> =
                protection.drift.iter().filter(|drift| criteria::stands(drift, &nothing, now)).collect();
            if blocking.is_empty() {
                return Finding::ok(Check::Drift, "everything that is protected is as it was");
            }
            let paths: Vec<&str> = blocking.iter().map(|drift| drift.path.as_str()).collect();
            Finding::bad(
                Check::Drift,
                Grade::Problem,
                format!("differs from what was approved: {}", list(&paths, NAMED)),
            )
        }
    }
}

/// Reports whether the files that arm the gate are protected byte for byte.
fn protected(project: &Project, hooks: &Hooks, baseline: &Baseline) -> Finding {
    let bad = |what: String| Finding::bad(Check::Protected, Grade::Problem, what);
    let book = match RuleBook::new(&baseline.lock.rules) {
        Ok(book) => book,
        Err(error) => return bad(error),
    };
    let is_held = |path: &str| {
        let rule = book.of(path);
        let is_frozen = rule.is_some_and(|applied| applied.mode == Mode::Frozen && applied.values.is_empty());
        is_frozen && baseline.lock.file(path).is_some()
    };
    let mut paths: Vec<String> = project.suite.iter().map(|suite| suite.specification.file.clone()).collect();
    let in_project = hooks.installed.iter().filter(|(file, _)| file.scope.is_in_project());
    for (file, hook) in in_project {
        paths.push(project.shown(Path::new(&file.path)));
        paths.extend(hook.runs_script.then(|| project.shown(Path::new(&file.script.path))));
    }
    paths.extend(ci_files(project));
    // Files outside the workspace cannot be covered by the lock, and are reported elsewhere.
    paths.retain(|path| !Path::new(path).is_absolute());
    paths.sort();
    paths.dedup();
    let open: Vec<&str> = paths.iter().map(String::as_str).filter(|path| !is_held(path)).collect();
    if open.is_empty() {
        return Finding::ok(Check::Protected, format!("held byte for byte: {}", list(&paths, NAMED)));
    }
    bad(format!("not held by what protects the project: {}", list(&open, NAMED)))
}

/// Returns the existing CI files, relative to the project.
pub(super) fn ci_files(project: &Project) -> Vec<String> {
    let workflows = project.directory.join(".github/workflows");
    let found = [".yml", ".yaml"].into_iter().flat_map(|ending| file::entries(&workflows, ending));
    let mut paths: Vec<String> = found.map(|path| project.shown(&path)).collect();
    paths.extend(CI_FILES.iter().filter(|name| project.directory.join(name).is_file()).map(|name| (*name).to_owned()));
    paths
}
