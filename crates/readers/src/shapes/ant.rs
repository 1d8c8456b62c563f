//! The prefix that Ant writes before each line printed by a task: `    [javac] src/App.java:3: error: …`.

use crate::pattern::Pattern;

static TASK: Pattern = Pattern::new(r"^ {0,12}\[[a-z][\w:.-]{1,30}\] ?");

/// Returns a line without the name of its Ant task.
pub(crate) fn without_task(text: &str) -> &str {
    if !text.trim_start_matches(' ').starts_with('[') {
        return text;
    }
    TASK.find(text).map_or(text, |task| &text[task.whole().end..])
}
