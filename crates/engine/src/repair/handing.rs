//! What the agent is given: its prompt, its variables, and copies of what it may read. Never logs, never keys.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use referee_judge::diagnostics::{self, Audience};
use referee_ledger::State;
use referee_model::limit::{SUMMARY_CAUSES, SUMMARY_CHARACTERS};
use referee_model::verdict::Decision;
use referee_wire::evidence_name;

use super::Repair;
use crate::recorded;
use crate::request::Failure;

/// Stands in a prompt, or in an argument, for what failed.
pub const DIAGNOSTICS: &str = "{{DIAGNOSTICS}}";

/// Stands in an argument for the whole prompt.
pub const PROMPT: &str = "{{PROMPT}}";

/// The variable that says where the state lies.
const STATE: &str = "REFEREE_STATE_DIR";

/// How our own variables begin: none of the caller's is passed on.
const OURS: &[u8] = b"REFEREE_";

/// Tasks of the last runs that the first turn is told of.
const TASKS: usize = 2;

/// The copies: a file of the evidence, its name in the folder, and the variable that names it.
const COPIES: [(&str, &str, &str); 3] = [
    (evidence_name::EXECUTION_REPORT, "report.json", "REFEREE_REPORT"),
    (evidence_name::TECHNICAL_DEBT, "debt.json", "REFEREE_DEBT"),
    (evidence_name::PLAN, "plan.json", "REFEREE_PLAN"),
];

/// What one attempt is given.
pub(super) struct Given {
    pub(super) argv: Vec<String>,
    pub(super) environment: BTreeMap<OsString, OsString>,
    /// Standard input.
    pub(super) input: String,
}

impl Repair<'_, '_> {
    /// Fills the prompt, and lays out what may be read.
    pub(super) fn given(&mut self) -> Result<Given, Failure> {
        self.handed.renew()?;
        let (told, reports) = match &self.kept {
            Some(kept) => (kept.feedback.clone(), kept.reports.clone()),
            None => self.before_the_first_turn(),
        };
        let told = match &self.turn.retried {
            Some(ended) => format!("The attempt before this one ended without a result: {ended}.\n{told}"),
            None => told,
        };
        let prompt = filled(self.request.prompt, &told);
        let is_argument = self.request.command.iter().any(|word| word.contains(PROMPT) || word.contains(DIAGNOSTICS));
        let argv = self.request.command.iter().map(|word| argument(word, &prompt, &told)).collect();
        let mut environment = inherited(self.request.environment, self.request.hidden);
        environment.extend([of_state(self.request.state)]);
        for (name, file, text) in
            [("REFEREE_PROMPT_FILE", "prompt.txt", &prompt), ("REFEREE_DIAGNOSTICS", "diagnostics.md", &told)]
        {
            environment.insert(name.into(), self.handed.write(file, text.as_bytes())?.into_os_string());
        }
        for (name, path) in self.copies(reports.first())? {
            environment.insert(name.into(), path);
        }
        // An agent that is told by its arguments would be told twice.
        let input = if is_argument { String::new() } else { prompt };
        Ok(Given { argv, environment, input })
    }

    /// Copies the documents beside a sealed report.
    fn copies(&mut self, report: Option<&String>) -> Result<Vec<(&'static str, OsString)>, Failure> {
        let folder = report.and_then(|report| Path::new(report).parent()).map(Path::to_path_buf);
        let mut copies = Vec::new();
        for (file, name, variable) in COPIES {
            let copied = folder.as_ref().map(|folder| self.handed.copy(folder, file, name)).transpose();
            match copied.map(Option::flatten) {
                Ok(Some(path)) => copies.push((variable, path.into_os_string())),
                // What is not there is not handed on, and neither is that of an earlier turn.
                Ok(None) => self.handed.discard(name)?,
                Err(error) => self.warn("handing", &format!("{name} could not be handed to the agent: {error}")),
            }
        }
        Ok(copies)
    }

