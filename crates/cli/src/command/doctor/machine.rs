//! Checks the machine: state directory, confinement, git, variables, clock.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use referee_engine::context::Context;
use referee_exec::ControlGroups;
use referee_exec::git::Repository;
use referee_exec::sandbox::{self, Kernel};
use referee_judge::doctor::is_low_cap;
use referee_ledger::State;
use referee_model::doctor::{Check, Finding, Grade};
use referee_model::plan::guard::Limits;
use rustix::fs::{Access, StatFs};

use super::project::Project;
use crate::resolve;

/// Remote file systems, by their type number in statfs(2).
#[cfg(not(target_os = "macos"))]
const REMOTE: [(u64, &str); 8] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x517b, "SMB"),
    (0x0102_1997, "9P"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x0bd0_0bd0, "Lustre"),
];

/// Variables that affect judgement, or whether hooks run at all.
const VARIABLES: [&str; 6] = [
    "REFEREE_SPECIFICATION",
    "REFEREE_WORKSPACE",
    "REFEREE_PROFILE",
    "REFEREE_HELD_OUT",
    "CLAUDE_CODE_SIMPLE",
    "CLAUDE_CODE_SAFE_MODE",
];

/// Variable with the number of blocks after which Claude Code ends a turn.
const BLOCK_CAP: &str = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP";

/// Earliest time that a correct clock can show: 2026-01-01.
const EARLIEST_MS: i64 = 1_767_225_600_000;

/// Maximum difference between two clocks of one machine, in milliseconds.
const SKEW_MS: u64 = 5 * 60 * 1_000;

pub(super) fn look(context: &Context, project: &Project) -> Vec<Finding> {
    let mut findings = state(context, project);
    findings.push(confinement());
    findings.push(groups(context));
    findings.push(git(context, project));
    findings.extend(requirements(context, project));
    findings.extend(variables(context));
    findings.push(clock(project));
    findings
}

/// Reports what databases, browsers and containers of the specification lack. None: it has none of them.
fn requirements(context: &Context, project: &Project) -> Vec<Finding> {
    let Some(suite) = &project.suite else { return Vec::new() };
    let plans = || suite.tasks.iter().filter(|plan| referee_exec::has_external(plan));
    if plans().next().is_none() {
        return Vec::new();
    }
    let host = match context.for_exec() {
        Ok(host) => host,
        Err(problem) => return vec![Finding::bad(Check::Requirements, Grade::Unknown, problem.message)],
    };
    let missing = |plan| {
        let missing = referee_exec::missing(plan, &host).into_iter();
        missing.map(|(action, message)| format!("{} {action}: {message}", plan.task))
    };
    let missing: Vec<String> = plans().flat_map(missing).collect();
    if missing.is_empty() {
        let what = "the programs are there that databases, browsers and containers of the specification need";
        return vec![Finding::ok(Check::Requirements, what)];
    }
    missing.into_iter().map(|what| Finding::bad(Check::Requirements, Grade::Warning, what)).collect()
}

fn state(context: &Context, project: &Project) -> Vec<Finding> {
    let bad = |what: String| vec![Finding::bad(Check::StateDirectory, Grade::Problem, what)];
    if let Some(why) = &project.no_state {
        return bad(why.clone());
    }
    let Some(named) = context.state_directory() else {
        return bad("there is no place for it: none of REFEREE_STATE_DIR, XDG_STATE_HOME and HOME is set".to_owned());
    };
    let Some(state) = &project.state else {
        let what = format!("{} is not there yet: the first run makes it", named.display());
        return vec![
            Finding::bad(Check::StateDirectory, Grade::Warning, what).fixed_by("`referee run`, or `referee enroll`."),
        ];
    };
    let shown = state.path().display();
    if state.lies_in(&project.directory) {
        return bad(format!("{shown} is in the project, where agents can write"));
    }
    if rustix::fs::access(state.path(), Access::WRITE_OK).is_err() {
        return bad(format!("{shown} cannot be written to"));
    }
    vec![private(state), file_system(state.path())]
}

