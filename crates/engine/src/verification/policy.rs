//! Compares evidence with a verification policy: requirements as data, each unmet one with a reason.
//!
//! | requirement                         | satisfied by                                                       |
//! |-------------------------------------|--------------------------------------------------------------------|
//! | signature, fresh, chained, replayed | the axis of that name, if it holds, and is not absent or unknown   |
//! | trusted roles, trusted names        | the axis `trust`, if it holds, and a signer of such a role or name |
//! | whole scope, no waivers, no baseline, confined, clean room, locked, age | the sealed header and report   |
//!
//! Data that cannot be read satisfies nothing.

use std::path::Path;

use referee_ledger::evidence::Evidence;
use referee_model::evidence_name;
use referee_model::record::{RunEnding, RunRecord};
use referee_model::run_context::RunContext;
use referee_model::run_context::confinement::FileConfinement;
use referee_model::time::Timestamp;
use referee_model::verification_policy::{self, VerificationPolicy};
use serde_json::Value;

use super::{Axis, AxisState};

/// A signer in the verifier's trust store whose signature was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    /// Name of the signer.
    pub name: String,
    /// Roles that the signer is trusted for.
    pub roles: Vec<String>,
}

/// The data that a policy is compared with.
struct Facts<'a> {
    axes: &'a [Axis],
    signers: &'a [Signer],
    run: Option<RunRecord>,
    report: Option<Value>,
    now: Timestamp,
}

/// Compares a verified directory with a policy.
pub(super) fn requirements(
    policy: &VerificationPolicy,
    directory: &Path,
    axes: &[Axis],
    signers: &[Signer],
    now: Timestamp,
) -> Axis {
    let evidence = Evidence::open(directory).ok();
    let read = |name: &str| evidence.as_ref().and_then(|evidence| evidence.read(name).ok());
    let facts = Facts {
        axes,
        signers,
        run: read(evidence_name::RUN).and_then(|bytes| referee_model::record::header::read(&bytes).ok()),
        report: read(evidence_name::EXECUTION_REPORT).and_then(|bytes| serde_json::from_slice(&bytes).ok()),
        now,
    };
    let unmet: Vec<String> = facts.unmet(policy);
    if unmet.is_empty() {
        let reasons = vec!["the evidence has all that the policy asks for".to_owned()];
        return Axis { name: "policy", state: AxisState::Holds, reasons };
    }
    Axis { name: "policy", state: AxisState::Unverifiable, reasons: unmet }
}

