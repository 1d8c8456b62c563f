//! The section on handing back in every stage's `prompt/wf.md`. Reasons, codes and samples come from the types that
//! read a handback, so that text and program cannot diverge.

use std::fmt::Write as _;

use referee_model::handback::{
    self, ACCEPT, HANDBACK, Handback, HandbackCode, HandbackFault, HandbackOutcome, HandbackReason,
};
use referee_model::stage::OUTPUT_DATA;
use referee_model::stage::message::MESSAGES;
use referee_model::stage::result::WF_RESULT;

pub const HEADING: &str = "## Handback Protocol";

/// Returns the section, as Markdown with a final line end.
pub fn section() -> String {
    let mut text = format!("{HEADING}\n\n{ALWAYS}\n");
    for reason in HandbackReason::ALL {
        let (title, when) = told(reason);
        let _ = write!(text, "\n### {title}\n\n{when}\n\n```json\n{}\n```\n", sample(reason));
    }
    let _ = write!(text, "\n### Error codes\n\nName the one that says most.\n\n| code | what it means |\n|---|---|\n");
    for code in HandbackCode::ALL {
        let _ = writeln!(text, "| `{}` | {} |", code.as_str(), code.meaning());
    }
    text.push_str(&steps());
    text.push_str(&files());
    text.push_str(&worth());
    text
}

const ALWAYS: &str = "\
You have control of this stage until you give it back, and you always give it back: when the work is done, when it failed, and
when you need an answer. Nobody goes on, and nobody helps, before you do.";

/// Returns the name of a reason, and when it applies.
fn told(reason: HandbackReason) -> (&'static str, &'static str) {
    match reason {
        HandbackReason::Success => {
            ("Done", "All that this stage asks for is there, and you looked at it with `referee stage validate`.")
        }
        HandbackReason::Error => (
            "Failed",
            "You cannot go on. Say what happened, and what whoever reads it needs to fix it. `context` may be left out.",
        ),
        HandbackReason::Question => (
            "A question",
            "You need a decision that is not yours. Ask one question, with the choices that you see, and stop there.",
        ),
    }
}

/// Returns a sample handback for a reason, formatted as readers expect it.
fn sample(reason: HandbackReason) -> String {
    let (outcome, description) = match reason {
        HandbackReason::Success => (
            HandbackOutcome::Success { beside: None },
            "The dossier and the findings are written, and both pass validation.",
        ),
        HandbackReason::Error => {
            let context = r#"{"service":"issue tracker","status":503,"attempts":3}"#;
            let fault = HandbackFault {
                code: HandbackCode::ExternalFailure,
                message: "The issue tracker answered 503 to three requests within ten minutes.".to_owned(),
                context: Some(context.to_owned()),
            };
            (HandbackOutcome::Error(fault), "The findings are incomplete: the issue tracker cannot be reached.")
        }
        HandbackReason::Question => (
            HandbackOutcome::Question { beside: None },
            "Are the functions marked as deprecated part of the scope? I would leave them out.",
        ),
    };
    let handback = Handback { outcome, description: description.to_owned() };
    let bytes = handback::render(&handback).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end().to_owned()
}

fn steps() -> String {
    format!(
        "\n### Steps\n\n\
         STAGE is the name of this stage's directory, RUN the run's directory: the one that holds `stages/`, `../..` from the stage's \
         directory. Paths are those below the stage's directory.\n\n\
         1. Write `{OUTPUT_DATA}/{WF_RESULT}`.\n\
         2. Run `referee stage validate STAGE --run-dir RUN` and fix what it tells.\n\
         3. Write `{OUTPUT_DATA}/{HANDBACK}`, as the last file. Only the keys above are allowed.\n\
         4. Run `referee handback STAGE --run-dir RUN`. It changes nothing, and can be run any number of times. It prints your \
         handback, and everything that stands against it with what to do. It exits with 0 whatever the reason is, and with 1 \
         where {HANDBACK} is missing or is not a handback.\n\
         5. Stop. Change nothing more, unless you get control again.\n"
    )
}

fn files() -> String {
    format!(
        "\n### Which file is for what\n\n\
         | file | for what | who writes it |\n|---|---|---|\n\
         | `{HANDBACK}` | gives control back: why, and what is needed next | you alone |\n\
         | `{WF_RESULT}` | facts about the work: status, time, figures | you; whoever runs the workflow may add to it |\n\n\
         Write both, and let them say the same: `success` stands with the status `success`, `error` with `failure` or `partial`.\n"
    )
}

fn worth() -> String {
    format!(
        "\n### What a handback is worth\n\n\
         - It is a claim. Others judge the outputs and run the stage's specification. A `success` over outputs or checks that fail \
         is a contradiction: it is reported by name, and the stage stops there. Hand back an error instead.\n\
         - It is stale, and does not count, if it is older than `{OUTPUT_DATA}/{ACCEPT}` of this attempt, or if you do not have \
         control. Write a new one for every attempt.\n\
         - The files in `inputs/`, `prompt/` and `schemas/`, `{ACCEPT}` and the run's log are not yours to change: that \
         is found out, and stops the stage too.\n\
         - An error ends the attempt and opens an incident. Another attempt begins when somebody gives control again.\n\
         - A question stops the stage until it is answered. The answer is in `{MESSAGES}/` when you get control again: read that \
         directory before you begin.\n"
    )
}

#[cfg(test)]
mod tests;
