//! Identifies the failure: from the report if there is one, else from the caller's data and the log.

use referee_judge::build_error::{is_githubs, tells_of_github};
use referee_judge::incident::cause::{self, Known, wants_sign_in};
use referee_judge::incident::grouping::{self, Identified};
use referee_ledger::redact::Redactor;
use referee_model::build_error::BuildErrorType;
use referee_model::diagnostic_log::Finding;
use referee_model::incident::class::{self, FailureClass};
use referee_model::incident::grouping::{ClassDocument, PartsDocument};
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::verdict::OverallStatus;
use referee_report::execution_report::failure::{FailedReport, read_failure};
use referee_syntax::cut;
use referee_syntax::line::one_line;
use serde_json::{Value, json};

use super::{CaptureRequest, tail};
use crate::incident::IncidentError;

/// A failure. Its texts contain no secrets.
pub(super) struct Failure {
    pub(super) run_id: String,
    pub(super) step: String,
    pub(super) message: String,
    /// Class that decisions use; `document` has it as it is written.
    pub(super) class: FailureClass,
    pub(super) document: ClassDocument,
    pub(super) identified: Identified,
    /// Message of this occurrence, as it was.
    pub(super) said: String,
    /// 1-based line of the file that the failure is about.
    pub(super) line: Option<u32>,
    pub(super) log: String,
    pub(super) source: String,
    /// Context entries about the failure, used if no other source has them.
    pub(super) facts: Vec<(&'static str, Value)>,
    /// Entries of the context's `capture` in addition to the seed's keys.
    pub(super) captured: Vec<(&'static str, Value)>,
    /// Judged findings, most severe first.
    pub(super) diagnostics: Vec<Finding>,
    pub(super) interrupted: bool,
    pub(super) held: bool,
}

/// Identifies the failure of a request. Returns `None` if a report says that nothing failed.
pub(super) fn of(request: &CaptureRequest, redactor: &Redactor) -> Result<Option<Failure>, IncidentError> {
    let texts = Texts { redactor };
    let log = request.log.as_ref().map(|log| tail::log_tail(&log.bytes, request.log_bytes, redactor));
    let log = log.unwrap_or_default();
    let label = request.failure_class.as_deref().map(class::label).transpose();
    let label = label.map_err(|error| IncidentError::Invalid(error.to_string()))?;
    match &request.report {
        Some(taken) => {
            let report = read_failure(&taken.bytes).map_err(|error| IncidentError::Invalid(error.to_string()))?;
            Ok(report.map(|report| of_report(request, &report, log, label.as_deref(), &texts)))
        }
        None => of_log(request, log, label, &texts).map(Some),
    }
}

/// Cleans texts for storage.
struct Texts<'run> {
    redactor: &'run Redactor,
}

impl Texts<'_> {
    /// Returns the text as one line without secrets, cut to `characters` characters.
    fn line(&self, text: &str, characters: usize) -> String {
        cut::characters(&self.redactor.text_strictly(&one_line(text)), characters)
    }

    fn step(&self, text: &str) -> String {
        self.line(text, limit::INCIDENT_STEP_CHARACTERS)
    }

    fn message(&self, text: &str) -> String {
        self.line(text, limit::INCIDENT_MESSAGE_CHARACTERS)
    }
}

