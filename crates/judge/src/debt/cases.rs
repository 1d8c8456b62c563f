//! Debt of a run as its evidence shows it: one case per distinct fingerprint.
//!
//! | the action's debt is an item, and              | cases                                                           |
//! |------------------------------------------------|-----------------------------------------------------------------|
//! | failed tests that its runner names             | `test`: one a failed test, and one for those that are not named |
//! | findings that count under its policy           | `finding`: one a fingerprint, and one for those not kept        |
//! | anything else, or nothing could be read        | `whole`: one                                                    |

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use referee_model::debt::{DebtCase, DebtGeneration, DebtSummary, ErrorDetails, ErrorTrace, Guidance, OriginalError};
use referee_model::fingerprint::Fingerprint;
use referee_model::id::ActionId;
use referee_model::limit::{DEBT_ITEMS_PER_ACTION, DEBT_LINES_KEPT, DEBT_PLACES_KEPT};
use referee_model::plan::{Action, Plan};
use referee_model::record::RunRecord;
use referee_model::report::{ActionReport, Ran};
use referee_syntax::cut::first_line;

use super::action_context::{self, ActionContext};
use super::{effort, finding, guidance, rest, test, whole};
use crate::finding::{Occurrence, Origin};

#[derive(Debug, Default)]
pub(super) struct Cases {
    /// Debt cases, most severe first.
    pub(super) cases: Vec<DebtCase>,
    /// Everything shown, including what does not count or exceeds a limit: none of it is resolved.
    pub(super) shown: BTreeSet<Fingerprint>,
}

/// An action that leaves debt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) plan: &'a Plan,
    pub(super) action: &'a Action,
    pub(super) ran: &'a Ran,
    pub(super) item: &'a DebtSummary,
    pub(super) context: &'a ActionContext,
}

/// Returns the debt cases of a run. If not all can be kept, `known` ones are preferred among equally severe ones.
pub(super) fn of_run(plan: &Plan, run: &RunRecord, actions: &[ActionReport], known: &BTreeSet<Fingerprint>) -> Cases {
    let mut found = Cases::default();
    for (at, report) in actions.iter().enumerate() {
        let Some(ran) = report.ran() else { continue };
        let shown = crate::finding::occurrences(plan, report);
        let of_output = shown.iter().filter(|found| !matches!(found.origin, Origin::Action));
        found.shown.extend(of_output.map(|found| found.finding.fingerprint));
        let DebtGeneration::Item(item) = &ran.judgement.debt else { continue };
        let Some(context) = action_context::of_action(run, actions, at) else { continue };
        let subject = Subject { plan, action: &report.action, ran, item, context: &context };
        let (cases, unlisted) = of_action(&subject, &shown);
        found.shown.extend(cases.iter().map(|case| case.fingerprint));
        found.cases.extend(kept(&subject, cases, unlisted, known));
    }
    found.shown.extend(found.cases.iter().map(|case| case.fingerprint));
    found.cases = merged(found.cases);
    let order = CaseOrder::of(plan);
    found.cases.sort_by(|one, other| order.compare(one, other));
    name_neighbours(&mut found.cases);
    found
}

/// Returns the cases of an action, and the number of its failures that are not listed.
fn of_action(subject: &Subject<'_>, shown: &[Occurrence<'_>]) -> (Vec<DebtCase>, u64) {
    let failures = test::failures(subject, shown).or_else(|| finding::failures(subject, shown));
    let (failures, unlisted) = failures.filter(|(failures, _)| !failures.is_empty()).unwrap_or_default();
    let mut distinct: BTreeMap<Fingerprint, Vec<&Occurrence<'_>>> = BTreeMap::new();
    for failure in failures {
        distinct.entry(failure.finding.fingerprint).or_default().push(failure);
    }
    if distinct.is_empty() {
        return (vec![whole::case(subject)], 0);
    }
    (distinct.values().filter_map(|all| case(subject, all)).collect(), unlisted)
}

/// Creates the case of a failure from all its occurrences, in the order of the output.
fn case(subject: &Subject<'_>, all: &[&Occurrence<'_>]) -> Option<DebtCase> {
    let first = all.first()?;
    let (words, test_failure) = match first.origin {
        Origin::Tool(found) => (finding::words(subject, found, all), None),
        Origin::Test(failure) => {
            let framework = first.finding.tool.as_deref().unwrap_or_default();
            (test::words(subject, framework, failure, all.len()), Some(test::failed(failure)))
        }
        Origin::Action => return None,
    };
    let mut case = subject.case(first.finding.fingerprint, all.len() as u64, words);
    case.severity = all.iter().map(|found| found.severity).max()?;
    case.lie_at(all.iter().filter_map(|found| found.place()).take(DEBT_PLACES_KEPT).collect());
    let ranges = all.iter().filter_map(|found| found.log_range()).take(DEBT_PLACES_KEPT);
    case.evidence = action_context::evidence(subject.context, &subject.ran.reading, ranges.collect());
    case.test_failure = test_failure;
    Some(case)
}

/// Returns the most severe cases of an action, and one for the rest. Severities that the specification does not
/// list are dropped.
fn kept(
    subject: &Subject<'_>,
    mut cases: Vec<DebtCase>,
    unlisted: u64,
    known: &BTreeSet<Fingerprint>,
) -> Vec<DebtCase> {
    let is_listed = |case: &DebtCase| subject.plan.debt.severities.contains(&case.severity);
    cases.retain(is_listed);
    cases.sort_by(|one, other| {
        let is_new = |case: &DebtCase| !known.contains(&case.fingerprint);
        other
            .severity
            .cmp(&one.severity)
            .then_with(|| is_new(one).cmp(&is_new(other)))
            .then_with(|| by_place(one, other))
    });
    let beyond = cases.split_off(cases.len().min(DEBT_ITEMS_PER_ACTION));
    cases.extend(rest::case(subject, &beyond, unlisted).filter(is_listed));
    cases
}

