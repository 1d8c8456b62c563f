//! Parses conditions over the actions of a task, and checks that the fields they refer to exist (ruling 14).

mod idle;

use std::collections::HashMap;

use referee_model::condition::fields::{self, Kind};
use referee_model::condition::{self, Condition, Expression, Field, Literal, PathStep, Subject};
use referee_model::id::ActionId;
use referee_model::plan::{Action, DataSyntax, FileExpectation, Interaction, Invocation, Phase, Work};
use referee_syntax::distance::nearest;
use referee_syntax::span::Span;

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;
use crate::task::Check;
use crate::tool;

/// A condition as it is written.
pub(crate) struct Written<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: Span,
    pub(crate) description: &'a str,
}

/// Checks, which are listed phase by phase, with the actions that their names refer to.
pub(crate) struct Named<'a> {
    checks: &'a [Check],
    ids: HashMap<&'a str, &'a ActionId>,
}

impl<'a> Named<'a> {
    /// Indexes checks by name. If phases share a name, it refers to the step, else to the earlier phase.
    pub(crate) fn of(checks: &'a [Check]) -> Self {
        let mut ids = HashMap::new();
        let (steps, others): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(|check| check.phase == Phase::Step);
        for check in steps.into_iter().chain(others) {
            ids.entry(check.name.as_str()).or_insert(&check.id);
        }
        Self { checks, ids }
    }
}

/// Parses a condition over checks. A name that is not one of a check is one of a tool.
pub(crate) fn read(written: &Written<'_>, named: &Named<'_>, findings: &mut Findings) -> Option<Condition> {
    if written.text.trim().is_empty() {
        findings.push(Finding::error(Code::Vacuous, written.span, "this condition is empty, and would say nothing"));
        return None;
    }
    let mut expression = match condition::parse(written.text) {
        Ok(expression) => expression,
        Err(error) => {
            let place = within(written.span, written.text, error.offset);
            let message = format!("this condition cannot be read: {}", error.message);
            findings.push(Finding::error(Code::InvalidCondition, place, message));
            return None;
        }
    };
    let mut asked = 0;
    visit(&mut expression, &mut |field| {
        asked += 1;
        if let Subject::Tool(name) = &field.of
            && let Some(id) = named.ids.get(name.as_str())
        {
            field.of = Subject::Action((*id).clone());
        }
        weigh(field, written.span, named.checks, findings);
        weigh_subject(field, named, written.span, findings);
    });
    weigh_rows(&expression, written.span, named.checks, findings);
    if let Some(reason) = idle::reason(&expression) {
        findings.push(Finding::error(
            Code::Vacuous,
            written.span,
            format!("this condition asks for nothing: {reason}"),
        ));
        return None;
    }
    if asked == 0 {
        let message = "this condition asks nothing of any action, and would always say the same";
        findings.push(Finding::error(Code::Vacuous, written.span, message));
        return None;
    }
    // For a condition that names a check, the stored form must mean the same without knowledge of the names.
    let is_plain = condition::parse(written.text).is_ok_and(|plain| plain == expression);
    let text = if is_plain { written.text.to_owned() } else { expression.to_string() };
    Some(Condition { text, description: written.description.to_owned(), expression })
}

/// Complains about a check whose name is also that of a field, and so refers to a field of the last step.
fn weigh_subject(field: &Field, named: &Named<'_>, place: Span, findings: &mut Findings) {
    let (Subject::LastStep, [PathStep::Key(name), _, ..]) = (&field.of, field.path.as_slice()) else { return };
    let Some(id) = named.ids.get(name.as_str()) else { return };
    let message = format!("{} is the name of a check, and a field of the last step, too", quote(name));
    findings.push(Finding::error(Code::DuplicateName, place, message).help(format!("write `{id}` for the check")));
}

/// Returns the span of a byte of a text within its span: exact, unless there are escapes before it.
fn within(span: Span, text: &str, offset: usize) -> Span {
    let quotes = (span.end - span.start).saturating_sub(text.len());
    if quotes != 0 && quotes != 2 {
        return span;
    }
    let start = span.start + quotes / 2 + offset.min(text.len());
    Span { start, end: (start + 1).min(span.end).max(start) }
}

