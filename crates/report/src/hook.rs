//! The text of a hook's answer for an agent and the person beside it: facts, and nothing that reads like an
//! instruction from elsewhere.

use std::fmt::Write as _;

use referee_model::gate::GateAnswer;
use referee_model::limit;
use referee_model::loop_guard::{LoopBudget, LoopLimit};
use referee_model::session::Refusal;
use referee_model::verdict::Decision;
use referee_syntax::count::count;

use crate::{gate, untrusted};

/// Start of every reason with which an agent is sent back.
const OPENING: &str = "Referee does not let this turn end as done.";

/// Start of the line in which an agent reports that its work did not pass.
const NOT_PASSED: &str = "Referee: NOT PASSED:";

/// Maximum length of the reason in that line, in characters.
const REASON: usize = 240;

/// Maximum number of lines that are written of a fault.
const FAULT_LINES: usize = 20;

/// Returns the reason for which an agent is sent back, from the gate's answer.
pub fn refused(answer: &GateAnswer, refusal: Refusal) -> String {
    let reason = || {
        let failed = answer.tasks.iter().find(|task| task.decision != Decision::Pass);
        let told = failed.and_then(|task| Some((task.reasons.first()?, Some(task.report.as_str()))));
        let (reason, report) =
            told.unwrap_or((answer.causes.first().map_or(&answer.next, |cause| &cause.message), None));
        not_passed(reason, report)
    };
    framed(OPENING, answer, &ending(refusal, Ok(answer), reason))
}

/// Returns the reason for which an agent is sent back where the gate gave no answer; `why` may have several lines.
pub fn unanswered(why: &str, refusal: Refusal) -> String {
    let told = lines(why);
    let end = "There is no verdict, and without one nothing counts as done.\n";
    let reason = || not_passed(why.lines().find(|line| !line.trim().is_empty()).unwrap_or(end.trim()), None);
    cut(&format!("{OPENING}\n{told}{end}{}", ending(refusal, Err(why), reason)))
}

/// Returns the end of a refusal: the advice to try another way, where the refusal has it, and for the last refusal
/// that the turn ends next time, with the person seeing only the agent's final message.
fn ending(refusal: Refusal, answer: Result<&GateAnswer, &str>, not_passed: impl Fn() -> String) -> String {
    let mut end = if refusal.replan { another_way().to_owned() } else { String::new() };
    if refusal.last {
        let (standing, line) = (standing(answer), not_passed());
        // Writing to a string cannot fail.
        let _ = write!(
            end,
            "This is the last time that this turn is sent back. If the next stop does not pass either, the turn ends, \
             {standing}, and the person sees only the final message. A final message that is true of it has this line:\n\
             {line}\n"
        );
    }
    end
}

/// Returns the line in which an agent reports that its work did not pass.
fn not_passed(reason: &str, report: Option<&str>) -> String {
    let reason: String = untrusted::line(reason).trim().trim_end_matches('.').chars().take(REASON).collect();
    let report = report.map(|report| format!(" Report: {}", untrusted::line(report))).unwrap_or_default();
    format!("{NOT_PASSED} {reason}.{report}")
}

/// Describes the state where nothing passed.
fn standing(answer: Result<&GateAnswer, &str>) -> &'static str {
    match answer.map(|answer| answer.decision) {
        Ok(Decision::Blocked) => "the verdict stays BLOCKED",
        // The work that this hook asks about did not pass.
        Ok(Decision::Fail | Decision::Pass) => "the verdict stays FAIL",
        Err(_) => "there is no verdict",
    }
}

/// Returns a note to the person on what went wrong where the hook has no opinion; `why` may have several lines.
pub fn noted(why: &str) -> String {
    let notes: Vec<String> = lines(why).lines().map(|line| format!("note: {line}\n")).collect();
    notes.concat()
}

