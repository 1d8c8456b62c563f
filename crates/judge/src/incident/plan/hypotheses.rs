//! Hypotheses about the cause of an incident, derived from its evidence.
//!
//! | evidence                                    | hypothesis                                     | confidence |
//! |---------------------------------------------|------------------------------------------------|------------|
//! | diagnostics of one source about one location | the tool's message, with the location         | medium     |
//! | a timeout or the network                    | a slow or unreachable service                  | medium     |
//! | something that was not found                | it was renamed, moved or never there           | medium     |
//! | a sign-in is required                       | the sign-in is missing or expired              | medium     |
//! | nothing of these                            | what the strongest rows say                    | low        |
//! | sure below 0.60, and only one of these      | one alternative beside it                      | low        |

use referee_model::diagnostic_log::DiagnosticSource;
use referee_model::incident::evidence::{EvidenceKind, EvidenceRow, Strength};
use referee_model::incident::remediation::{Cause, Confidence, Support};
use referee_model::reading::Level;
use referee_syntax::cut::characters;
use referee_syntax::line;

use super::{Case, QUOTED, SENTENCE};
use crate::incident::evidence::of_finding;
use crate::incident::finding::Finding;
use crate::incident::quality::{self, UNSURE};
use crate::incident::signal::{self, Signal};

/// Maximum number of hypotheses derived from diagnostics.
const OF_DIAGNOSTICS: usize = 3;

/// Maximum number of rows that a hypothesis cites.
const CITED: usize = 2;

/// Maximum number of rows that a hypothesis quotes.
const SUPPORT: usize = 3;

/// Maximum number of gaps of a hypothesis.
pub(super) const GAPS: usize = 3;

/// Returns the hypotheses; at least one.
pub(super) fn of(case: &Case<'_>, confidence: f64, unknowns: &[String]) -> Vec<Cause> {
    let mut found = of_diagnostics(case);
    found.extend(of_signals(case));
    if found.is_empty() {
        found.push(unspecific(case));
    }
    if confidence < UNSURE && found.len() < 2 {
        found.extend(found.first().map(|first| alternative(case, first)));
    }
    (1..).zip(found).map(|(number, guess)| weighed(case.rows, number, guess, unknowns)).collect()
}

/// A hypothesis before it is weighed: confidence, reason, and cited rows.
type Guess = (Confidence, String, Vec<usize>);

