//! What a planner program proposes, held to the same rules as everybody: it may word, infer and order; it adds no facts, drops no
//! check that failed, and is no surer than the evidence carries.

use std::collections::BTreeMap;

use referee_model::incident::evidence::{EvidenceKind, EvidenceRow, EvidenceSource};
use referee_model::incident::remediation::{
    Cause, Confidence, Planner, RemediationAction, RemediationPlan, Verification,
};
use referee_model::limit::PLAN_EVIDENCE;
use referee_syntax::line;

use super::{Case, SENTENCE, UNSURE, hypotheses, layout, path, verification};
use crate::incident::evidence::excerpt;
use crate::incident::quality;

/// Hypotheses, actions, and sentences of a list that a planner may give.
const HYPOTHESES: usize = 8;
const ACTIONS: usize = 20;
const SENTENCES: usize = 20;

/// Verification commands that it may choose or propose.
const COMMANDS: usize = 50;

/// Characters of a verification command.
const COMMAND: usize = 1_000;

/// What a planner proposes. What it leaves out stays as the rules have it. Secrets have been cut out of its texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Proposal {
    /// The problem in a sentence.
    pub summary: Option<String>,
    pub confidence: Option<f64>,
    /// The model that it says it used.
    pub model: Option<String>,
    /// Rows: the id that it cites them by, and what they say. Those of the draft stay as they are; others are inferences.
    pub evidence: Vec<(String, String)>,
    pub hypotheses: Option<Vec<ProposedHypothesis>>,
    /// What is not known.
    pub unknowns: Option<Vec<String>>,
    pub actions: Option<Vec<ProposedAction>>,
    /// What is run: command lines, or ids of checks.
    pub verification: Option<Vec<String>>,
    pub done_criteria: Option<Vec<String>>,
    pub rollback: Option<Vec<String>>,
    pub risk_summary: Option<String>,
}

/// A hypothesis of a planner.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedHypothesis {
    pub confidence: Confidence,
    pub reason: String,
    /// The ids of the rows that speak for it.
    pub evidence: Vec<String>,
    /// What is missing to be sure.
    pub gaps: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ProposedAction {
    pub title: String,
    /// How urgent, 0 to 9.
    pub priority: u8,
    pub risk: Confidence,
    /// Files and directories that it is about.
    pub target_paths: Vec<String>,
    /// What shows that it worked: command lines, or ids of checks.
    pub verification: Vec<String>,
}

/// Takes a proposal into the plan that the rules made. What breaks a rule is refused whole, with the reason.
pub fn merged(
    draft: RemediationPlan,
    proposal: Proposal,
    case: &Case<'_>,
    command: &[String],
) -> Result<RemediationPlan, String> {
    let (evidence, places) = rows(&draft.evidence, &proposal.evidence);
    let quality = quality::of(&evidence);
    let confidence = quality::confidence(proposal.confidence.unwrap_or(quality::CONFIDENCE), &quality);
    let verification = proposal.verification.as_deref().map(|wanted| commands(wanted, case)).transpose()?;
    let verification = verification.unwrap_or_else(|| draft.verifications());
    let unknowns = sentences(proposal.unknowns, draft.unknowns, "unknowns")?;
    let causes = match proposal.hypotheses {
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

/// Adds inferences to the facts, as far as there is room, and says which id means which row.
fn rows(facts: &[EvidenceRow], said: &[(String, String)]) -> (Vec<EvidenceRow>, BTreeMap<String, usize>) {
    let mut rows = facts.to_vec();
    let mut places: BTreeMap<String, usize> = (1..=facts.len()).map(|place| (format!("E{place}"), place)).collect();
    for (id, text) in said {
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
    proposed: Vec<ProposedHypothesis>,
    (rows, places): (&[EvidenceRow], &BTreeMap<String, usize>),
    confidence: f64,
    unknowns: &[String],
) -> Result<Vec<Cause>, String> {
    bound(proposed.len(), HYPOTHESES, "hypotheses")?;
    // Where the plan is not sure, no part of it is.
    let most = if confidence < UNSURE { Confidence::Medium } else { Confidence::High };
    let mut found = Vec::new();
    for (number, one) in (1..).zip(proposed) {
        let reason = sentence(Some(one.reason)).ok_or("a hypothesis says nothing")?;
        let mut cited: Vec<usize> = one.evidence.iter().filter_map(|id| places.get(id).copied()).collect();
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
    proposed: Vec<ProposedAction>,
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
            title: sentence(Some(one.title)).ok_or("an action says nothing")?,
            priority: format!("P{}", one.priority),
            risk: one.risk.as_str().to_owned(),
            target_paths: one.target_paths.iter().map(safe).collect::<Result<_, _>>()?,
            verification: lines(&one.verification, verification),
        };
        found.push(action);
    }
    if found.is_empty() { Err("it has no action".to_owned()) } else { Ok(found) }
}

/// Leaves an action only what the plan runs.
fn held_to(action: RemediationAction, verification: &[Verification]) -> RemediationAction {
    let own = lines(&action.verification, verification);
    let all = || verification.iter().map(|verification| verification.command().clone()).collect();
    let verification = if own.is_empty() && !action.verification.is_empty() { all() } else { own };
    RemediationAction { verification, ..action }
}

/// Those of some commands, or ids of checks, that the plan runs.
fn lines(wanted: &[String], verification: &[Verification]) -> Vec<String> {
    let found = wanted.iter().filter_map(|text| verification.iter().find(|one| is_meant(one, text.trim())));
    found.map(|verification| verification.command().clone()).collect()
}

fn is_meant(verification: &Verification, text: &str) -> bool {
    verification.command() == text || matches!(verification, Verification::Check { action, .. } if action == text)
}

/// What is run: what failed, whatever the planner says; then what it chose among the checks; then its own.
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
