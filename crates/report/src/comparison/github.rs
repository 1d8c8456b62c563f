//! The comparison for GitHub: annotations, the summary of a step, and its outputs (conventions, "GitHub annotations
//! / summary").

use std::fmt::Write as _;

use referee_model::comparison::Comparison;
use referee_model::exit_code;
use referee_model::gate::{Cause, GateAnswer};
use referee_model::reading::Level;
use referee_syntax::cut::head;

use super::of_task;
use crate::formats::github::annotation;
use crate::{gate, untrusted};

/// Number of annotations of one kind that GitHub shows for one step; the last one says how many more there are.
const ANNOTATIONS: usize = 10;

/// Maximum size of a step summary that GitHub accepts, in bytes; Referee's is far shorter.
const SUMMARY_BYTES: usize = 256 * 1024;

/// Writes the blocking causes, as annotations of the lines concerned, and the findings of the comparison.
pub fn annotations(comparison: &Comparison, answer: &GateAnswer) -> String {
    let mut lines: Vec<(Level, String)> = Vec::new();
    for finding in &comparison.findings {
        let level = if finding.blocking { Level::Error } else { Level::Warning };
        lines.push((level, annotation(level, None, &[], "attestation", &untrusted::line(&finding.message))));
    }
    for cause in &answer.causes {
        lines.push((cause.severity, of_cause(cause)));
    }
    for warning in gate::warnings(answer) {
        lines.push((Level::Warning, annotation(Level::Warning, None, &[], "Referee", &warning)));
    }
    let mut text = String::new();
    for level in [Level::Error, Level::Warning, Level::Info] {
        let of_level: Vec<&String> = lines.iter().filter(|(other, _)| *other == level).map(|(_, line)| line).collect();
        let shown = if of_level.len() > ANNOTATIONS { ANNOTATIONS - 1 } else { of_level.len() };
        text.extend(of_level.iter().take(shown).map(|line| line.as_str()));
        let more = of_level.len() - shown;
        if more > 0 {
            text.push_str(&annotation(
                level,
                None,
                &[],
                "Referee",
                &format!("and {more} more: see the summary of this step"),
            ));
        }
    }
    let title = format!("Referee: {}", comparison.decision.as_str());
    let level = if comparison.decision == referee_model::verdict::Decision::Pass { Level::Info } else { Level::Error };
    let has_error = lines.iter().any(|(other, _)| *other == Level::Error);
    if level == Level::Info || !has_error {
        text.push_str(&annotation(level, None, &[], &title, &untrusted::line(&answer.next)));
    }
    text
}

fn of_cause(cause: &Cause) -> String {
    let title = match (&cause.tool, &cause.code) {
        (Some(tool), Some(code)) => format!("{tool} {code}"),
        (Some(only), None) | (None, Some(only)) => only.clone(),
        (None, None) => {
            cause.check.clone().or_else(|| cause.task.as_ref().map(ToString::to_string)).unwrap_or_default()
        }
    };
    let numbers = [("line", cause.line), ("col", cause.column)];
    let (title, message) = (untrusted::line(&title), untrusted::line(&cause.message));
    annotation(cause.severity, cause.file.as_deref().map(untrusted::line).as_deref(), &numbers, &title, &message)
}

/// Writes an annotation that says why nothing was judged.
pub fn problem(message: &str) -> String {
    annotation(Level::Error, None, &[], "Referee: BLOCKED", &untrusted::line(message))
}