impl Facts<'_> {
    /// Returns the unmet requirements, one sentence each.
    fn unmet(&self, policy: &VerificationPolicy) -> Vec<String> {
        let asked_axes = [
            (policy.signature, "signature"),
            (policy.fresh, "freshness"),
            (policy.chained, "chain"),
            (policy.replayed, "replay"),
            (!policy.trusted_roles.is_empty() || !policy.trusted_names.is_empty(), "trust"),
        ];
        let mut unmet: Vec<String> =
            asked_axes.into_iter().filter(|(asked, _)| *asked).filter_map(|(_, name)| self.axis(name)).collect();
        unmet.extend(self.signer(policy));
        unmet.extend(self.of_run(policy));
        unmet.extend(self.of_report(policy));
        unmet
    }

    /// Returns why an axis does not hold. `None` if it does.
    fn axis(&self, name: &str) -> Option<String> {
        let found: Vec<&Axis> = self.axes.iter().filter(|axis| axis.name == name).collect();
        match found.iter().find(|axis| axis.state != AxisState::Holds) {
            Some(axis) => Some(format!("{name} is asked for: {}", axis.reasons.join("; "))),
            None if found.is_empty() => Some(format!("{name} is asked for, and was not looked at")),
            None => None,
        }
    }

    fn signer(&self, policy: &VerificationPolicy) -> Option<String> {
        let is_named = |signer: &Signer| policy.trusted_names.is_empty() || policy.trusted_names.contains(&signer.name);
        let has_role = |signer: &Signer| {
            policy.trusted_roles.is_empty() || policy.trusted_roles.iter().any(|role| signer.roles.contains(role))
        };
        if policy.trusted_names.is_empty() && policy.trusted_roles.is_empty() {
            return None;
        }
        let satisfies = self.signers.iter().any(|signer| is_named(signer) && has_role(signer));
        let asked = [&policy.trusted_names[..], &policy.trusted_roles[..]].concat().join(", ");
        (!satisfies).then(|| format!("a signer among {asked} is asked for, and no such signer is known"))
    }

    fn of_run(&self, policy: &VerificationPolicy) -> Vec<String> {
        let run_context = self.run.as_ref().map(|run| &run.run_context);
        let holds = |asked: bool, satisfied: fn(&RunContext) -> bool| asked && !run_context.is_some_and(satisfied);
        let rows = [
            (holds(policy.confined, is_confined), "confined commands are asked for, and nothing says that they were"),
            (
                holds(policy.clean_room, |found| found.clean_room.is_some()),
                "a clean room is asked for, and it ran in none",
            ),
            (holds(policy.locked, is_locked), "a lock without drift is asked for, and nothing says that there was one"),
            (
                policy.whole_scope && !self.run.as_ref().is_some_and(is_whole),
                "a whole run is asked for, and something was left out or it did not end by itself",
            ),
        ];
        let mut unmet: Vec<String> =
            rows.into_iter().filter(|(is_unmet, _)| *is_unmet).map(|(_, sentence)| sentence.to_owned()).collect();
        if let Some(most) = policy.maximum_age_seconds {
            unmet.extend(self.too_old(most));
        }
        unmet
    }

    fn too_old(&self, most_seconds: u64) -> Option<String> {
        let Some(run) = &self.run else { return Some("an age is asked for, and run.json cannot be read".to_owned()) };
        if run.ended > self.now {
            return Some(format!("an age is asked for, and the run is said to be over only at {}", run.ended));
        }
        let seconds = self.now.milliseconds_since(run.ended) / 1_000;
        let is_older = self.now.milliseconds_since(run.ended) > most_seconds.saturating_mul(1_000);
        is_older.then(|| format!("at most {most_seconds} s of age are asked for, and the run was over {seconds} s ago"))
    }

    fn of_report(&self, policy: &VerificationPolicy) -> Vec<String> {
        let mut unmet = Vec::new();
        let is_absent =
            |key: &str| self.report.as_ref().is_some_and(|report| report.get(key).is_none_or(Value::is_null));
        if policy.no_baseline && !is_absent("baseline") {
            unmet.push(
                "no baseline is asked for, and the run was compared with one, or its report cannot be read".to_owned(),
            );
        }
        if policy.no_waivers && !self.is_without_waivers() {
            unmet.push("no waivers are asked for, and some were applied, or the report cannot be read".to_owned());
        }
        if let Some(minimum) = &policy.minimum_judge_version {
            let found = self.report.as_ref().and_then(|report| report.get("judgeVersion")?.as_str()).unwrap_or("none");
            let (own, least) = (verification_policy::version(found), verification_policy::version(minimum));
            if own.is_none() || least.is_none() || own < least {
                unmet.push(format!("judge {minimum} or later is asked for, and it was judged by {found}"));
            }
        }
        unmet
    }

    fn is_without_waivers(&self) -> bool {
        let Some(report) = &self.report else { return false };
        match report.get("waivers") {
            None => true,
            Some(Value::Array(waivers)) => {
                let states = waivers.iter().map(|waiver| waiver.get("state").and_then(Value::as_str));
                let mut states =
                    states.map(|state| matches!(state, Some("unused" | "not-yet" | "expired" | "refused")));
                states.all(|is_idle| is_idle)
            }
            Some(_) => false,
        }
    }
}

fn is_confined(run_context: &RunContext) -> bool {
    let confinement = run_context.confinement.as_ref();
    confinement.is_some_and(|confinement| matches!(confinement.files, FileConfinement::Landlock { .. }))
}

fn is_locked(run_context: &RunContext) -> bool {
    let protection = run_context.protection.as_ref();
    protection.is_some_and(|protection| {
        protection.files > 0
            && !protection.drift.iter().any(|drift| drift.blocks)
            && !protection.suppressions.iter().any(|added| added.blocks)
            && !protection.weakenings.iter().any(|weaker| weaker.blocks)
    })
}

fn is_whole(run: &RunRecord) -> bool {
    !run.scope.reduced && run.ending == RunEnding::Finished
}

#[cfg(test)]
mod tests {
    use referee_model::run_context::confinement::Confinement;

    use super::*;

