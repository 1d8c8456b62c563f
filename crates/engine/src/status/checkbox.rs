//! Checkboxes in a task list: `- [ ] **T031**: …` (contracts/execution.md §4.2).

use std::collections::BTreeMap;

use referee_model::id::TaskId;

/// A line with a checkbox, followed by the id of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkbox {
    pub(super) task: TaskId,
    /// 1-based line number.
    pub(super) line: usize,
    pub(super) is_checked: bool,
    /// Byte offset of the mark in the whole text.
    at: usize,
}

/// Finds the checkboxes of a text. Lines in fenced code blocks are not part of lists.
pub(super) fn find(text: &str) -> Vec<Checkbox> {
    let mut found = Vec::new();
    let mut offset = 0;
    let mut is_fenced = false;
    for (line, whole) in (1..).zip(text.split_inclusive('\n')) {
        let trimmed = whole.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_fenced = !is_fenced;
        } else if !is_fenced && let Some((within, is_checked, task)) = of_line(whole) {
            found.push(Checkbox { task, line, is_checked, at: offset + within });
        }
        offset += whole.len();
    }
    found
}

/// Returns the byte offset of the mark in a line, whether it is set, and the task that follows the checkbox.
fn of_line(line: &str) -> Option<(usize, bool, TaskId)> {
    let item = line.trim_start();
    let rest = item.strip_prefix(['-', '*', '+'])?.trim_start_matches([' ', '\t']);
    let boxed = rest.strip_prefix('[')?;
    let mark = boxed.chars().next().filter(|mark| matches!(mark, ' ' | 'x' | 'X'))?;
    let named = boxed.get(1..)?.strip_prefix(']')?.trim_start_matches([' ', '\t', '*', '_', '`', '[']);
    let is_part = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '_');
    let end = named.find(|character| !is_part(character)).unwrap_or(named.len());
    let name = named.get(..end)?.trim_end_matches(['.', '-', '_']);
    Some((line.len() - boxed.len(), mark != ' ', TaskId::parse(name).ok()?))
}

/// Sets the checkboxes of these tasks, and changes nothing else. Returns `None` if all of them are correct already.
pub(super) fn rewritten(text: &str, complete: &BTreeMap<&TaskId, bool>) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    for checkbox in find(text) {
        let Some(is_complete) = complete.get(&checkbox.task).filter(|wanted| **wanted != checkbox.is_checked) else {
            continue;
        };
        if let Some(mark) = bytes.get_mut(checkbox.at) {
            *mark = if *is_complete { b'x' } else { b' ' };
        }
    }
    // Marks are single bytes, so the text stays valid UTF-8.
    String::from_utf8(bytes).ok().filter(|rewritten| rewritten != text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn task(id: &str) -> TaskId {
        TaskId::parse(id).unwrap()
    }

    #[test]
    fn a_line_is_of_the_task_that_it_begins_with() {
        for (line, wanted) in [
            ("- [ ] **T031**: add quotes", Some(("T031", false))),
            ("- [x] T031 [P] add quotes, after T030", Some(("T031", true))),
            ("  * [X] `T031`. add", Some(("T031", true))),
            ("+ [x] [T031](specs/t031.md)", Some(("T031", true))),
            ("- [ ] T031", Some(("T031", false))),
            ("- [x] add quotes for T031", None),
            ("- [x] T031.1 a part", None),
            ("- [x] T0310x", None),
            ("- [x] T31", None),
            ("- [-] T031", None),
            ("- [] T031", None),
            ("T031 [x]", None),
            ("", None),
        ] {
            let found = of_line(line).map(|(_, is_checked, task)| (task.to_string(), is_checked));
            assert_eq!(found, wanted.map(|(task, is_checked)| (task.to_owned(), is_checked)), "{line}");
        }
    }

    #[test]
    fn only_the_marks_of_known_tasks_are_set() {
        let text = "# Täsks\r\n- [x] T001 done\r\n- [ ] **T002**: open\n```\n- [ ] T002 in code\n```\n- [x] T003 other";
        let (one, two) = (task("T001"), task("T002"));
        let wanted = BTreeMap::from([(&one, false), (&two, true)]);
        let expected =
            "# Täsks\r\n- [ ] T001 done\r\n- [x] **T002**: open\n```\n- [ ] T002 in code\n```\n- [x] T003 other";
        assert_eq!(rewritten(text, &wanted).as_deref(), Some(expected));
        assert_eq!(rewritten(expected, &wanted), None);
    }

    proptest! {
        #[test]
        fn no_text_loses_or_gains_anything_but_marks(text in "(?s)([-*] \\[[ x]\\] T00[12] .{0,9}\n|.{0,30}\n|```\n){0,8}") {
            let (one, two) = (task("T001"), task("T002"));
            let wanted = BTreeMap::from([(&one, true), (&two, false)]);
            let after = rewritten(&text, &wanted).unwrap_or_else(|| text.clone());
            prop_assert_eq!(after.len(), text.len());
            let other = |text: &str| text.replace("[x]", "[ ]").replace("[X]", "[ ]");
            prop_assert_eq!(other(&after), other(&text));
            prop_assert!(find(&after).iter().all(|found| found.is_checked == (found.task == one)));
        }
    }
}
