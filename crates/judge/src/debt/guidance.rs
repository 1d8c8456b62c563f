//! Remedies and acceptance criteria of a case, taken from findings, tests and the specification.

use std::collections::BTreeSet;

use referee_model::limit::DEBT_LINES_KEPT;
use referee_model::plan::{Action, FileContent, FileExpectation, Interaction, Role, SchemaSource, Work};
use referee_model::reading::Diagnostic;
use referee_syntax::count::count;
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;

use super::cases::Subject;
use crate::classify::{asked_of, expectation, row_expectation};

/// Maximum length of a text quoted in guidance, in characters.
pub(super) const QUOTED_CHARACTERS: usize = 200;

/// Returns a text as guidance quotes it, in one line.
pub(super) fn quoted(text: &str) -> String {
    let text = first_line(text, QUOTED_CHARACTERS);
    if text.contains('`') { format!("\"{text}\"") } else { format!("`{text}`") }
}

/// Returns the work of an action as guidance names it: a command line, a request, a path, a service.
pub(super) fn what(action: &Action) -> String {
    match &action.work {
        Work::Command(command) => quoted(&command.invocation.as_line()),
        Work::Http(request) => format!("{} {}", request.method.as_str(), first_line(&request.url.to_string(), 200)),
        Work::File(check) => quoted(&check.path.to_string()),
        Work::Service(_) => format!("the service {}", quoted(&action.name)),
        Work::Interaction(interaction) => asked_of(interaction),
    }
}

/// Returns the remedy for a finding, with its location.
pub(super) fn step(found: &Diagnostic) -> String {
    let code = found.code.as_deref().map(|code| format!("{code} ")).unwrap_or_default();
    let said = first_line(&found.message, QUOTED_CHARACTERS);
    match (&found.file, found.line) {
        (Some(file), Some(line)) => format!("Line {line} of {file}: {code}{said}"),
        (Some(file), None) => format!("{file}: {code}{said}"),
        (None, _) => format!("{code}{said}"),
    }
}

/// Returns the number of occurrences in words, if there is more than one.
pub(super) fn often(times: usize) -> String {
    if times > 1 { format!(" It is there {times} times.") } else { String::new() }
}

/// Returns the acceptance criterion for everything that an action shows.
pub(super) fn no_more(subject: &Subject<'_>) -> String {
    let what = what(subject.action);
    match subject.ran.judgement.role {
        Some(Role::Test) => format!("{what} reports no failed test"),
        _ => format!("{what} reports no finding"),
    }
}

/// Returns the acceptance criteria for an action that failed as a whole, by its kind of work.
///
/// | it                          | done when                                                        |
/// |-----------------------------|------------------------------------------------------------------|
/// | checks a file               | the file is as the specification expects, one criterion per property |
/// | makes a request             | the answer has an expected status, and is as asserted             |
/// | asks a database             | it is answered, and the rows are as expected                      |
/// | drives a browser            | the page allows every command                                     |
/// | starts a service            | the service is ready in its time                                  |
/// | runs tests                  | the command exits with 0 and reports no failed test               |
/// | validates                   | the command does its work                                         |
/// | runs any other command      | the command exits with an expected code                           |
pub(super) fn works(subject: &Subject<'_>) -> Vec<String> {
    let action = subject.action;
    let what = what(action);
    match &action.work {
        Work::Http(request) => {
            let answers = format!("{what} answers with {}", expectation::statuses(&request.expected_statuses));
            let holds = request
                .assertions
                .iter()
                .map(|assertion| format!("in the answer of {what}, {}", expectation::assertion(assertion)));
            [answers].into_iter().chain(holds).collect()
        }
        Work::File(check) if check.glob => file(&format!("every file that {what} names"), &check.expectation),
        Work::File(check) => file(&what, &check.expectation),
        Work::Service(_) => vec![format!("{what} is ready within {}", exact(action.timeout_ms))],
        Work::Command(command) => vec![match subject.ran.judgement.role {
            Some(Role::Test) => format!("{what} exits with 0 and reports no failed test"),
            Some(Role::Other) | None => format!("{what} exits with {}", codes(&command.expected_exit_codes)),
            Some(Role::Typecheck | Role::Lint | Role::Format | Role::Compile) => {
                format!("{what} does its work, and what it reports can be judged")
            }
        }],
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(query) => {
                let holds = query.expectations.iter().map(row_expectation);
                let holds = holds.map(|said| format!("in the answer to {what}, {said}"));
                [format!("{what} is answered")].into_iter().chain(holds).collect()
            }
            Interaction::Browser(browser) => {
                let does = browser.commands.iter().map(|command| quoted(&command.operation.as_line()));
                does.map(|command| format!("the page allows {command}")).collect()
            }
        },
    }
}