fn of_report(
    request: &CaptureRequest,
    report: &FailedReport,
    log: String,
    label: Option<&str>,
    texts: &Texts<'_>,
) -> Failure {
    let first = report.first.as_ref();
    let reason = first.map(|first| first.reason.as_str()).or(report.reasons.first().map(String::as_str));
    let reason = reason.unwrap_or("the run did not pass");
    let step = first.map_or_else(|| report.task.to_string(), |first| first.name.clone());
    let telling = grouping::telling_line(&log).unwrap_or_default();
    let is_misspecified = report.overall == OverallStatus::SpecificationError;
    let known = Known {
        outcome: first.map(|first| first.outcome).or(is_misspecified.then_some(Outcome::SpecificationError)),
        error: report.error,
        wants_sign_in: wants_sign_in(reason) || wants_sign_in(&telling),
    };
    let cause = cause::cause(known);
    // The first blocking failure of the first action that blocks: judged data takes precedence over any log.
    let of_first = |entry: &&Finding| first.is_some_and(|first| first.id == entry.action);
    let blocking = || report.diagnostics.iter().filter(|entry| entry.blocking);
    let entry = blocking().find(of_first).or_else(|| blocking().next().filter(|_| first.is_none()));
    let identified = match entry {
        Some(entry) => cleaned(grouping::of_diagnostic(entry), texts),
        None => grouping::of_line(cause.class.as_str(), &texts.step(&step), &texts.message(reason)),
    };
    let source = request.report.as_ref().map(|taken| texts.step(&taken.path)).unwrap_or_default();
    let run_id = if request.run_id.is_empty() { report.execution.to_string() } else { request.run_id.clone() };
    let text = |text: &str| Value::String(texts.message(text));
    Failure {
        run_id: texts.step(&run_id),
        step: texts.step(&step),
        message: texts.message(request.message.as_deref().unwrap_or(reason)),
        class: cause.class,
        document: computed(&cause, label),
        identified,
        said: texts.message(entry.map_or(reason, |entry| entry.message.as_str())),
        line: entry.and_then(Finding::line),
        facts: vec![("reason", text(reason)), ("mode", json!("run")), ("source", json!(source))],
        captured: vec![
            ("task", json!(report.task)),
            ("action", json!(first.map(|first| &first.id))),
            ("outcome", json!(known.outcome.map(Outcome::as_str))),
            ("error_type", json!(known.error.map(BuildErrorType::as_str))),
        ],
        source,
        log,
        diagnostics: report.diagnostics.clone(),
        interrupted: report.overall == OverallStatus::Interrupted,
        held: report.held_by.is_some(),
    }
}

/// Identifies the failure without a report: the end of a command is a fact, whereas a log is only read.
fn of_log(
    request: &CaptureRequest,
    log: String,
    label: Option<String>,
    texts: &Texts<'_>,
) -> Result<Failure, IncidentError> {
    let given = request.message.as_deref().map(|message| texts.message(message)).unwrap_or_default();
    let telling = grouping::telling_line(&log).unwrap_or_default();
    let is_command = !request.command.is_empty();
    if given.is_empty() && telling.is_empty() && !is_command {
        let what = "a failure needs something that tells of it: a report, a log, a message, or a command";
        return Err(IncidentError::Invalid(what.to_owned()));
    }
    let wanted = wants_sign_in(&telling) || wants_sign_in(&given);
    let known = Known {
        outcome: request.outcome,
        error: error_of(&request.command, [&given, &telling]),
        wants_sign_in: wanted,
    };
    let cause = cause::cause(known);
    let (class, document) = match label {
        Some(label) if !is_command => (FailureClass::parse(&label).unwrap_or(FailureClass::Unknown), chosen(label)),
        label if known.error.is_some() || wanted => (cause.class, computed(&cause, label.as_deref())),
        _ => (FailureClass::Unknown, unknown()),
    };
    let step = texts.step(&if request.step.is_empty() { request.command.join(" ") } else { request.step.clone() });
    let ended = texts.message(&request.ended);
    let said = [&telling, &given, &ended].into_iter().find(|text| !text.is_empty()).cloned().unwrap_or_default();
    let message = match (given.is_empty(), ended.is_empty(), telling.is_empty()) {
        (false, ..) => given,
        (true, false, false) => format!("{ended}: {telling}"),
        (true, ..) => said.clone(),
    };
    let identified = grouping::of_line(&document.name, &step, &said);
    let source = request.log.as_ref().map(|log| texts.step(&log.path)).unwrap_or_default();
    let command: Vec<String> = request.command.iter().map(|word| texts.redactor.text_strictly(word)).collect();
    Ok(Failure {
        run_id: texts.step(&request.run_id),
        message: texts.message(&message),
        step,
        said: texts.message(&said),
        class,
        document,
        identified: cleaned(identified, texts),
        line: None,
        facts: vec![("mode", json!(if is_command { "command" } else { "log" })), ("source", json!(source))],
        captured: match (is_command, command == request.command) {
            (false, _) => Vec::new(),
            (true, true) => vec![("command", json!(command))],
            // Without its secrets it is a different command: it can be shown, but verifies nothing.
            (true, false) => vec![("command_without_secrets", json!(command))],
        },
        source,
        log,
        diagnostics: Vec::new(),
        interrupted: false,
        held: false,
    })
}

