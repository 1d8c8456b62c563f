//! Proposals of a planner program, subject to the same rules as all plans: they may word, infer and order, but
//! add no facts, drop no failed check, and have no more confidence than the evidence supports.

use std::collections::BTreeMap;

use referee_model::incident::evidence::{EvidenceKind, EvidenceRow, EvidenceSource};
use referee_model::incident::planner::{AnswerAction, AnswerHypothesis, AnswerRow, PlannerAnswer};
use referee_model::incident::remediation::{
    Cause, Confidence, Planner, RemediationAction, RemediationPlan, Verification,
};
use referee_model::limit::PLAN_EVIDENCE;
use referee_syntax::line;

use super::{Case, SENTENCE, UNSURE, hypotheses, layout, path, verification};
use crate::incident::evidence::excerpt;
use crate::incident::quality;

/// Maximum number of hypotheses, of actions, and of sentences in a list that a planner may propose.
const HYPOTHESES: usize = 8;
const ACTIONS: usize = 20;
const SENTENCES: usize = 20;

/// Maximum number of verification commands that a planner may choose or propose.
const COMMANDS: usize = 50;

/// Maximum length of a verification command, in characters.
const COMMAND: usize = 1_000;

/// Answer of a planner, without secrets in its texts. Missing parts keep the values that the rules derived.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposal(PlannerAnswer);

impl Proposal {
    /// Removes the secrets from all texts of an answer.
    pub fn new(mut answer: PlannerAnswer, redacted: impl Fn(&str) -> String) -> Self {
        let PlannerAnswer {
            incident_id: _,
            confidence_score: _,
            summary,
            model,
            risk_summary,
            evidence,
            root_cause_hypotheses,
            unknowns,
            actions,
            verification_commands,
            done_criteria,
            rollback,
        } = &mut answer;
        let sentences = [summary, model, risk_summary].into_iter().flatten();
        let lists = [unknowns, verification_commands, done_criteria, rollback].into_iter().flatten().flatten();
        let rows = evidence.iter_mut().map(|row| &mut row.excerpt);
        let hypotheses = root_cause_hypotheses.iter_mut().flatten();
        let hypotheses = hypotheses.flat_map(|one| one.gaps.iter_mut().chain([&mut one.reason]));
        let actions = actions.iter_mut().flatten();
        let actions =
            actions.flat_map(|one| one.target_paths.iter_mut().chain(&mut one.verification).chain([&mut one.title]));
        for text in sentences.chain(lists).chain(rows).chain(hypotheses).chain(actions) {
            *text = redacted(text);
        }
        Self(answer)
    }
}

/// Merges a proposal into the plan that the rules derived. A proposal that breaks a rule is refused as a whole,
/// with the reason.
pub fn merged(
    draft: RemediationPlan,
    Proposal(proposal): Proposal,
    case: &Case<'_>,
    command: &[String],
) -> Result<RemediationPlan, String> {
    let (evidence, places) = rows(&draft.evidence, &proposal.evidence);
    let quality = quality::of(&evidence);
    let confidence = quality::confidence(proposal.confidence_score.unwrap_or(quality::CONFIDENCE), &quality);
    let verification = proposal.verification_commands.as_deref().map(|wanted| commands(wanted, case)).transpose()?;
    let verification = verification.unwrap_or_else(|| draft.verifications());
    let unknowns = sentences(proposal.unknowns, draft.unknowns, "unknowns")?;
    let causes = match proposal.root_cause_hypotheses {
        Some(proposed) => weighed(proposed, (&evidence, &places), confidence, &unknowns)?,
        None => draft.cause_analysis,
    };
    let actions = match proposal.actions {
        Some(proposed) => steps(proposed, case, &verification)?,
        None => draft.actions.into_iter().map(|action| held_to(action, &verification)).collect(),
    };
    Ok(layout::complete(RemediationPlan {
        summary: sentence(proposal.summary).unwrap_or(draft.summary),
        done_criteria: at_least_one(sentences(proposal.done_criteria, draft.done_criteria, "done criteria")?)?,
        rollback: sentences(proposal.rollback, draft.rollback, "steps of the rollback")?,
        risk_summary: sentence(proposal.risk_summary).unwrap_or(draft.risk_summary),
        planner: Planner {
            mode: "ai".to_owned(),
            provider: command.join(" "),
            model: sentence(proposal.model),
            fallback_reason: None,
        },
        evidence,
        evidence_quality: quality,
        confidence_score: confidence,
        cause_analysis: causes,
        unknowns,
        actions,
        verification,
        ..draft
    }))
}

/// Adds inferences to the facts, up to the limit, and maps ids to rows.
fn rows(facts: &[EvidenceRow], said: &[AnswerRow]) -> (Vec<EvidenceRow>, BTreeMap<String, usize>) {
    let mut rows = facts.to_vec();
    let mut places: BTreeMap<String, usize> = (1..=facts.len()).map(|place| (format!("E{place}"), place)).collect();
    for AnswerRow { id, excerpt: text } in said {
        let text = excerpt(text);
        let is_known = rows.iter().any(|row| row.excerpt == text);
        if places.contains_key(id) || is_known || text.is_empty() || rows.len() >= PLAN_EVIDENCE {
            continue;
        }
        let (source, kind) = (EvidenceSource::Inferred, EvidenceKind::AiInferred);
        let place = rows.len() + 1;
        rows.push(EvidenceRow { id: format!("E{place}"), source, path: String::new(), kind, excerpt: text });
        places.insert(id.clone(), place);
    }
    (rows, places)
}