fn codes(expected: &[i32]) -> String {
    let codes: Vec<String> = expected.iter().map(ToString::to_string).collect();
    if codes.is_empty() { "0".to_owned() } else { codes.join(" or ") }
}

fn file(what: &str, expectation: &FileExpectation) -> Vec<String> {
    let FileExpectation::Present(content) = expectation else {
        return vec![format!("{what} does not exist")];
    };
    let mut lines = vec![format!("{what} exists")];
    lines.extend(demands(content).into_iter().map(|demand| format!("{what} {demand}")));
    lines
}

/// Returns the requirements for an existing file.
fn demands(content: &FileContent) -> Vec<String> {
    let mut demands = Vec::new();
    demands.extend(content.min_size.map(|bytes| format!("has at least {}", count(bytes, "byte"))));
    demands.extend(content.max_size.map(|bytes| format!("has at most {}", count(bytes, "byte"))));
    demands.extend(content.contains.iter().map(|text| format!("contains {}", quoted(text))));
    demands.extend(content.matches.iter().map(|pattern| format!("matches {}", quoted(pattern))));
    demands.extend(content.sha256.map(|digest| format!("has the SHA-256 {digest}")));
    demands.extend(content.syntax.map(|syntax| format!("is well-formed {}", format!("{syntax:?}").to_uppercase())));
    demands.extend(content.schema.as_ref().map(|schema| match schema {
        SchemaSource::Inline(_) => "matches the schema of the specification".to_owned(),
        SchemaSource::File(path) => format!("matches the schema {}", quoted(path.as_str())),
    }));
    demands
}

/// Returns what must have passed before: tasks first, then actions.
pub(super) fn dependencies(subject: &Subject<'_>) -> Vec<String> {
    let tasks = subject.plan.depends_on.iter().map(|task| format!("{task}: must pass before this task"));
    let needs = subject.action.needs.iter().map(|id| match subject.plan.action(id) {
        Some(needed) => format!("{id}: {}", first_line(&needed.name, QUOTED_CHARACTERS)),
        None => id.to_string(),
    });
    bounded(tasks.chain(needs).collect(), "dependency")
}

/// Keeps the maximum number of lines per kind, and adds the number of the rest.
pub(super) fn bounded(mut lines: Vec<String>, noun: &str) -> Vec<String> {
    let over = lines.len().saturating_sub(DEBT_LINES_KEPT);
    if over > 0 {
        lines.truncate(DEBT_LINES_KEPT);
        let plural = match (over, noun.strip_suffix('y')) {
            (1, _) => noun.to_owned(),
            (_, Some(stem)) => format!("{stem}ies"),
            (_, None) if noun == "criterion" => "criteria".to_owned(),
            _ => format!("{noun}s"),
        };
        lines.push(format!("and {over} further {plural} of the same kind"));
    }
    lines
}

/// Returns distinct names in order of first occurrence, up to the limit of an item.
pub(super) fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(name.clone())).take(DEBT_LINES_KEPT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_beyond_the_limit_are_counted() {
        let lines = |number: usize| (0..number).map(|at| at.to_string()).collect::<Vec<_>>();
        assert_eq!(bounded(lines(DEBT_LINES_KEPT), "step").len(), DEBT_LINES_KEPT);
        for (over, noun, last) in [
            (1, "step", "and 1 further step of the same kind"),
            (2, "step", "and 2 further steps of the same kind"),
            (2, "criterion", "and 2 further criteria of the same kind"),
            (2, "dependency", "and 2 further dependencies of the same kind"),
        ] {
            assert_eq!(bounded(lines(DEBT_LINES_KEPT + over), noun).last().unwrap(), last);
        }
    }
}