    /// What the last sealed runs say, where they can be relied on and did not pass; nothing else is known yet.
    fn before_the_first_turn(&self) -> (String, Vec<String>) {
        let mut told = String::new();
        let mut reports = Vec::new();
        let folders = self.request.suite.tasks.iter().map(|plan| plan.evidence_root.join(plan.task.as_str()));
        for folder in folders {
            let Ok(found) = recorded::open(&folder, Some(self.request.state)) else { continue };
            let report = found.report;
            if report.verdict.decision == Decision::Pass || reports.len() >= TASKS {
                continue;
            }
            let prompt =
                diagnostics::prompt(&report.diagnostics, Audience::Coder, 2 * SUMMARY_CAUSES, SUMMARY_CHARACTERS);
            told.push_str(report.plan.task.as_str());
            told.push_str(":\n");
            told.push_str(&prompt);
            reports.push(folder.join(evidence_name::EXECUTION_REPORT).display().to_string());
        }
        (told, reports)
    }
}

/// Fills a prompt. One that has no place for what failed has it at its end; without one it is all that is told.
fn filled(prompt: Option<&str>, told: &str) -> String {
    match prompt {
        None => told.to_owned(),
        Some(prompt) if prompt.contains(DIAGNOSTICS) => prompt.replace(DIAGNOSTICS, told),
        Some(prompt) if told.is_empty() => prompt.to_owned(),
        Some(prompt) => format!("{}\n\n{told}", prompt.trim_end()),
    }
}

/// Fills an argument, once: what is filled in may hold the same words.
fn argument(word: &str, prompt: &str, told: &str) -> String {
    let parts: Vec<String> = word.split(PROMPT).map(|part| part.replace(DIAGNOSTICS, told)).collect();
    parts.join(prompt)
}

/// Where the state lies that this run uses. It is no secret, and hooks inside an agent must use the same: they would find another
/// lock, other sessions and no receipts else.
pub(crate) fn of_state(state: &State) -> (OsString, OsString) {
    (STATE.into(), state.path().as_os_str().to_owned())
}

/// The variables that an agent inherits: all of the caller's but ours, and but those that say where keys, the state folder or
/// held-out checks lie. An agent needs its own keys, so unlike a check it is not given a selection.
pub(crate) fn inherited(caller: &[(OsString, OsString)], hidden: &[OsString]) -> BTreeMap<OsString, OsString> {
    let tells = |value: &OsStr| hidden.iter().any(|hidden| !hidden.is_empty() && value == hidden);
    let passed = caller.iter().filter(|(name, value)| !name.as_bytes().starts_with(OURS) && !tells(value));
    passed.cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_holds_what_failed_wherever_it_wants_it() {
        for (prompt, told, expected) in [
            (None, "E", "E"),
            (None, "", ""),
            (Some("Mend: {{DIAGNOSTICS}}!"), "E", "Mend: E!"),
            (Some("{{DIAGNOSTICS}}"), "", ""),
            (Some("Mend it.\n"), "", "Mend it.\n"),
            (Some("Mend it.\n"), "E", "Mend it.\n\nE"),
            // What tools print is filled in once.
            (Some("{{DIAGNOSTICS}}"), "{{DIAGNOSTICS}} {{PROMPT}}", "{{DIAGNOSTICS}} {{PROMPT}}"),
        ] {
            assert_eq!(filled(prompt, told), expected);
        }
        let told = "{{PROMPT}} {{DIAGNOSTICS}}";
        assert_eq!(argument("a {{DIAGNOSTICS}} b {{PROMPT}}", "P", told), format!("a {told} b P"));
    }

    #[test]
    fn an_agent_is_told_nothing_of_keys_and_state() {
        let variable = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
        let caller = [
            ("PATH", "/bin"),
            ("ANTHROPIC_API_KEY", "its own"),
            ("REFEREE_KEY", "/keys/key.pem"),
            ("REFEREE_KEY_PASSPHRASE", "x"),
            ("REFEREE_STATE_DIR", "/state"),
            ("REFEREE_HELD_OUT", "/held"),
            ("REFEREE_EXECUTION", "exec-outer"),
            ("MY_SIGNING_KEY_FILE", "/keys/key.pem"),
            ("EMPTY", ""),
        ];
        let hidden = ["/keys/key.pem", "/state", ""].map(OsString::from);
        let passed = inherited(&caller.map(variable), &hidden);
        let names: Vec<&str> = passed.keys().filter_map(|name| name.to_str()).collect();
        assert_eq!(names, ["ANTHROPIC_API_KEY", "EMPTY", "PATH"]);
    }
}