/// Visits each field of an expression.
fn visit(expression: &mut Expression, each: &mut impl FnMut(&mut Field)) {
    match expression {
        Expression::Or(left, right) | Expression::And(left, right) | Expression::Compare { left, right, .. } => {
            visit(left, each);
            visit(right, each);
        }
        Expression::Includes { whole, part } => {
            visit(whole, each);
            visit(part, each);
        }
        Expression::Not(inner) | Expression::IsArray(inner) => visit(inner, each),
        Expression::Literal(_) => {}
        Expression::Field(field) => each(field),
    }
}

/// Complains about a field of an action that does not exist, or can never have the field.
fn weigh(field: &Field, span: Span, checks: &[Check], findings: &mut Findings) {
    let check = match &field.of {
        Subject::Action(_) | Subject::LastStep => subject(field, checks),
        Subject::Tool(name) => {
            findings.extend(unknown_check(name, span, checks));
            let whose = format!("the tool {}", quote(name));
            return weigh_name(field, Kind::Command, &whose, span, findings);
        }
    };
    let Some(check) = check else {
        findings.extend(unknown_action(field, span, checks, findings.is_full()));
        return;
    };
    // An action with errors has its complaints already.
    let Some(action) = &check.action else { return };
    findings.extend(not_kept(field, action, span));
    let kind = Kind::of(&action.work);
    let whose = match field.of {
        Subject::LastStep => format!("the last step ({}, {})", check.id, kind.as_str()),
        _ => format!("{} ({})", check.id, kind.as_str()),
    };
    weigh_name(field, kind, &whose, span, findings);
}

/// Returns the check that a field is of.
fn subject<'a>(field: &Field, checks: &'a [Check]) -> Option<&'a Check> {
    match &field.of {
        Subject::Action(id) => checks.iter().find(|check| check.id == *id),
        Subject::LastStep => checks.iter().rev().find(|check| check.phase == Phase::Step),
        Subject::Tool(_) => None,
    }
}

/// Complains about rows that are compared with a number, as if they were their count.
fn weigh_rows(expression: &Expression, span: Span, checks: &[Check], findings: &mut Findings) {
    match expression {
        Expression::Or(left, right) | Expression::And(left, right) => {
            weigh_rows(left, span, checks, findings);
            weigh_rows(right, span, checks, findings);
        }
        Expression::Not(inner) => weigh_rows(inner, span, checks, findings),
        Expression::Compare { left, right, .. } => {
            for sides in [(&**left, &**right), (&**right, &**left)] {
                let (Expression::Field(field), Expression::Literal(Literal::Number(_))) = sides else { continue };
                let [PathStep::Key(name)] = field.path.as_slice() else { continue };
                if !matches!(name.as_str(), "rows" | "result") {
                    continue;
                }
                let work = subject(field, checks).and_then(|check| Some(&check.action.as_ref()?.work));
                if work.is_some_and(|work| Kind::of(work) == Kind::Query) {
                    let message = format!("{} is a list of rows, and never a number", quote(name));
                    let finding = Finding::error(Code::InvalidCondition, span, message);
                    findings.push(finding.help("their number is `rowCount`"));
                }
            }
        }
        Expression::Includes { .. } | Expression::IsArray(_) | Expression::Literal(_) | Expression::Field(_) => {}
    }
}

fn unknown_action(field: &Field, span: Span, checks: &[Check], is_full: bool) -> Option<Finding> {
    let Subject::Action(id) = &field.of else { return None };
    let finding = Finding::error(Code::UnknownAction, span, format!("action not found: {}", quote(id.as_str())));
    let ids = checks.iter().map(|check| check.id.as_str());
    Some(if is_full { finding } else { finding.meant(nearest(id.as_str(), ids)) })
}

