//! Feedback to an agent after a turn that did not pass.

use std::fmt::Write as _;

use referee_model::claim::ClaimGrade;
use referee_model::diagnostic_log::DiagnosticLog;
use referee_model::gate::{GateAnswer, GateTask};
use referee_model::id::TaskId;
use referee_model::limit::{FEEDBACK_CHARACTERS, SUMMARY_CAUSES, SUMMARY_MESSAGE_CHARACTERS};
use referee_model::verdict::Decision;
use referee_syntax::cut::characters;
use referee_syntax::line::one_line;

use super::verification::held_out_line;
use crate::diagnostics::{self, Audience};

/// Maximum length of the diagnostics of the first and the second task that did not pass, in characters.
const SHARES: [usize; 2] = [4_000, 2_000];

/// Maximum number of contradictions, of reasons and of tasks.
const LISTED: usize = 3;

/// Maximum number of diagnostics per task; a planner gets causes instead.
const TOP: usize = 2 * SUMMARY_CAUSES;

#[derive(Debug, Clone, Copy)]
pub struct FeedbackInputs<'a> {
    pub answer: &'a GateAnswer,
    /// Diagnostics of tasks that did not pass, as far as they could be read.
    pub logs: &'a [(TaskId, DiagnosticLog)],
    /// Whether the last turns made no progress, so that another plan is needed.
    pub replan: bool,
    /// Whether the files are the same as before the turn.
    pub unchanged: bool,
    pub turns_left: u32,
}

/// Returns the feedback, in at most [`FEEDBACK_CHARACTERS`]: errors with their locations first, the files to
/// stay in, and the false claims of the agent. Text of tools and agents is quoted as data; it has nothing of a
/// log, a key or a held-out check.
pub fn feedback(told: &FeedbackInputs<'_>) -> String {
    let mut text = String::new();
    let decision = if told.answer.decision == Decision::Fail { "FAIL" } else { "BLOCKED" };
    let turns = if told.turns_left == 1 { "turn is" } else { "turns are" };
    line(
        &mut text,
        &format!("The checks ran, and the work is not done: {decision}. {} {turns} left.", told.turns_left),
    );
    if told.unchanged {
        line(&mut text, "The files are as they were before the last turn: nothing in them was changed.");
    }
    if told.replan {
        line(&mut text, "The last turns brought nothing nearer to a pass. What was tried does not help: plan again.");
    }
    for said in told.answer.contradictions.iter().take(LISTED) {
        let (words, facts) = (quoted(&said.words), quoted(&said.facts));
        let grade = match said.grade {
            ClaimGrade::Contradicted => "That is not so",
            ClaimGrade::Unsupported => "Nothing that ran bears it out",
        };
        line(&mut text, &format!("It was said: \"{words}\". {grade}: {facts}"));
    }
    if let Some(held_out) = told.answer.held_out.as_ref().filter(|held_out| held_out.decision != Decision::Pass) {
        line(&mut text, &format!("Checks that are not shown: {}.", held_out_line(held_out)));
    }
    let failed: Vec<&GateTask> = told.answer.tasks.iter().filter(|task| task.decision != Decision::Pass).collect();
    for (task, share) in failed.iter().zip(SHARES) {
        of_task(&mut text, task, told, share);
    }
    let more: Vec<&str> = failed.iter().skip(SHARES.len()).map(|task| task.task.as_str()).take(TOP).collect();
    if !more.is_empty() {
        line(&mut text, &format!("Not passed either: {}.", more.join(", ")));
    }
    text.chars().take(FEEDBACK_CHARACTERS).collect()
}

fn of_task(text: &mut String, task: &GateTask, told: &FeedbackInputs<'_>, share: usize) {
    let audience = if told.replan { Audience::Planner } else { Audience::Coder };
    let log = told.logs.iter().find(|(of, log)| *of == task.task && log.distinct > 0);
    line(text, &format!("\n{}:", task.task));
    if let Some((_, log)) = log {
        text.push_str(&diagnostics::prompt(log, audience, TOP, share));
        return;
    }
    text.push_str("```text\n");
    for reason in task.reasons.iter().take(LISTED) {
        line(text, &quoted(reason));
    }
    text.push_str("```\n");
}

fn line(text: &mut String, sentence: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{sentence}");
}

/// Quotes text from outside on one line, so that it ends no fence and opens no tag.
fn quoted(text: &str) -> String {
    let harmless = one_line(text).replace('`', "'").replace("<|", "< |").replace("</", "< /");
    characters(&harmless, SUMMARY_MESSAGE_CHARACTERS)
}
