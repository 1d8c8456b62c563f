//! What a hook tells an agent and the person beside it. Facts, and nothing that reads like an order from elsewhere.

use std::fmt::Write as _;

use referee_model::gate::GateAnswer;
use referee_model::limit;
use referee_model::loop_guard::{LoopBudget, LoopLimit};
use referee_model::verdict::Decision;

use crate::{gate, untrusted};

/// How every reason begins with which an agent is sent back.
const OPENING: &str = "Referee does not let this turn end as done.";

/// Lines of a fault that are told.
const FAULT_LINES: usize = 20;

/// Says why an agent is sent back, by the gate's answer. `replan`: going on in the same way brings nothing.
pub fn refused(answer: &GateAnswer, replan: bool) -> String {
    framed(OPENING, answer, if replan { another_way() } else { "" })
}

/// Says why an agent is sent back where there is no answer of the gate, with the reason, a line each.
pub fn unanswered(why: &str, replan: bool) -> String {
    let told = lines(why);
    let end = "There is no verdict, and without one nothing counts as done.\n";
    cut(&format!("{OPENING}\n{told}{end}{}", if replan { another_way() } else { "" }))
}

/// Says to a person what went wrong where there is no opinion, a line each.
pub fn noted(why: &str) -> String {
    let notes: Vec<String> = lines(why).lines().map(|line| format!("note: {line}\n")).collect();
    notes.concat()
}

/// Says that a turn may end although nothing passed. None: there is no answer of the gate, and `why` says why not.
pub fn escalated(answer: Result<&GateAnswer, &str>, limit: LoopLimit, budget: &LoopBudget) -> String {
    let verdict = match answer.map(|answer| answer.decision) {
        Ok(Decision::Blocked) => "the verdict stays BLOCKED",
        // An escalation follows from what did not pass.
        Ok(Decision::Fail | Decision::Pass) => "the verdict stays FAIL",
        Err(_) => "there is no verdict",
    };
    let opening = format!(
        "Referee: this turn may end, and it is not done: {verdict}. {} Sending the agent back again brings nothing; a person \
         is needed. `referee gate` still says no. What a person says next gives the agent a fresh budget.",
        reached(limit, budget)
    );
    match answer {
        Ok(answer) => framed(&opening, answer, ""),
        Err(why) => cut(&format!("{opening}\n{}", lines(why))),
    }
}

/// Says to the person that the work passed, and what was noted.
pub fn passed(answer: &GateAnswer) -> String {
    let checks: usize = answer.tasks.iter().map(|task| task.checks.len()).sum();
    let word = if checks == 1 { "check" } else { "checks" };
    let mut text = format!("Referee: PASS, {checks} {word}.");
    for contradiction in &answer.contradictions {
        let (words, facts) = (untrusted::line(&contradiction.words), untrusted::line(&contradiction.facts));
        // Writing to a text cannot fail.
        let _ = write!(text, " It was said: \"{words}\". What ran says: {facts}");
    }
    for edit in gate::edits(answer) {
        let _ = write!(text, " Note: {edit}.");
    }
    for task in &answer.tasks {
        let _ = write!(text, " Report: {}", untrusted::line(&task.report));
    }
    cut(&text)
}

fn another_way() -> &'static str {
    "The last attempts brought nothing: what failed before fails still, and no later check was reached. Another way is \
     needed; the same again leaves it to a person.\n"
}

fn reached(limit: LoopLimit, budget: &LoopBudget) -> String {
    match limit {
        LoopLimit::SameError => format!("The same failure came {} times in a row.", budget.same_errors),
        LoopLimit::NoProgress => "Attempts brought no progress, in another way neither.".to_owned(),
        LoopLimit::Loops => format!("{} attempts were made.", budget.loops),
        LoopLimit::Duration => format!("{} minutes were spent.", budget.duration_ms / 60_000),
    }
}

/// Puts the gate's answer between an opening and an end, in as many characters as hosts take.
fn framed(opening: &str, answer: &GateAnswer, end: &str) -> String {
    let frame = opening.chars().count() + end.chars().count() + 2;
    let body = gate::for_agent(answer, limit::GATE_ANSWER_CHARACTERS.saturating_sub(frame));
    let line_end = if body.ends_with('\n') || body.is_empty() { "" } else { "\n" };
    cut(&format!("{opening}\n{body}{line_end}{end}"))
}

/// Text from elsewhere as harmless lines.
fn lines(text: &str) -> String {
    let harmless = |line: &str| format!("{}\n", untrusted::line(line.trim_end()));
    let lines: Vec<String> =
        text.lines().filter(|line| !line.trim().is_empty()).take(FAULT_LINES).map(harmless).collect();
    lines.concat()
}

fn cut(text: &str) -> String {
    text.chars().take(limit::GATE_ANSWER_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use referee_model::gate::Cause;
    use referee_model::id::TaskId;
    use referee_model::reading::Level;
    use referee_model::verdict::Exit;

    use super::*;

    fn answer(message: &str) -> GateAnswer {
        GateAnswer {
            decision: Decision::Fail,
            exit: Exit::Failed,
            tasks: Vec::new(),
            causes: vec![Cause {
                task: TaskId::parse("T001").unwrap(),
                check: None,
                tool: None,
                severity: Level::Error,
                file: None,
                line: None,
                column: None,
                code: None,
                message: message.to_owned(),
            }],
            causes_in_all: 1,
            next: "mend what blocks".to_owned(),
            held_out: None,
            contradictions: Vec::new(),
            notes: Vec::new(),
            reuse: Vec::new(),
        }
    }

    #[test]
    fn leaving_the_loop_says_which_limit_and_never_that_it_passed() {
        let budget = LoopBudget::default();
        for limit in LoopLimit::ALL {
            for text in [
                escalated(Ok(&answer("two tests failed")), limit, &budget),
                escalated(Err("the specification is missing"), limit, &budget),
            ] {
                assert!(text.contains("a person is needed") && text.contains("not done"), "{text}");
                assert!(!text.contains("PASS") && !text.contains("passed"), "{text}");
                assert!(text.contains(&reached(limit, &budget)), "{text}");
            }
        }
        assert!(escalated(Ok(&answer("x")), LoopLimit::Loops, &budget).contains("stays FAIL"));
    }

    #[test]
    fn no_reason_is_longer_than_hosts_take_and_the_frame_stays() {
        let long = "a\u{1F600}".repeat(20_000);
        let texts = [
            refused(&answer(&long), true),
            unanswered(&long, true),
            escalated(Ok(&answer(&long)), LoopLimit::Loops, &LoopBudget::default()),
        ];
        for text in texts {
            assert!(text.chars().count() <= limit::GATE_ANSWER_CHARACTERS);
        }
        let text = refused(&answer(&"x ".repeat(10_000)), true);
        assert!(text.starts_with(OPENING) && text.contains("Another way is"), "{}", text.len());
    }

    #[test]
    fn text_from_elsewhere_is_harmless() {
        let text = unanswered("a\u{1b}[31mb\u{202e}c\n\n  second", false);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("\n  second\n"), "{text}");
    }
}