/// Complains about an unknown tool name that no command mentions, but that resembles the name of a check.
fn unknown_check(name: &str, span: Span, checks: &[Check]) -> Option<Finding> {
    let is_mentioned =
        || checks.iter().any(|check| check.action.as_ref().is_none_or(|action| runs(&action.work, name)));
    if tool::is_known(name) || is_mentioned() {
        return None;
    }
    let meant = nearest(name, checks.iter().map(|check| check.name.as_str()))?;
    let message = format!("neither a check nor a tool that a command runs: {}", quote(name));
    Some(Finding::error(Code::UnknownAction, span, message).meant(Some(meant)))
}

/// Returns whether a command mentions a name.
fn runs(work: &Work, name: &str) -> bool {
    let command = match work {
        Work::Command(command) => Some(command),
        Work::Service(service) => service.command.as_ref(),
        Work::Interaction(interaction) => {
            return interaction.templates().iter().any(|text| text.to_string().contains(name));
        }
        Work::File(_) | Work::Http(_) => None,
    };
    command.is_some_and(|command| match &command.invocation {
        Invocation::Shell { line, .. } => line.contains(name),
        Invocation::Argv(argv) => argv.iter().any(|word| word.contains(name)),
        Invocation::Container(container) => container.argv().iter().any(|word| word.contains(name)),
    })
}

/// Complains about a field that can never be known, because its source is not kept.
fn not_kept(field: &Field, action: &Action, span: Span) -> Option<Finding> {
    let Some(PathStep::Key(name)) = field.path.first() else { return None };
    let evidence = &action.evidence;
    let (is_told, what, help) = match (&action.work, name.as_str()) {
        (Work::Command(_) | Work::Service(_), "stdout") => (evidence.stdout, "its standard output", KEEP),
        (Work::Command(_) | Work::Service(_), "stderr") => (evidence.stderr, "its standard error", KEEP),
        (Work::Http(_), "body") => (evidence.exchange, "the body of its answer", KEEP),
        (Work::Interaction(interaction), "rows" | "result") if matches!(**interaction, Interaction::Query(_)) => {
            (evidence.exchange, "the rows of its answer", KEEP)
        }
        (Work::File(check), "json") => (evidence.file_contents && !check.glob, "the content of the file", KEEP),
        (Work::File(check), "isValidJSON") => {
            let is_told = (evidence.file_contents && !check.glob) || asks_for_json(&check.expectation);
            (
                is_told,
                "the content of the file",
                "let the check ask for well-formed JSON, or keep the content as evidence",
            )
        }
        _ => return None,
    };
    let message = format!("{} does not keep {what}, so that {} can never be determined", action.id, quote(name));
    (!is_told).then(|| Finding::error(Code::NotKept, span, message).help(help))
}

const KEEP: &str = "let its evidence keep it, or ask for something else";

fn asks_for_json(expectation: &FileExpectation) -> bool {
    matches!(expectation, FileExpectation::Present(content) if content.syntax == Some(DataSyntax::Json))
}

fn weigh_name(field: &Field, kind: Kind, whose: &str, span: Span, findings: &mut Findings) {
    let name = match field.path.first() {
        None => return,
        Some(PathStep::Key(name)) => name.clone(),
        Some(PathStep::Index(index)) => index.to_string(),
    };
    if fields::is_known(kind, &name) {
        return;
    }
    let message = format!("{whose} never has a field {}", quote(&name));
    let finding = Finding::error(Code::UnknownField, span, message);
    let finding = match nearest(&name, fields::known(kind).iter().copied()) {
        Some(meant) => finding.meant(Some(meant)),
        None => finding.help(format!("it has {}", fields::known(kind).join(", "))),
    };
    findings.push(finding);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_within_a_text_are_exact_where_nothing_is_escaped() {
        let quoted = Span { start: 10, end: 17 };
        assert_eq!(within(quoted, "abcde", 2), Span { start: 13, end: 14 });
        assert_eq!(within(quoted, "abcde", 5), Span { start: 16, end: 17 });
        assert_eq!(within(Span { start: 10, end: 15 }, "abcde", 2), Span { start: 12, end: 13 });
        assert_eq!(within(quoted, "ab\"", 2), quoted);
    }
}
