//! Checks beside the outputs: control, handback, and the result of the stage's specification.

use referee_model::stage::check::{Check, CheckKind};

use super::{Scene, failed, passed};

/// Path of `accept.json` in a stage's directory.
const ACCEPT: &str = "run/output-data/accept.json";
/// Path of `handback.json` in a stage's directory.
const HANDBACK: &str = "run/output-data/handback.json";

/// Result of a stage's specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecificationSeen<'seen> {
    NothingRan,
    Passed,
    /// Any other result.
    NotPassed {
        decision: &'seen str,
        reason: &'seen str,
        /// Path of the evidence. None: there is none.
        evidence: Option<&'seen str>,
    },
}

/// Judges the result of a stage's specification: only a pass passes.
pub fn specification(scene: &Scene, path: &str, seen: SpecificationSeen<'_>) -> Check {
    let kind = CheckKind::Specification;
    match seen {
        SpecificationSeen::Passed => passed(kind, path, "it is passed"),
        SpecificationSeen::NothingRan => failed(
            kind,
            path,
            "nothing of it ran, so nobody can tell whether it is passed",
            format!("have it run: {}", scene.command("validate", &scene.stage)),
        ),
        SpecificationSeen::NotPassed { decision, reason, evidence } => {
            let action = match evidence {
                Some(evidence) => format!("look at the evidence in {}/{evidence}, and fix what it says", scene.run),
                None => "fix what keeps it from being run".to_owned(),
            };
            failed(kind, path, format!("the verdict is {decision}: {reason}"), action)
        }
    }
}

/// Returns the failed check of an invalid handback, with all errors (HB-04, HB-06, HB-07).
pub fn handback_invalid(scene: &Scene, complaints: &[String]) -> Check {
    let action = format!("write {} again; it is to hold by schemas/handback.schema.json", scene.file(HANDBACK));
    let mut check = failed(CheckKind::HandbackValid, HANDBACK, "it cannot be read as a handback", action);
    if let Some(failure) = &mut check.failure {
        failure.details = complaints.to_vec();
    }
    check
}

/// Returns the message for control that is not handed back yet (HB-05).
pub fn handback_missing(scene: &Scene) -> String {
    format!("{HANDBACK} is not there yet: write it to {} before control is given back", scene.file(HANDBACK))
}

/// Reports who has control; this check never fails.
pub fn accept(who: &str) -> Check {
    passed(CheckKind::AcceptPresent, ACCEPT, who)
}

#[cfg(test)]
mod tests {
    use referee_model::stage::id::StageId;

    use super::*;

    #[test]
    fn only_a_verdict_of_pass_passes() {
        let scene = Scene { stage: StageId::parse("explore").unwrap(), run: "/run".to_owned() };
        let judged = |seen| specification(&scene, "specification/referee.yaml", seen);
        assert_eq!(judged(SpecificationSeen::Passed).failure, None);
        assert!(judged(SpecificationSeen::NothingRan).failure.is_some());
        let evidence = Some("stages/explore/evidence/T001");
        let seen = SpecificationSeen::NotPassed { decision: "FAIL", reason: "a test failed", evidence };
        let check = judged(seen);
        assert_eq!(check.message, "the verdict is FAIL: a test failed");
        assert!(check.failure.unwrap().action.contains("/run/stages/explore/evidence/T001"));
        let seen = SpecificationSeen::NotPassed { decision: "PASS", reason: "", evidence: None };
        assert!(judged(seen).failure.is_some());
    }
}