fn private(state: &State) -> Finding {
    let shown = state.path().display();
    let mode = state.path().metadata().map_or(0o777, |facts| facts.permissions().mode());
    if mode.trailing_zeros() >= 6 {
        let what = format!("{shown} is this user's alone; whoever runs as this user can still reach it");
        return Finding::ok(Check::StateDirectory, what);
    }
    let what = format!("others may look into {shown}");
    Finding::bad(Check::StateDirectory, Grade::Warning, what).fixed_by(format!("`chmod 700 {shown}`."))
}

fn file_system(directory: &Path) -> Finding {
    let check = Check::StateFileSystem;
    let Ok(facts) = rustix::fs::statfs(directory) else {
        return Finding::bad(check, Grade::Unknown, "the system does not say which it is");
    };
    match remote(&facts) {
        Some(name) => Finding::bad(check, Grade::Warning, format!("it is {name}, which is on another machine")),
        None => Finding::ok(check, "it is on this machine"),
    }
}

/// Returns the name of a file system that is on another machine.
#[cfg(not(target_os = "macos"))]
fn remote(facts: &StatFs) -> Option<&'static str> {
    let number = u64::try_from(facts.f_type).unwrap_or_default() & 0xffff_ffff;
    REMOTE.iter().find(|(remote, _)| *remote == number).map(|(_, name)| *name)
}

/// Returns the name of a file system that is on another machine.
#[cfg(target_os = "macos")]
fn remote(facts: &StatFs) -> Option<&'static str> {
    /// `MNT_LOCAL` of statfs(2).
    const LOCAL: u32 = 0x1000;
    (facts.f_flags & LOCAL == 0).then_some("a network volume")
}

fn confinement() -> Finding {
    match sandbox::probe() {
        Kernel::Landlock { abi } => Finding::ok(Check::Sandbox, format!("the kernel has Landlock {abi}: `--sandbox`")),
        Kernel::Missing { reason } => {
            Finding::bad(Check::Sandbox, Grade::Warning, format!("commands cannot be confined: {reason}"))
        }
    }
}

fn groups(context: &Context) -> Finding {
    let found = context.new_execution().ok().and_then(|execution| ControlGroups::find(&execution, &Limits::default()));
    match found {
        Some(_) => Finding::ok(Check::ControlGroups, "control groups can be made"),
        None => Finding::bad(Check::ControlGroups, Grade::Warning, "this user can make no control groups"),
    }
}

fn git(context: &Context, project: &Project) -> Finding {
    match Repository::open(&project.directory, context.search_path()) {
        Ok(_) => Finding::ok(Check::Git, "the project is in a repository that git can read"),
        Err(error) => Finding::bad(Check::Git, Grade::Warning, error.to_string()),
    }
}

/// Reports the names of weakening variables, never their values.
fn variables(context: &Context) -> Vec<Finding> {
    let value = |name: &str| context.variable(name).map(|value| value.to_string_lossy().into_owned());
    let mut findings = Vec::new();
    if value(BLOCK_CAP).is_some_and(|cap| is_low_cap(&cap)) {
        findings.push(Finding::bad(
            Check::HookCap,
            Grade::Warning,
            format!("{BLOCK_CAP} is set below 8 in this shell"),
        ));
    }
    let set: Vec<&str> = VARIABLES.into_iter().filter(|name| value(name).is_some()).collect();
    findings.push(if set.is_empty() {
        Finding::ok(Check::Environment, "no variable of this shell changes what is judged")
    } else {
        Finding::bad(Check::Environment, Grade::Warning, format!("set in this shell: {}", set.join(", ")))
    });
    findings
}

fn clock(project: &Project) -> Finding {
    let now = resolve::now();
    if now.as_millisecond() < EARLIEST_MS {
        return Finding::bad(Check::Clock, Grade::Problem, format!("it shows {now}"));
    }
    let since = project.enrolment.as_ref().map(|enrolment| enrolment.since);
    match since.filter(|since| since.milliseconds_since(now) > SKEW_MS) {
        Some(since) => Finding::bad(
            Check::Clock,
            Grade::Warning,
            format!("it shows {now}, and the project was enrolled on {since}"),
        ),
        None => Finding::ok(Check::Clock, format!("it shows {now}")),
    }
}