fn of_diagnostics(case: &Case<'_>) -> Vec<Guess> {
    let blocking = case.findings.iter().any(|finding| finding.blocking);
    let counts = |finding: &&Finding| if blocking { finding.blocking } else { finding.severity == Level::Error };
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for finding in case.findings.iter().filter(counts) {
        let same = groups.iter_mut().find(|group| group.first().is_some_and(|first| is_alike(first, finding)));
        match same {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    let guess = |group: Vec<&Finding>| {
        let cited: Vec<usize> = group.iter().filter_map(|finding| place(case.rows, finding)).take(CITED).collect();
        let reason = reason(group.first()?, group.len());
        (!cited.is_empty()).then(|| (Confidence::Medium, characters(&reason, SENTENCE), cited))
    };
    groups.into_iter().filter_map(guess).take(OF_DIAGNOSTICS).collect()
}

/// Returns whether two diagnostics share a cause: the same kind of check about the same file, or the same test.
fn is_alike(one: &Finding, other: &Finding) -> bool {
    let is_test = one.source == Some(DiagnosticSource::Test);
    one.source == other.source
        && one.file == other.file
        && one.action == other.action
        && (!is_test || one.code == other.code)
}

fn place(rows: &[EvidenceRow], finding: &Finding) -> Option<usize> {
    let wanted = of_finding(finding);
    rows.iter()
        .position(|row| row.kind == EvidenceKind::Diagnostic && row.excerpt == wanted.excerpt)
        .map(|index| index + 1)
}

fn reason(finding: &Finding, number: usize) -> String {
    // The message often begins with the name of the test.
    let named = finding.code.as_deref().and_then(|code| finding.message.strip_prefix(code)?.strip_prefix(':'));
    let said = line::bounded(named.unwrap_or(&finding.message), QUOTED);
    let code = finding.code.as_ref().map(|code| line::bounded(code, QUOTED));
    let place = finding.file.as_ref().map(|file| line::bounded(file, QUOTED));
    let place = place.as_deref().unwrap_or("the project");
    let coded = code.as_ref().map(|code| format!("{code}: ")).unwrap_or_default();
    let more = if number > 1 { format!(" (and {} more there)", number - 1) } else { String::new() };
    match finding.source {
        Some(DiagnosticSource::Test) => {
            let name = code.or_else(|| finding.file.clone()).unwrap_or_else(|| "a test".to_owned());
            format!("What the test `{name}` asks for does not hold: {said}{more}")
        }
        Some(DiagnosticSource::Build) => format!("A type or compile error in {place}: {coded}{said}{more}"),
        Some(DiagnosticSource::Lint) => format!("{place} breaks a rule: {coded}{said}{more}"),
        Some(DiagnosticSource::Runtime) => {
            let command = finding.command.as_ref().map(|command| line::bounded(command, QUOTED));
            format!("`{}` does not do its work: {said}{more}", command.as_deref().unwrap_or(place))
        }
        None => format!("A fault in {place}: {coded}{said}{more}"),
    }
}

fn of_signals(case: &Case<'_>) -> Vec<Guess> {
    const REASONS: [(Signal, &str); 3] = [
        (Signal::SignIn, "The sign-in is missing, or no longer counts"),
        (Signal::Network, "A service or the network did not answer in time"),
        (Signal::Missing, "Something that is looked for is not there: it was renamed, moved, or was never there"),
    ];
    let guess = |(signal, reason): (Signal, &str)| {
        let says = |place: &usize| {
            let row = case.rows.get(place.saturating_sub(1));
            row.is_some_and(|row| row.kind != EvidenceKind::Diagnostic && signal::says(&row.excerpt, signal))
        };
        let cited: Vec<usize> = quality::by_weight(case.rows).into_iter().filter(says).take(CITED).collect();
        (!cited.is_empty()).then(|| (Confidence::Medium, reason.to_owned(), cited))
    };
    REASONS.into_iter().filter_map(guess).collect()
}

fn unspecific(case: &Case<'_>) -> Guess {
    let cited: Vec<usize> = quality::by_weight(case.rows).into_iter().take(CITED).collect();
    let said = cited.first().and_then(|place| case.rows.get(place - 1)).map(|row| characters(&row.excerpt, QUOTED));
    let what = if case.failure_class == "run_failed" {
        "A step of the run failed, and its output does not say why"
    } else {
        "A fault in the code or its configuration that the evidence does not name"
    };
    let reason = said.map_or_else(|| what.to_owned(), |said| format!("{what}; what is known is: {said}"));
    (Confidence::Low, characters(&reason, SENTENCE), cited)
}

/// Returns an alternative hypothesis, supported by evidence that the first one does not cite, if there is any.
fn alternative(case: &Case<'_>, (_, _, cited): &Guess) -> Guess {
    let by_weight = quality::by_weight(case.rows);
    // Output supports the hypothesis of what it names, which is the first one.
    let is_output = |place: &usize| {
        let row = case.rows.get(place.saturating_sub(1));
        row.is_some_and(|row| matches!(row.kind, EvidenceKind::Diagnostic | EvidenceKind::LogSignal))
    };
    let left = || by_weight.iter().copied().filter(|place| !cited.contains(place));
    let best = left().find(|place| !is_output(place)).or_else(|| left().next()).or_else(|| by_weight.first().copied());
    let cited = best.into_iter().collect();
    let reason = "Something outside the code: the machine, a service, or data that changed";
    (Confidence::Low, reason.to_owned(), cited)
}

/// Returns how strongly the cited rows support the hypothesis with this number, and its gaps.
pub(super) fn weighed(
    rows: &[EvidenceRow],
    number: usize,
    (confidence, reason, places): Guess,
    unknowns: &[String],
) -> Cause {
    let cited: Vec<EvidenceRow> = places.iter().filter_map(|place| rows.get(place.checked_sub(1)?)).cloned().collect();
    let strong = cited.iter().filter(|row| quality::is_strong(row)).count();
    let most = if strong > 1 && confidence > Confidence::Low { Strength::Strong } else { Strength::Medium };
    let mut gaps = Vec::new();
    if !cited.iter().any(|row| matches!(row.kind, EvidenceKind::Diagnostic | EvidenceKind::LogSignal)) {
        gaps.push("No line of output names this cause".to_owned());
    }
    gaps.extend(unknowns.iter().take(1).cloned());
    gaps.push("Whether it happens again when it is run again".to_owned());
    gaps.truncate(GAPS);
    let support = cited.iter().take(SUPPORT).map(|row| Support {
        id: row.id.clone(),
        path: row.path.clone(),
        kind: row.kind.as_str().to_owned(),
        excerpt: row.excerpt.clone(),
    });
    Cause {
        hypothesis_id: format!("H{number}"),
        reason,
        confidence: confidence.as_str().to_owned(),
        support_strength: quality::strength(&cited).min(most).as_str().to_owned(),
        evidence_ids: cited.iter().map(|row| row.id.clone()).collect(),
        supporting_evidence: support.collect(),
        gaps,
    }
}
