//! Everything that an action shows, derived once from its reading and its judgement: findings, with
//! fingerprint, blocking and severity. Diagnostics, debt and the registers are views of this list.

use referee_model::debt::Location;
use referee_model::diagnostic_log::{DiagnosticSource, Finding, Position};
use referee_model::limit::{DIAGNOSTIC_COMMAND_CHARACTERS, DIAGNOSTIC_MESSAGE_CHARACTERS};
use referee_model::outcome::{Judgement, Outcome, Rule};
use referee_model::plan::{Action, Command, FileRoot, Invocation, Plan, Role, Strategy, Work};
use referee_model::reading::{Diagnostic, Level, TestFailure};
use referee_model::record::Facts;
use referee_model::report::{ActionReport, Ran};
use referee_model::severity::Severity;
use referee_syntax::{cut, line};

use crate::policy::{self, Treatment};
use crate::{fingerprint, frames, own_files, role};

/// One finding or failure of an action. Those with the same fingerprint are the same failure.
pub(crate) struct Occurrence<'a> {
    pub(crate) finding: Finding,
    pub(crate) origin: Origin<'a>,
    /// Whether it is hidden from people: by policy, or because it is in a file of Referee itself.
    pub(crate) hidden: bool,
    /// Severity of the finding itself (ruling 11). `None`: it does not count.
    pub(crate) severity: Severity,
}

#[derive(Clone, Copy)]
pub(crate) enum Origin<'a> {
    Tool(&'a Diagnostic),
    /// A failed test, or a suite that never ran.
    Test(&'a TestFailure),
    Action,
}

impl<'a> Occurrence<'a> {
    /// Returns the tool's finding, if it is one.
    pub(crate) fn diagnostic(&self) -> Option<&'a Diagnostic> {
        match self.origin {
            Origin::Tool(found) => Some(found),
            Origin::Test(_) | Origin::Action => None,
        }
    }

    /// Returns the location, if it names a file.
    pub(crate) fn place(&self) -> Option<Location> {
        let (file, line, column) = match self.origin {
            Origin::Tool(found) => (&found.file, found.line, found.column),
            Origin::Test(failure) => (&failure.file, failure.line, failure.column),
            Origin::Action => return None,
        };
        Some(Location { file: file.clone()?, line, column })
    }

    /// Returns the byte range of the log that it was read from. None: the reader does not say.
    pub(crate) fn log_range(&self) -> Option<(u64, u64)> {
        let origin = match self.origin {
            Origin::Tool(found) => Some(&found.origin),
            Origin::Test(failure) => failure.origin.as_ref(),
            Origin::Action => None,
        };
        origin.map(|origin| (origin.start, origin.end)).filter(|(start, end)| start < end)
    }
}

/// Returns everything that an action shows, in the order of its output, nothing merged.
///
/// | outcome                         | finding                                        | failed test     |
/// |---------------------------------|------------------------------------------------|-----------------|
/// | SUCCESS                         | noted: severity info, never blocking           | noted likewise  |
/// | SUCCESS, hidden by NEVER        | hidden                                         | noted likewise  |
/// | any, its rule is ignored        | hidden                                         | –               |
/// | failed, blocking                | an error blocks; a warning where it counts     | error, blocking |
/// | failed, not blocking            | as the tool says, not blocking                 | error           |
///
/// If none of them explains the failure, one for the action itself comes first, with its reason as message.
pub(crate) fn occurrences<'a>(plan: &'a Plan, report: &'a ActionReport) -> Vec<Occurrence<'a>> {
    let Some(ran) = report.ran() else { return Vec::new() };
    let told = Telling { plan, action: &report.action, ran };
    let mut occurrences: Vec<_> = ran.reading.diagnostics.iter().map(|found| told.finding(found)).collect();
    if let Some(tests) = &ran.reading.tests {
        occurrences.extend(tests.failures.iter().map(|failure| told.failed_test(&tests.framework, failure)));
    }
    if is_unexplained(&ran.judgement, &occurrences) {
        occurrences.insert(0, told.action_itself());
    }
    occurrences
}

/// Returns everything that the actions of a run show, in plan order.
pub(crate) fn of_run<'a>(plan: &'a Plan, actions: &'a [ActionReport]) -> impl Iterator<Item = Occurrence<'a>> {
    actions.iter().flat_map(|action| occurrences(plan, action))
}

/// Returns the findings that are not hidden.
pub(crate) fn told<'a>(shown: impl IntoIterator<Item = Occurrence<'a>>) -> impl Iterator<Item = Finding> {
    shown.into_iter().filter(|occurrence| !occurrence.hidden).map(|occurrence| occurrence.finding)
}

/// Returns whether nothing that an action shows explains its failure. Failures outside of the tool's output are
/// never explained by a finding: a failed start, a deadline, an unexpected result of a named test.
fn is_unexplained(judgement: &Judgement, shown: &[Occurrence<'_>]) -> bool {
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
    let says_why = |Occurrence { finding, hidden, .. }: &Occurrence<'_>| {
        !hidden && finding.severity != Level::Info && finding.blocking == judgement.blocking
    };
    judgement.outcome != Outcome::Success && (!by_content || beside_content || !shown.iter().any(says_why))
}

