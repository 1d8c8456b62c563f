//! The agent's input: its prompt, its variables, and copies of the files that it may read. Never logs, never keys.

use std::ffi::OsString;
use std::path::Path;

use referee_judge::diagnostics::{self, Audience};
use referee_model::evidence_name;
use referee_model::limit::{SUMMARY_CAUSES, SUMMARY_CHARACTERS};
use referee_model::verdict::Decision;

use super::Repair;
use crate::agent_loop::{COPIES, copies, written};
use crate::error::EngineError;
use crate::recorded;

/// Placeholder in a prompt or an argument for the failures.
pub const DIAGNOSTICS: &str = "{{DIAGNOSTICS}}";

/// Placeholder in an argument for the whole prompt.
pub const PROMPT: &str = "{{PROMPT}}";

/// Maximum number of tasks whose last runs the first prompt describes.
const TASKS: usize = 2;

/// Input of one attempt.
pub(super) struct Given {
    pub(super) argv: Vec<String>,
    pub(super) variables: Vec<(OsString, OsString)>,
    pub(super) input: String,
}

impl Repair<'_, '_> {
    /// Fills the prompt, and writes the files that the agent may read.
    pub(super) fn given(&mut self) -> Result<Given, EngineError> {
        self.handed.renew()?;
        let (told, reports) = match &self.kept {
            Some(kept) => (kept.feedback.clone(), kept.reports.clone()),
            None => self.before_the_first_turn(),
        };
        let told = match &self.turn.retried {
            Some(ended) => format!("The attempt before this one ended without a result: {ended}.\n{told}"),
            None => told,
        };
        let prompt = filled(self.request.prompt.as_deref(), &told);
        let command = &self.request.agent.command;
        let is_argument = command.iter().any(|word| word.contains(PROMPT) || word.contains(DIAGNOSTICS));
        let argv = command.iter().map(|word| argument(word, &prompt, &told)).collect();
        let report = reports.first().map(Path::new);
        let plan = (evidence_name::PLAN, "plan.json", "REFEREE_PLAN");
        let (mut variables, failed) = copies(&self.handed, report, COPIES.into_iter().chain([plan]));
        for failure in failed {
            self.warn("handing", &failure);
        }
        let documents = [
            ("prompt.txt", "REFEREE_PROMPT_FILE", prompt.as_bytes()),
            ("diagnostics.md", "REFEREE_DIAGNOSTICS", told.as_bytes()),
        ];
        variables.extend(written(&self.handed, &documents)?);
        // An agent that gets the prompt as an argument would get it twice.
        let input = if is_argument { String::new() } else { prompt };
        Ok(Given { argv, variables, input })
    }

    /// Returns the failures and reports of the last sealed runs that are reliable and did not pass, for the first
    /// turn.
    fn before_the_first_turn(&self) -> (String, Vec<String>) {
        let mut told = String::new();
        let mut reports = Vec::new();
        let directories = self.request.suite.tasks.iter().map(|plan| plan.evidence_root.join(plan.task.as_str()));
        for directory in directories {
            let Ok(found) = recorded::open(&directory, Some(&self.request.state)) else { continue };
            let report = found.report;
            if report.verdict.decision == Decision::Pass || reports.len() >= TASKS {
                continue;
            }
            let prompt =
                diagnostics::prompt(&report.diagnostics, Audience::Coder, 2 * SUMMARY_CAUSES, SUMMARY_CHARACTERS);
            told.push_str(report.plan.task.as_str());
            told.push_str(":\n");
            told.push_str(&prompt);
            reports.push(directory.join(evidence_name::EXECUTION_REPORT).display().to_string());
        }
        (told, reports)
    }
}

/// Fills a prompt with the failures. A prompt without a placeholder gets them at its end; without a prompt they
/// are all.
fn filled(prompt: Option<&str>, told: &str) -> String {
    match prompt {
        None => told.to_owned(),
        Some(prompt) if prompt.contains(DIAGNOSTICS) => prompt.replace(DIAGNOSTICS, told),
        Some(prompt) if told.is_empty() => prompt.to_owned(),
        Some(prompt) => format!("{}\n\n{told}", prompt.trim_end()),
    }
}

/// Fills an argument in one pass: inserted text may itself contain placeholders.
fn argument(word: &str, prompt: &str, told: &str) -> String {
    let parts: Vec<String> = word.split(PROMPT).map(|part| part.replace(DIAGNOSTICS, told)).collect();
    parts.join(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_holds_what_failed_wherever_it_wants_it() {
        for (prompt, told, expected) in [
            (None, "E", "E"),
            (None, "", ""),
            (Some("Fix: {{DIAGNOSTICS}}!"), "E", "Fix: E!"),
            (Some("{{DIAGNOSTICS}}"), "", ""),
            (Some("Fix it.\n"), "", "Fix it.\n"),
            (Some("Fix it.\n"), "E", "Fix it.\n\nE"),
            // Output of tools is inserted without further substitution.
            (Some("{{DIAGNOSTICS}}"), "{{DIAGNOSTICS}} {{PROMPT}}", "{{DIAGNOSTICS}} {{PROMPT}}"),
        ] {
            assert_eq!(filled(prompt, told), expected);
        }
        let told = "{{PROMPT}} {{DIAGNOSTICS}}";
        assert_eq!(argument("a {{DIAGNOSTICS}} b {{PROMPT}}", "P", told), format!("a {told} b P"));
    }
}