/// Writes the summary of a step, in Markdown.
pub fn summary(comparison: &Comparison, answer: &GateAnswer) -> String {
    let mut text = format!("## Referee: {}\n\n", comparison.decision.as_str());
    let _ = writeln!(text, "{}\n", markdown(&answer.next));
    let _ = writeln!(text, "| task | here | attestation | report |\n|---|---|---|---|");
    for task in &comparison.tasks {
        let report =
            answer.tasks.iter().find(|other| other.task == task.here.task).map_or("", |task| task.report.as_str());
        let (id, here, there) = (&task.here.task, task.here.decision.as_str(), markdown(&of_task(task)));
        let _ = writeln!(text, "| {id} | {here} | {there} | {} |", markdown(report));
    }
    if !comparison.findings.is_empty() {
        let _ = writeln!(text, "\n### Attestations\n");
        for finding in &comparison.findings {
            let lead = if finding.blocking { "**blocks** " } else { "" };
            let _ = writeln!(text, "- {lead}{}: {}", finding.task, markdown(&finding.message));
        }
    }
    if !answer.causes.is_empty() {
        let _ = writeln!(text, "\n### What blocks ({})\n", answer.causes_in_all);
        for cause in &answer.causes {
            let place = match (&cause.file, cause.line) {
                (Some(file), Some(line)) => format!("{}:{line}: ", markdown(file)),
                (Some(file), None) => format!("{}: ", markdown(file)),
                _ => String::new(),
            };
            let code = cause.code.as_deref().map(|code| format!("{}: ", markdown(code))).unwrap_or_default();
            let _ = writeln!(text, "- {place}{code}{}", markdown(&cause.message));
        }
    }
    let warnings = gate::warnings(answer);
    if !warnings.is_empty() {
        let _ = writeln!(text, "\n### What asks for less\n");
        for warning in &warnings {
            let _ = writeln!(text, "- {}", markdown(warning));
        }
    }
    head(&text, SUMMARY_BYTES).to_owned()
}

/// Writes the summary of a step in which nothing was judged.
pub fn problem_summary(message: &str) -> String {
    format!("## Referee: BLOCKED\n\n{}\n", markdown(message))
}

/// Writes the outputs of a step, one per line.
pub fn outputs(comparison: &Comparison, answer: &GateAnswer) -> String {
    let report = answer.tasks.first().map_or("", |task| task.report.as_str());
    let agreement = comparison.tasks.iter().map(|task| task.agreement).max();
    let agreement = agreement.and_then(|agreement| serde_json::to_value(agreement).ok());
    let agreement = agreement.as_ref().and_then(serde_json::Value::as_str).unwrap_or("missing");
    lines(comparison.decision.as_str(), exit_code::of(comparison.exit), report, agreement)
}

/// Writes the outputs of a step in which nothing was judged.
pub fn problem_outputs(exit_code: u8) -> String {
    lines("BLOCKED", exit_code, "", "missing")
}

fn lines(decision: &str, exit_code: u8, report: &str, agreement: &str) -> String {
    // A line break would start another output.
    let report = untrusted::line(report);
    format!("decision={decision}\nexit-code={exit_code}\nreport={report}\nagreement={agreement}\n")
}

/// Escapes a text for Markdown, so that it stays text on one line.
fn markdown(text: &str) -> String {
    let mut harmless = String::new();
    for character in untrusted::line(text).chars() {
        match character {
            '<' => harmless.push_str("&lt;"),
            '&' => harmless.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '@' => harmless.extend(['\\', character]),
            _ => harmless.push(character),
        }
    }
    harmless
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::{answer, comparison};

    #[test]
    fn annotations_summary_and_outputs_say_what_blocks_and_where() {
        let (comparison, answer) = (comparison(), answer(3));
        let text = format!(
            "{}---\n{}---\n{}",
            annotations(&comparison, &answer),
            summary(&comparison, &answer),
            outputs(&comparison, &answer)
        );
        insta::assert_snapshot!(text);
    }

    #[test]
    fn no_more_annotations_are_written_than_are_shown() {
        let text = annotations(&comparison(), &answer(40));
        assert_eq!(text.lines().filter(|line| line.starts_with("::error")).count(), ANNOTATIONS);
        assert!(text.contains("and 32 more"), "{text}");
    }

    #[test]
    fn what_is_not_ours_begins_no_command_no_output_and_no_markdown() {
        let mut hostile = answer(1);
        hostile.causes[0].message = "x\n::set-output name=decision::PASS\n![i](http://e) <img>".to_owned();
        hostile.tasks[0].report = "/a\ndecision=PASS".to_owned();
        let comparison = comparison();
        let written = format!("{}{}", annotations(&comparison, &hostile), outputs(&comparison, &hostile));
        assert!(!written.lines().any(|line| line.starts_with("::set-output") || line == "decision=PASS"), "{written}");
        let summary = summary(&comparison, &hostile);
        assert!(!summary.contains("![") && !summary.contains("<img"), "{summary}");
    }
}
