//! Status of the tasks of a project, for people.

use std::io::{self, Write};

use referee_model::status::{TaskState, TaskStatus, Violation};

use crate::page::{Line, Page};
use crate::style::{Style, Tone, Verbosity};

/// Maximum number of lines of one sentence.
const SENTENCE_LINES: usize = 4;

/// Column at which reasons start.
const REASONS: usize = 4;

/// Writes the status of each task and the reason, then files that contradict it, and the totals.
pub fn write(statuses: &[TaskStatus], violations: &[Violation], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for status in statuses {
        let lead = Line::new()
            .then(tone(status.state), &format!("{:<8}", status.state.as_str()))
            .word(Tone::Strong, status.task.as_str())
            .then(Tone::Plain, ": ");
        page.paragraph(lead, REASONS, Tone::Plain, &status.reason, SENTENCE_LINES)?;
        if let Some(run) = status.run.as_ref().filter(|_| style.verbosity == Verbosity::Verbose) {
            let text = format!("{} sealed at {}, seal {}", run.execution, run.sealed, run.seal);
            page.paragraph(Line::indented(REASONS), REASONS, Tone::Faint, &text, SENTENCE_LINES)?;
        }
    }
    for violation in violations {
        let lead = Line::new()
            .then(Tone::Bad, violation.kind.as_str())
            .word(Tone::Place, &violation.file)
            .then(Tone::Plain, ": ");
        page.paragraph(lead, REASONS, Tone::Plain, &violation.message, SENTENCE_LINES)?;
    }
    let of = |state| statuses.iter().filter(|status| status.state == state).count();
    let (complete, partial, failed) = (of(TaskState::Complete), of(TaskState::Partial), of(TaskState::Failed));
    let text = format!("{complete} complete, {partial} partial, {failed} failed");
    page.line(Line::new().then(Tone::Faint, &text))
}

fn tone(state: TaskState) -> Tone {
    match state {
        TaskState::Complete => Tone::Good,
        TaskState::Partial => Tone::Warning,
        TaskState::Failed => Tone::Bad,
    }
}

#[cfg(test)]
mod tests {
    use referee_model::id::TaskId;
    use referee_model::status::ViolationKind;

    use super::*;
    use crate::human::fixture::plain;

    #[test]
    fn tasks_are_told_with_their_reasons_and_violations_after_them() {
        let status = |task: &str, state, reason: &str| TaskStatus {
            task: TaskId::parse(task).unwrap(),
            state,
            reason: reason.to_owned(),
            tampered: false,
            outdated: false,
            exit_code: 0,
            run: None,
        };
        let statuses = [
            status("T001", TaskState::Complete, "3 steps passed"),
            status("T002", TaskState::Partial, "2 steps passed, 1 of them with failures that do not block"),
            status("T003", TaskState::Failed, "there is no \u{1b}[31msealed run of it"),
        ];
        let violation = Violation {
            kind: ViolationKind::UnauthorizedCompletion,
            task: Some(TaskId::parse("T003").unwrap()),
            file: "tasks.md".to_owned(),
            message: "line 7 calls T003 complete, which is FAILED".to_owned(),
        };
        insta::assert_snapshot!(plain(100, |style, out| write(
            &statuses,
            std::slice::from_ref(&violation),
            &style,
            out
        )));
    }
}
