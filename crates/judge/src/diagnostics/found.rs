//! An action taken apart into diagnostics.

use std::collections::BTreeSet;

use referee_model::diagnostic_log::{DiagnosticSource, Finding, Position};
use referee_model::fingerprint::Fingerprint;
use referee_model::limit::{DIAGNOSTIC_COMMAND_CHARACTERS, DIAGNOSTIC_MESSAGE_CHARACTERS};
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Command, FileRoot, Invocation, Plan, Role, Strategy, Work};
use referee_model::reading::{Diagnostic, Level, TestFailure};
use referee_model::record::Facts;
use referee_model::report::{ActionReport, Ran};
use referee_syntax::{cut, line};

use crate::policy::{self, Treatment};
use crate::{fingerprint, frames, own_files, role};

/// Returns what an action shows, in the order of its output, nothing merged.
///
/// | came out                        | finding                                        | failed test     |
/// |---------------------------------|------------------------------------------------|-----------------|
/// | SUCCESS                         | noted: severity info, never blocking           | noted likewise  |
/// | SUCCESS, hidden by NEVER        | left out                                       | noted likewise  |
/// | any, its rule is ignored        | left out                                       | –               |
/// | failed, blocking                | an error blocks; a warning where it counts     | error, blocking |
/// | failed, not blocking            | as the tool says, not blocking                 | error           |
///
/// Before them stands one for the action itself, with its reason as message, where none of them says why it failed.
pub(super) fn of_action(plan: &Plan, report: &ActionReport) -> Vec<Finding> {
    let Some(ran) = report.ran() else { return Vec::new() };
    let told = Telling { plan, action: &report.action, ran };
    let findings = ran.reading.diagnostics.iter().filter(|found| !told.is_hidden(found));
    let mut entries: Vec<_> = findings.map(|found| told.finding(found)).collect();
    if let Some(tests) = &ran.reading.tests {
        entries.extend(tests.failures.iter().map(|failure| told.failed_test(&tests.framework, failure)));
    }
    if is_unexplained(&ran.judgement, &entries) {
        entries.insert(0, told.action_itself());
    }
    entries
}

/// Returns the fingerprint of everything that an action shows, also of what policy hides.
pub(super) fn present(plan: &Plan, report: &ActionReport) -> BTreeSet<Fingerprint> {
    let mut present: BTreeSet<Fingerprint> =
        of_action(plan, report).into_iter().map(|entry| entry.fingerprint).collect();
    if let Some(ran) = report.ran() {
        present.extend(ran.reading.diagnostics.iter().map(|found| fingerprint::of_finding(&report.action, found)));
    }
    present
}

/// Whether nothing that an action shows says why it failed. What no tool said is never said by a finding: that it could
/// not start, that its time was up, that a named test did not come out as it should.
fn is_unexplained(judgement: &Judgement, entries: &[Finding]) -> bool {
    let by_content =
        matches!(judgement.cause.unwrap_or(judgement.outcome), Outcome::TestFailure | Outcome::ValidationFailure);
    let beside_content = matches!(
        judgement.rule,
        Rule::NamedTests
            | Rule::UnexpectedSuccess
            | Rule::UnexpectedOutcome
            | Rule::Flaky
            | Rule::RunnerFailed
            | Rule::NoTests
    );
    let says_why = |entry: &Finding| entry.severity != Level::Info && entry.blocking == judgement.blocking;
    judgement.outcome != Outcome::Success && (!by_content || beside_content || !entries.iter().any(says_why))
}

/// An action that ran, as its diagnostics are told.
#[derive(Clone, Copy)]
struct Telling<'a> {
    plan: &'a Plan,
    action: &'a Action,
    ran: &'a Ran,
}