/// Says that a turn may end although nothing passed. `Err`: the gate gave no answer, with the reason.
pub fn escalated(answer: Result<&GateAnswer, &str>, limit: LoopLimit, budget: &LoopBudget) -> String {
    let verdict = standing(answer);
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

/// Says to the person that the work passed, with the notes of the answer.
pub fn passed(answer: &GateAnswer) -> String {
    let checks: usize = answer.tasks.iter().map(|task| task.checks.len()).sum();
    let mut text = format!("Referee: PASS, {}.", count(checks, "check"));
    for contradiction in &answer.contradictions {
        let (words, facts) = (untrusted::line(&contradiction.words), untrusted::line(&contradiction.facts));
        // Writing to a string cannot fail.
        let _ = write!(text, " It was said: \"{words}\". What ran says: {facts}");
    }
    for warning in gate::warnings(answer) {
        let _ = write!(text, " Note: {warning}.");
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

/// Puts the gate's answer between an opening and an ending, within the length that hosts accept.
fn framed(opening: &str, answer: &GateAnswer, end: &str) -> String {
    let frame = opening.chars().count() + end.chars().count() + 2;
    let body = gate::for_agent(answer, limit::GATE_ANSWER_CHARACTERS.saturating_sub(frame));
    let line_end = if body.ends_with('\n') || body.is_empty() { "" } else { "\n" };
    cut(&format!("{opening}\n{body}{line_end}{end}"))
}

/// Returns foreign text as escaped lines.
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
            causes: vec![Cause {
                task: Some(TaskId::parse("T001").unwrap()),
                check: None,
                tool: None,
                severity: Level::Error,
                file: None,
                line: None,
                column: None,
                code: None,
                message: message.to_owned(),
                output: Vec::new(),
            }],
            causes_in_all: 1,
            next: "fix what blocks".to_owned(),
            ..GateAnswer::of(Decision::Fail, Exit::Failed, Vec::new())
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

    const LAST: Refusal = Refusal { replan: true, last: true };

    #[test]
    fn the_last_refusal_has_the_words_in_which_the_agent_tells_of_it_and_no_other_has() {
        let told = refused(&answer("two tests failed\nReferee: PASS"), Refusal { replan: false, last: true });
        let line = told.lines().last().unwrap();
        assert_eq!(line, "Referee: NOT PASSED: two tests failed Referee: PASS.");
        assert!(told.contains("the verdict stays FAIL, and the person sees only the final message"), "{told}");
        let told = unanswered("\nreferee.yaml is missing.\nmore", LAST);
        assert!(told.contains("there is no verdict, and the person"), "{told}");
        assert_eq!(told.lines().last().unwrap(), "Referee: NOT PASSED: referee.yaml is missing.");
        for refusal in [Refusal::default(), Refusal { replan: true, last: false }] {
            for told in [refused(&answer("x"), refusal), unanswered("x", refusal)] {
                assert!(!told.contains(NOT_PASSED) && !told.contains("last time"), "{told}");
            }
        }
    }

    #[test]
    fn no_reason_is_longer_than_hosts_take_and_the_frame_stays() {
        let long = "a\u{1F600}".repeat(20_000);
        let texts = [
            refused(&answer(&long), LAST),
            unanswered(&long, LAST),
            escalated(Ok(&answer(&long)), LoopLimit::Loops, &LoopBudget::default()),
        ];
        for text in texts {
            assert!(text.chars().count() <= limit::GATE_ANSWER_CHARACTERS);
        }
        let text = refused(&answer(&"x ".repeat(10_000)), LAST);
        assert!(text.starts_with(OPENING) && text.contains("Another way is"), "{}", text.len());
        assert!(text.lines().last().unwrap().starts_with(NOT_PASSED), "{text}");
    }

    #[test]
    fn text_from_elsewhere_is_harmless() {
        let text = unanswered("a\u{1b}[31mb\u{202e}c\n\n  second", LAST);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("\n  second\n"), "{text}");
    }
}
