//! Checks keys: the signing key, trusted keys, and whether an approver's private key is accessible. Of a
//! private key only its existence is reported.

use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::keys;
use referee_ledger::key::{KeyId, file};
use referee_ledger::trust::{Role, TrustStore, Trusted};
use referee_model::doctor::{Check, Finding, Grade};

use super::Hooks;
use super::project::Project;
use crate::resolve;

/// Maximum number of approvers whose keys are searched for in a key agent.
const APPROVERS: usize = 20;

pub(super) fn look(context: &Context, project: &Project, hooks: &Hooks) -> Vec<Finding> {
    let mut findings = vec![signer(context, project, hooks)];
    let Some(state) = &project.state else {
        findings.push(Finding::bad(
            Check::TrustStore,
            Grade::Warning,
            "there is no state directory, so no trusted keys",
        ));
        return findings;
    };
    match TrustStore::read(state) {
        Err(error) => findings.push(Finding::bad(Check::TrustStore, Grade::Problem, error.to_string())),
        Ok(store) => {
            findings.push(believed(&store));
            findings.push(approvers(context, &store));
        }
    }
    findings
}

fn signer(context: &Context, project: &Project, hooks: &Hooks) -> Finding {
    let check = Check::SigningKey;
    let of_hook = hooks.installed.iter().find_map(|(_, hook)| hook.key.clone());
    let Some(key) = of_hook.map(PathBuf::from).or_else(|| context.variable("REFEREE_KEY").map(PathBuf::from)) else {
        return Finding::bad(check, Grade::Warning, "no key is named, so runs are not signed");
    };
    let mut in_reach = vec![project.directory.as_path()];
    in_reach.extend(project.plan().map(|plan| plan.evidence_root.as_path()));
    match keys::named(context, &key, &in_reach) {
        Err(problem) => Finding::bad(check, Grade::Problem, problem.message),
        Ok(_) if key.to_string_lossy().starts_with("agent:") => {
            Finding::ok(check, "runs are signed by a key that stays in an agent for keys")
        }
        Ok(_) => {
            let shown = context.directory.join(&key);
            let what =
                format!("this user can read the key {}, and so can an agent that runs as this user", shown.display());
            Finding::bad(check, Grade::Warning, what)
        }
    }
}

fn believed(store: &TrustStore) -> Finding {
    let now = resolve::now();
    let count = |role| store.entries().filter(|entry| entry.is(role, now)).count();
    let (runners, approvers) = (count(Role::Runner), count(Role::Approver));
    let what = format!("trusted keys: runners {runners}, approvers {approvers}");
    if runners > 0 && approvers > 0 {
        Finding::ok(Check::TrustStore, what)
    } else {
        Finding::bad(Check::TrustStore, Grade::Warning, what)
    }
}

/// Reports whether this user could sign as an approver.
fn approvers(context: &Context, store: &TrustStore) -> Finding {
    let now = resolve::now();
    let believed: Vec<&Trusted> = store.entries().filter(|entry| entry.is(Role::Approver, now)).collect();
    if let Some((path, name)) = in_files(context, &believed) {
        let what = format!("the private key of {name}, who may approve, can be read here: {}", path.display());
        return Finding::bad(Check::ApproverKey, Grade::Problem, what);
    }
    let has_agent = context.environment.iter().any(|(name, value)| name == "SSH_AUTH_SOCK" && !value.is_empty());
    let in_agent = |entry: &&&Trusted| {
        let named = format!("agent:{}", entry.key.id());
        keys::public(context, Path::new(&named)).is_ok_and(|key| key.id() == entry.key.id())
    };
    if let Some(entry) = believed.iter().take(APPROVERS).filter(|_| has_agent).find(in_agent) {
        let what = format!("the SSH agent of this shell signs for {}, who may approve", entry.name);
        return Finding::bad(Check::ApproverKey, Grade::Warning, what);
    }
    Finding::ok(Check::ApproverKey, "no approver's private key was found in reach")
}

/// Returns an approver's private key in the user's configuration directory, if there is one.
fn in_files(context: &Context, believed: &[&Trusted]) -> Option<(PathBuf, String)> {
    let directory = keys::configuration_directory(context)?;
    let of = |id: KeyId| believed.iter().find(|entry| entry.key.id() == id).map(|entry| entry.name.clone());
    let keys = super::file::entries(&directory, ".pem").into_iter();
    keys.filter(|path| !path.to_string_lossy().ends_with(".pub.pem")).find_map(|path| {
        let key = file::read(&path, &[]).ok()?;
        of(key.public().id()).map(|name| (path, name))
    })
}