impl Telling<'_> {
    fn finding(self, found: &Diagnostic) -> Finding {
        Finding {
            source: self.source(Some(&found.tool)),
            tool: Some(found.tool.clone()),
            file: found.file.clone(),
            position: position(found.line, found.column),
            code: found.code.clone(),
            severity: self.noted(found.level),
            message: message(&found.message),
            blocking: self.blocks(found),
            fingerprint: fingerprint::of_finding(self.action, found),
            ..self.blank()
        }
    }

    /// A failed test is named in its message: two tests that say the same are two.
    fn failed_test(self, framework: &str, failure: &TestFailure) -> Finding {
        let said = failure.message.trim();
        let told = match (failure.name.trim(), said) {
            (name, "") => name.to_owned(),
            ("", said) => said.to_owned(),
            (name, said) => format!("{name}: {said}"),
        };
        Finding {
            source: DiagnosticSource::Test,
            tool: Some(framework.to_owned()),
            file: failure.file.clone(),
            under_test: frames::under_test(self.plan, failure),
            position: position(failure.line, failure.column),
            code: Some(line::bounded(&failure.name, DIAGNOSTIC_MESSAGE_CHARACTERS)).filter(|name| !name.is_empty()),
            severity: self.noted(Level::Error),
            message: message(&told),
            blocking: self.ran.judgement.blocking,
            fingerprint: fingerprint::of_test(self.action, framework, failure),
            ..self.blank()
        }
    }

    fn action_itself(self) -> Finding {
        let judgement = &self.ran.judgement;
        Finding {
            tool: judgement.tool.clone(),
            file: match &self.ran.record.facts {
                Facts::File(facts) => Some(facts.path.clone()),
                _ => None,
            },
            code: Some(judgement.rule.id().to_owned()),
            message: message(&judgement.reason),
            blocking: judgement.blocking,
            fingerprint: fingerprint::of_action(self.action, judgement),
            ..self.blank()
        }
    }

    /// What all diagnostics of the action have in common.
    fn blank(self) -> Finding {
        Finding {
            source: self.source(None),
            action: self.action.id.clone(),
            action_name: self.action.name.clone(),
            command: line::bounded(&command(&self.action.work), DIAGNOSTIC_COMMAND_CHARACTERS),
            tool: None,
            file: None,
            under_test: None,
            position: None,
            code: None,
            severity: Level::Error,
            message: String::new(),
            blocking: false,
            timestamp: self.ran.record.span.ended,
            occurrences: 1,
            fingerprint: fingerprint::of_action(self.action, &self.ran.judgement),
        }
    }

    /// The source, by the role of the tool that said it, else by that of the action (seed 4, `origin`): a compiler's word
    /// is about the build, also in the output of a test run.
    ///
    /// | role               | source  |
    /// |--------------------|---------|
    /// | test, HTTP request | test    |
    /// | lint, format       | lint    |
    /// | typecheck, compile | build   |
    /// | any other          | runtime |
    fn source(self, tool: Option<&str>) -> DiagnosticSource {
        let of_action = match self.action.work {
            Work::Http(_) => DiagnosticSource::Test,
            _ => source_of(self.ran.judgement.role.unwrap_or(Role::Other)),
        };
        let mut of_tool = tool.into_iter().flat_map(role::of_tool).map(source_of);
        // A tool that does several things says of none of its findings which of them it did.
        let first = of_tool.next();
        first.filter(|first| of_tool.all(|other| other == *first)).unwrap_or(of_action)
    }

    /// What an action prints that succeeds is noted, whatever it looks like.
    fn noted(self, level: Level) -> Level {
        if self.ran.judgement.outcome == Outcome::Success { Level::Info } else { level }
    }

    /// Whether policy takes a finding away: the strategy NEVER, or a rule that is ignored.
    fn is_hidden(self, found: &Diagnostic) -> bool {
        let judgement = &self.ran.judgement;
        let is_never = judgement.policy.as_ref().is_some_and(|applied| applied.strategy == Strategy::Never);
        let is_taken = self.treatment(found) == Treatment::TakenAway;
        judgement.rule == Rule::FindingsIgnored || is_never || is_taken || own_files::is_own(self.plan, found)
    }

    /// Whether a finding is among what makes its action block. A warning is where policy counts it: under
    /// ERRORS_AND_WARNINGS, over `maxWarnings`, or as an error by `errorOnRules` or `treatWarningsAsErrors`, which leaves
    /// no effective warning. Where the exit code blocks, whatever made the tool fail does.
    fn blocks(self, found: &Diagnostic) -> bool {
        let judgement = &self.ran.judgement;
        if judgement.rule == Rule::FindingsNotForgiven {
            let counts = &self.ran.reading.counts;
            return judgement.blocking && (found.level != Level::Info || counts.errors + counts.warnings == 0);
        }
        let counts = match (found.level, &judgement.policy) {
            (Level::Error, _) => true,
            (Level::Warning, Some(applied)) => {
                applied.strategy == Strategy::ErrorsAndWarnings
                    || applied.effective_warnings == 0
                    || applied.max_warnings.is_some_and(|most| applied.effective_warnings > most)
                    || self.treatment(found) == Treatment::Error
            }
            (Level::Info, Some(_)) => self.plan.policies.critical.infos,
            (Level::Warning | Level::Info, None) => false,
        };
        judgement.outcome != Outcome::Success && judgement.blocking && counts
    }

    /// What the options of the policy that was applied make of a finding.
    fn treatment(self, found: &Diagnostic) -> Treatment {
        let applied = self.ran.judgement.policy.as_ref();
        let code = found.code.as_deref().unwrap_or_default();
        applied
            .map_or(Treatment::AsRead, |applied| policy::treatment(&self.plan.policies, applied.tool.as_deref(), code))
    }
}

pub(crate) fn source_of(role: Role) -> DiagnosticSource {
    match role {
        Role::Test => DiagnosticSource::Test,
        Role::Lint | Role::Format => DiagnosticSource::Lint,
        Role::Typecheck | Role::Compile => DiagnosticSource::Build,
        Role::Other => DiagnosticSource::Runtime,
    }
}

fn position(line: Option<u32>, column: Option<u32>) -> Option<Position> {
    line.map(|line| Position { line, column })
}

fn message(text: &str) -> String {
    cut::characters(text.trim(), DIAGNOSTIC_MESSAGE_CHARACTERS)
}

/// Returns what an action does, as a person would type it.
fn command(work: &Work) -> String {
    let line = |command: &Command| match &command.invocation {
        Invocation::Shell { line, .. } => line.clone(),
        Invocation::Argv(argv) => argv.join(" "),
    };
    match work {
        Work::Command(command) => line(command),
        Work::File(check) => match &check.root {
            FileRoot::Workspace => check.path.to_string(),
            FileRoot::Listed(folder) => folder.join(check.path.as_str()).display().to_string(),
        },
        Work::Http(request) => format!("{} {}", request.method.as_str(), request.url),
        Work::Service(service) => service.command.as_ref().map_or_else(|| service.kind.as_str().to_owned(), line),
        Work::Unsupported(action_type) => action_type.as_str().to_owned(),
    }
}
