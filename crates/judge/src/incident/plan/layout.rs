//! Parts of a plan that are derived from the rest of it.

use referee_model::incident::remediation::{
    Card, Confidence, Execution, Hypothesis, HypothesisEvidence, LoopPolicy, RemediationPlan, Verification,
};
use referee_model::test_file::is_of_tests;

use super::{SURE, requires_approval};

/// Estimated minutes per action (seed 3).
const MINUTES_AN_ACTION: u32 = 20;

/// Derives the remaining parts from causes, actions and verification.
pub(super) fn complete(plan: RemediationPlan) -> RemediationPlan {
    let hypotheses = plan.cause_analysis.iter().map(|cause| Hypothesis {
        id: cause.hypothesis_id.clone(),
        confidence: cause.confidence.clone(),
        reason: cause.reason.clone(),
        evidence_ids: cause.evidence_ids.clone(),
    });
    let evidence = plan.cause_analysis.iter().map(|cause| HypothesisEvidence {
        hypothesis_id: cause.hypothesis_id.clone(),
        evidence_ids: cause.evidence_ids.clone(),
    });
    RemediationPlan {
        root_cause_hypotheses: hypotheses.collect(),
        hypothesis_evidence_map: evidence.collect(),
        verification_commands: plan.verification.iter().map(|one| one.command().clone()).collect(),
        card_summary: card(&plan),
        execution: execution(&plan),
        policy: LoopPolicy { scope: plan.target_paths(), ..LoopPolicy::default() },
        ..plan
    }
}

fn card(plan: &RemediationPlan) -> Card {
    let minutes = u32::try_from(plan.actions.len()).unwrap_or(u32::MAX).saturating_mul(MINUTES_AN_ACTION);
    let risk = plan.actions.iter().filter_map(|action| Confidence::parse(&action.risk)).max();
    Card {
        plan: plan.summary.clone(),
        first_step: plan.actions.first().map(|action| action.title.clone()).unwrap_or_default(),
        eta_minutes: minutes,
        risk: risk.unwrap_or(Confidence::Low).as_str().to_owned(),
        approval: if plan.confidence_score < SURE { "required" } else { "optional" }.to_owned(),
    }
}

fn execution(plan: &RemediationPlan) -> Execution {
    let is_own = |one: &&Verification| matches!(one, Verification::Planner { .. });
    let own = plan.verification.iter().filter(is_own).count();
    // Work is never confined to tests.
    let mut paths = plan.actions.iter().flat_map(|action| &action.target_paths);
    let bounds = if paths.any(|path| !is_of_tests(path)) {
        "Change nothing outside the target paths"
    } else {
        "No target path is known that is none of tests: change as little as possible, and neither tests nor checks to make them pass"
    };
    let mut notes = vec![bounds.to_owned()];
    if plan.verification.is_empty() {
        notes.push("There is nothing to verify with: the loop does not begin before there is".to_owned());
    }
    if own > 0 {
        notes.push(format!(
            "Of the verification commands {own} are the planner's own: they run only where a person approved them"
        ));
    }
    Execution {
        requires_approval: requires_approval(plan.confidence_score, plan.evidence_quality.strong_signal_count),
        executor: String::new(),
        intent: "repair".to_owned(),
        notes,
    }
}