fn weighed(
    proposed: Vec<AnswerHypothesis>,
    (rows, places): (&[EvidenceRow], &BTreeMap<String, usize>),
    confidence: f64,
    unknowns: &[String],
) -> Result<Vec<Cause>, String> {
    bound(proposed.len(), HYPOTHESES, "hypotheses")?;
    // If the confidence of the plan is low, so is that of all its parts.
    let most = if confidence < UNSURE { Confidence::Medium } else { Confidence::High };
    let mut found = Vec::new();
    for (number, one) in (1..).zip(proposed) {
        let reason = sentence(Some(one.reason)).ok_or("a hypothesis says nothing")?;
        let mut cited: Vec<usize> = one.evidence_ids.iter().filter_map(|id| places.get(id).copied()).collect();
        cited.sort_unstable();
        cited.dedup();
        if cited.is_empty() {
            return Err("a hypothesis cites no evidence that is there".to_owned());
        }
        let mut cause = hypotheses::weighed(rows, number, (one.confidence.min(most), reason, cited), unknowns);
        let gaps: Vec<String> =
            one.gaps.into_iter().filter_map(|gap| sentence(Some(gap))).take(hypotheses::GAPS).collect();
        if !gaps.is_empty() {
            cause.gaps = gaps;
        }
        found.push(cause);
    }
    if found.is_empty() { Err("it has no hypothesis".to_owned()) } else { Ok(found) }
}

fn steps(
    proposed: Vec<AnswerAction>,
    case: &Case<'_>,
    verification: &[Verification],
) -> Result<Vec<RemediationAction>, String> {
    bound(proposed.len(), ACTIONS, "actions")?;
    let mut found = Vec::new();
    for (index, one) in proposed.into_iter().enumerate() {
        bound(one.target_paths.len(), path::PATHS, "target paths of an action")?;
        let safe = |text: &String| {
            path::safe(text, case.workspace).ok_or_else(|| {
                format!("the target path {:?} is not inside the workspace", line::bounded(text, SENTENCE))
            })
        };
        let action = RemediationAction {
            id: format!("A{}", index + 1),
            priority: format!("P{}", one.urgency()),
            title: sentence(Some(one.title)).ok_or("an action says nothing")?,
            risk: one.risk.as_str().to_owned(),
            target_paths: one.target_paths.iter().map(safe).collect::<Result<_, _>>()?,
            verification: lines(&one.verification, verification),
        };
        found.push(action);
    }
    if found.is_empty() { Err("it has no action".to_owned()) } else { Ok(found) }
}

/// Restricts the verification of an action to that of the plan.
fn held_to(action: RemediationAction, verification: &[Verification]) -> RemediationAction {
    let own = lines(&action.verification, verification);
    let all = || verification.iter().map(|verification| verification.command().clone()).collect();
    let verification = if own.is_empty() && !action.verification.is_empty() { all() } else { own };
    RemediationAction { verification, ..action }
}

/// Returns those of some commands, or ids of checks, that the plan runs.
fn lines(wanted: &[String], verification: &[Verification]) -> Vec<String> {
    let found = wanted.iter().filter_map(|text| verification.iter().find(|one| is_meant(one, text.trim())));
    found.map(|verification| verification.command().clone()).collect()
}

fn is_meant(verification: &Verification, text: &str) -> bool {
    verification.command() == text || matches!(verification, Verification::Check { action, .. } if action == text)
}

/// Returns the verification: the failed checks, whatever the planner says; then its choice among the checks;
/// then its own commands.
fn commands(wanted: &[String], case: &Case<'_>) -> Result<Vec<Verification>, String> {
    bound(wanted.len(), COMMANDS, "verification commands")?;
    let usual = verification::chosen(case);
    let mut found = if usual.is_what_failed { usual.commands.clone() } else { Vec::new() };
    for text in wanted {
        let text = text.trim();
        if text.is_empty() || text.chars().count() > COMMAND || text.chars().any(char::is_control) {
            return Err(format!("a verification command is not one line of 1 to {COMMAND} characters"));
        }
        let known = usual.commands.iter().chain(case.checks).find(|known| is_meant(known, text)).cloned();
        let own = || Verification::Planner { command: text.to_owned() };
        let verification = known.unwrap_or_else(own);
        if !found.contains(&verification) {
            found.push(verification);
        }
    }
    let is_of_others = |verification: &Verification| !matches!(verification, Verification::Planner { .. });
    if found.iter().any(is_of_others) || usual.commands.is_empty() {
        Ok(found)
    } else {
        Err("it verifies by commands of its own alone, and by no check".to_owned())
    }
}

fn sentences(given: Option<Vec<String>>, usual: Vec<String>, what: &str) -> Result<Vec<String>, String> {
    let Some(given) = given else { return Ok(usual) };
    bound(given.len(), SENTENCES, what)?;
    Ok(given.into_iter().filter_map(|text| sentence(Some(text))).collect())
}

fn at_least_one(criteria: Vec<String>) -> Result<Vec<String>, String> {
    if criteria.is_empty() { Err("it does not say when it is done".to_owned()) } else { Ok(criteria) }
}

fn sentence(text: Option<String>) -> Option<String> {
    text.map(|text| line::bounded(&text, SENTENCE)).filter(|text| !text.is_empty())
}

fn bound(number: usize, most: usize, what: &str) -> Result<(), String> {
    if number > most { Err(format!("it has {number} {what}, and {most} are the most")) } else { Ok(()) }
}