/// Returns the type of a failure that was not judged (seed 2): GitHub's if its program failed or the message
/// mentions it, else the system's for a command; `None` for a text alone.
fn error_of(command: &[String], texts: [&String; 2]) -> Option<BuildErrorType> {
    let program = command.first();
    if program.is_some_and(|program| is_githubs(program)) || texts.iter().any(|text| tells_of_github(text)) {
        return Some(BuildErrorType::GithubError);
    }
    program.map(|_| BuildErrorType::SystemError)
}

/// Cleans the parts, which are shown to people. The fingerprint is made of the original parts.
fn cleaned(Identified { fingerprint, parts }: Identified, texts: &Texts<'_>) -> Identified {
    let parts = PartsDocument {
        step: texts.step(&parts.step),
        tool: texts.step(&parts.tool),
        code: texts.message(&parts.code),
        message: texts.message(&parts.message),
        file: texts.step(&parts.file),
        judged: parts.judged,
    };
    Identified { fingerprint, parts }
}

fn computed(cause: &cause::Cause, label: Option<&str>) -> ClassDocument {
    let asked = label.filter(|label| *label != cause.class.as_str());
    let asked = asked.map(|label| format!("; `{label}` was asked for and does not count, since the class is computed"));
    ClassDocument {
        name: cause.class.as_str().to_owned(),
        computed: true,
        because: format!("{}{}", cause.because, asked.unwrap_or_default()),
        meaning: cause.class.meaning().to_owned(),
    }
}

fn chosen(label: String) -> ClassDocument {
    let meaning = FailureClass::parse(&label).map(|class| class.meaning().to_owned()).unwrap_or_default();
    let because = "a person named it: nothing was judged that it could be computed from".to_owned();
    ClassDocument { name: label, computed: false, because, meaning }
}

fn unknown() -> ClassDocument {
    ClassDocument {
        name: FailureClass::Unknown.as_str().to_owned(),
        computed: true,
        because: "nothing was judged, and nobody named it".to_owned(),
        meaning: FailureClass::Unknown.meaning().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_nobody_judged_is_githubs_by_its_program_or_by_its_message() {
        use BuildErrorType::{GithubError, SystemError};
        for (command, given, telling, kind) in [
            (&["gh", "pr", "create"][..], "", "", Some(GithubError)),
            (&["/usr/bin/hub"], "", "", Some(GithubError)),
            (&["bash", "-c", "…"], "", "GitHub API: rate limited", Some(GithubError)),
            (&["bash", "-c", "…"], "GitHub returned 502", "", Some(GithubError)),
            (&["make"], "", "/home/me/github/x: no such file", Some(SystemError)),
            (&["npx", "tsc"], "", "src/github.ts(3,1): error TS2322", Some(SystemError)),
            (&["make"], "see https://github.com/a/b", "", Some(SystemError)),
            (&[], "GitHub API: rate limited", "", Some(GithubError)),
            (&[], "it broke", "Error: broken", None),
        ] {
            let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(
                error_of(&command, [&given.to_owned(), &telling.to_owned()]),
                kind,
                "{command:?} {given} {telling}"
            );
        }
    }
}