/// Builder of the findings of an action that ran.
#[derive(Clone, Copy)]
struct Telling<'a> {
    plan: &'a Plan,
    action: &'a Action,
    ran: &'a Ran,
}

impl<'a> Telling<'a> {
    fn finding(self, found: &'a Diagnostic) -> Occurrence<'a> {
        let finding = Finding {
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
        };
        let (hidden, severity) = (self.is_hidden(found), self.severity(found));
        Occurrence { finding, origin: Origin::Tool(found), hidden, severity }
    }

    /// Returns the finding of a failed test, which is named in the message: two tests with the same message are
    /// distinct.
    fn failed_test(self, framework: &str, failure: &'a TestFailure) -> Occurrence<'a> {
        let said = failure.message.trim();
        let told = match (failure.name.trim(), said) {
            (name, "") => name.to_owned(),
            ("", said) => said.to_owned(),
            (name, said) => format!("{name}: {said}"),
        };
        let finding = Finding {
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
        };
        self.shown(finding, Origin::Test(failure))
    }

    fn action_itself(self) -> Occurrence<'a> {
        let judgement = &self.ran.judgement;
        let finding = Finding {
            tool: judgement.tool.clone(),
            file: match &self.ran.record.facts {
                Facts::File(facts) => Some(facts.path.clone()),
                _ => None,
            },
            code: Some(judgement.rule.as_str().to_owned()),
            message: message(&judgement.reason),
            blocking: judgement.blocking,
            ..self.blank()
        };
        self.shown(finding, Origin::Action)
    }

    /// Returns an occurrence; one that policy does not cover has the severity of the action's failure.
    fn shown(self, finding: Finding, origin: Origin<'a>) -> Occurrence<'a> {
        Occurrence { finding, origin, hidden: false, severity: self.ran.judgement.severity }
    }

    /// Returns a finding with the common fields of the action.
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

    /// Returns the source, by the role of the tool that reported it, else by that of the action (seed 4,
    /// `origin`): a compiler's message is about the build, even in the output of a test run.
    ///
    /// | role               | source  |
    /// |--------------------|---------|
    /// | test, HTTP request | test    |
    /// | lint, format       | lint    |
    /// | typecheck, compile | build   |
    /// | any other          | runtime |
    fn source(self, tool: Option<&str>) -> DiagnosticSource {
        let of_action = match self.action.work {
            Work::Http(_) | Work::Interaction(_) => DiagnosticSource::Test,
            _ => source_of(self.ran.judgement.role.unwrap_or(Role::Other)),
        };
        let mut of_tool = tool.into_iter().flat_map(role::of_tool).map(source_of);
        // A tool with several roles does not say which of them a finding belongs to.
        let first = of_tool.next();
        first.filter(|first| of_tool.all(|other| other == *first)).unwrap_or(of_action)
    }

    /// Findings of a successful action are notes, whatever their level.
    fn noted(self, level: Level) -> Level {
        if self.ran.judgement.outcome == Outcome::Success { Level::Info } else { level }
    }

    /// Returns whether policy hides a finding: the strategy NEVER, or an ignored rule.
    fn is_hidden(self, found: &Diagnostic) -> bool {
        let judgement = &self.ran.judgement;
        let is_never = judgement.policy.as_ref().is_some_and(|applied| applied.strategy == Strategy::Never);
        let is_taken = self.treatment(found) == Treatment::TakenAway;
        judgement.rule == Rule::FindingsIgnored || is_never || is_taken || own_files::is_own(self.plan, found)
    }

    /// Returns the severity that policy gives to a finding. If success is expected explicitly, or the exit code
    /// decided, findings that count have the severity of that failure.
    fn severity(self, found: &Diagnostic) -> Severity {
        let judgement = &self.ran.judgement;
        let Some(applied) = &judgement.policy else { return Severity::None };
        match policy::severity(&self.plan.policies, applied, found) {
            Severity::None => Severity::None,
            _ if matches!(judgement.rule, Rule::UnexpectedOutcome | Rule::FindingsNotForgiven) => judgement.severity,
            severity => severity,
        }
    }

    /// Returns whether a finding is among the reasons why its action blocks. A warning is if policy counts it:
    /// under ERRORS_AND_WARNINGS, over `maxWarnings`, or as an error by `errorOnRules` or
    /// `treatWarningsAsErrors`, which leaves no effective warning. If the exit code blocks, every finding that
    /// made the tool fail does.
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

    /// Returns the treatment of a finding by the options of the applied policy.
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

/// Returns the work of an action as a person would type it.
fn command(work: &Work) -> String {
    let line = |command: &Command| match &command.invocation {
        Invocation::Shell { line, .. } => line.clone(),
        Invocation::Argv(argv) => argv.join(" "),
        Invocation::Container(container) => container.argv().join(" "),
    };
    match work {
        Work::Command(command) => line(command),
        Work::File(check) => match &check.root {
            FileRoot::Workspace => check.path.to_string(),
            FileRoot::Listed(directory) => directory.join(check.path.as_str()).display().to_string(),
        },
        Work::Http(request) => format!("{} {}", request.method.as_str(), request.url),
        Work::Service(service) => service.command.as_ref().map_or_else(|| service.kind.as_str().to_owned(), line),
        Work::Interaction(interaction) => interaction.as_line(),
    }
}