/// Merges cases with the same fingerprint from actions of the same name; the first action wins.
fn merged(cases: Vec<DebtCase>) -> Vec<DebtCase> {
    let mut by_fingerprint: BTreeMap<Fingerprint, usize> = BTreeMap::new();
    let mut merged: Vec<DebtCase> = Vec::with_capacity(cases.len());
    for case in cases {
        if let Some(first) = by_fingerprint.get(&case.fingerprint).and_then(|at| merged.get_mut(*at)) {
            join(first, case);
        } else {
            by_fingerprint.insert(case.fingerprint, merged.len());
            merged.push(case);
        }
    }
    merged
}

fn join(first: &mut DebtCase, other: DebtCase) {
    first.severity = first.severity.max(other.severity);
    first.occurrences = first.occurrences.saturating_add(other.occurrences);
    let places = std::mem::take(&mut first.places).into_iter().chain(other.places);
    first.lie_at(places.take(DEBT_PLACES_KEPT).collect());
    for file in other.evidence.files {
        if !first.evidence.files.contains(&file) {
            first.evidence.files.push(file);
        }
    }
    effort::estimate(first.category, first.occurrences).clone_into(&mut first.estimated_effort);
}

/// Order of cases: most severe first, then in plan order, then by location.
pub(super) struct CaseOrder<'a>(BTreeMap<&'a ActionId, usize>);

impl<'a> CaseOrder<'a> {
    pub(super) fn of(plan: &'a Plan) -> Self {
        Self(plan.actions.iter().enumerate().map(|(at, action)| (&action.id, at)).collect())
    }

    pub(super) fn compare(&self, one: &DebtCase, other: &DebtCase) -> Ordering {
        let at = |case: &DebtCase| self.0.get(&case.action).copied();
        other
            .severity
            .cmp(&one.severity)
            .then_with(|| at(one).cmp(&at(other)))
            .then_with(|| rest::is_rest(one).cmp(&rest::is_rest(other)))
            .then_with(|| by_place(one, other))
    }
}

fn by_place(one: &DebtCase, other: &DebtCase) -> Ordering {
    let place = |case: &DebtCase| case.places.first().map(|place| (place.file.clone(), place.line, place.column));
    // Cases without a location come last.
    (place(one).is_none(), place(one), &one.title, one.fingerprint).cmp(&(
        place(other).is_none(),
        place(other),
        &other.title,
        other.fingerprint,
    ))
}

/// Adds to each case which other actions failed (seed 1, `relatedFailures`): those in the same file first, then
/// the most severe.
fn name_neighbours(cases: &mut [DebtCase]) {
    let mut by_file: BTreeMap<String, Vec<ActionId>> = BTreeMap::new();
    for case in cases.iter() {
        let files: BTreeSet<&str> = case.places.iter().map(|place| place.file.as_str()).collect();
        for file in files {
            by_file.entry(file.to_owned()).or_default().push(case.action.clone());
        }
    }
    let mut all: Vec<ActionId> = Vec::new();
    for case in cases.iter() {
        if all.len() <= DEBT_LINES_KEPT && !all.contains(&case.action) {
            all.push(case.action.clone());
        }
    }
    for case in cases.iter_mut() {
        let same_file = case.places.iter().filter_map(|place| by_file.get(&place.file)).flatten();
        let mut named = BTreeSet::new();
        let others = same_file.chain(&all).filter(|other| **other != case.action && named.insert(*other));
        case.details.context.related_failures = others.take(DEBT_LINES_KEPT).cloned().collect();
    }
}

#[derive(Default)]
pub(super) struct Words {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) error_type: String,
    pub(super) message: String,
    pub(super) expected: Option<String>,
    pub(super) received: Option<String>,
    pub(super) files: Vec<String>,
    pub(super) steps: Vec<String>,
    pub(super) acceptance: Vec<String>,
}

impl Subject<'_> {
    /// Creates a case with the severity of the action's failure, without location, with the context of the action.
    pub(super) fn case(&self, fingerprint: Fingerprint, occurrences: u64, words: Words) -> DebtCase {
        let around = self.context;
        let category = self.item.category;
        DebtCase {
            fingerprint,
            action: self.action.id.clone(),
            action_name: self.action.name.clone(),
            title: first_line(&words.title, TITLE_CHARACTERS),
            description: words.description,
            category,
            severity: self.item.severity,
            estimated_effort: effort::estimate(category, occurrences).to_owned(),
            places: Vec::new(),
            occurrences,
            test_failure: None,
            evidence: action_context::evidence(around, &self.ran.reading, Vec::new()),
            guidance: Guidance {
                files: words.files.clone(),
                steps: guidance::bounded(words.steps, "step"),
                dependencies: guidance::dependencies(self),
                acceptance: guidance::bounded(words.acceptance, "criterion"),
            },
            details: ErrorDetails {
                outcome: self.ran.judgement.outcome,
                original_error: OriginalError {
                    error_type: words.error_type,
                    message: words.message,
                    expected: words.expected,
                    received: words.received,
                    file: None,
                    line: None,
                    column: None,
                },
                context: around.context.clone(),
                diagnostics: ErrorTrace { http: around.http.clone(), files_checked: words.files },
            },
        }
    }
}

/// Maximum length of a title, in characters.
const TITLE_CHARACTERS: usize = 200;