    fn policy(text: &str) -> VerificationPolicy {
        let text = format!(r#"{{"policyVersion": "1.0.0", {text}}}"#);
        verification_policy::read(text.as_bytes()).unwrap()
    }

    fn axis(name: &'static str, state: AxisState) -> Axis {
        Axis { name, state, reasons: vec!["so it is".to_owned()] }
    }

    fn facts<'a>(axes: &'a [Axis], signers: &'a [Signer], report: &str) -> Facts<'a> {
        Facts {
            axes,
            signers,
            run: None,
            report: serde_json::from_str(report).ok(),
            now: Timestamp::from_millisecond(0),
        }
    }

    #[test]
    fn an_axis_that_is_absent_unknown_or_broken_satisfies_nothing() {
        for (asked, name) in
            [("signature", "signature"), ("fresh", "freshness"), ("chained", "chain"), ("replayed", "replay")]
        {
            let policy = policy(&format!("\"{asked}\": true"));
            let unmet = |axes: &[Axis]| facts(axes, &[], "{}").unmet(&policy).len();
            assert_eq!(unmet(&[]), 1, "{name}");
            for state in [AxisState::Unknown, AxisState::Unverifiable, AxisState::Broken] {
                assert_eq!(unmet(&[axis(name, state)]), 1, "{name} {state:?}");
                assert_eq!(unmet(&[axis(name, AxisState::Holds), axis(name, state)]), 1, "{name} twice");
            }
            assert_eq!(unmet(&[axis(name, AxisState::Holds)]), 0, "{name}");
        }
    }

    #[test]
    fn a_signer_must_have_the_name_and_the_role_and_trust_must_hold() {
        let policy = policy(r#""trustedNames": ["ci", "release"], "trustedRoles": ["runner"]"#);
        let signer = |name: &str, role: &str| Signer { name: name.to_owned(), roles: vec![role.to_owned()] };
        let trust = [axis("trust", AxisState::Holds)];
        let unmet = |axes: &[Axis], signers: &[Signer]| facts(axes, signers, "{}").unmet(&policy).len();
        assert_eq!(unmet(&trust, &[signer("ci", "runner")]), 0);
        assert_eq!(unmet(&trust, &[signer("ci", "approver"), signer("agent", "runner")]), 1);
        assert_eq!(unmet(&trust, &[]), 1);
        assert_eq!(unmet(&[], &[signer("ci", "runner")]), 1);
    }

    #[test]
    fn what_the_report_says_of_waivers_baselines_and_judges_counts_and_junk_satisfies_nothing() {
        for (asked, report, met) in [
            (r#""noWaivers": true"#, "{}", true),
            (r#""noWaivers": true"#, r#"{"waivers": [{"state": "unused"}, {"state": "refused"}]}"#, true),
            (r#""noWaivers": true"#, r#"{"waivers": [{"state": "applied"}]}"#, false),
            (r#""noWaivers": true"#, r#"{"waivers": [{}]}"#, false),
            (r#""noWaivers": true"#, r#"{"waivers": null}"#, false),
            (r#""noWaivers": true"#, "junk", false),
            (r#""noBaseline": true"#, "{}", true),
            (r#""noBaseline": true"#, r#"{"baseline": {}}"#, false),
            (r#""noBaseline": true"#, "junk", false),
            (r#""minimumJudgeVersion": "1.10.0""#, r#"{"judgeVersion": "1.10.0"}"#, true),
            (r#""minimumJudgeVersion": "1.10.0""#, r#"{"judgeVersion": "1.9.9"}"#, false),
            (r#""minimumJudgeVersion": "1.10.0""#, r#"{"judgeVersion": "new"}"#, false),
            (r#""minimumJudgeVersion": "1.10.0""#, "{}", false),
            (r#""wholeScope": true"#, "{}", false),
            (r#""maximumAgeSeconds": 10"#, "{}", false),
            (r#""confined": true"#, "{}", false),
            (r#""cleanRoom": true"#, "{}", false),
            (r#""locked": true"#, "{}", false),
        ] {
            let unmet = facts(&[], &[], report).unmet(&policy(asked));
            assert_eq!(unmet.is_empty(), met, "{asked} {report}: {unmet:?}");
        }
    }

    #[test]
    fn only_what_really_confined_counts_as_confined() {
        let of = |files| RunContext {
            confinement: Some(Confinement { files, writable: Vec::new(), limits: Vec::new() }),
            ..RunContext::default()
        };
        assert!(is_confined(&of(FileConfinement::Landlock { abi: 4 })));
        assert!(!is_confined(&of(FileConfinement::Missing { reason: "no kernel support".to_owned() })));
        assert!(!is_confined(&RunContext::default()) && !is_locked(&RunContext::default()));
    }
}
