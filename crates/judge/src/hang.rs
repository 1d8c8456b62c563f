//! Commands that were stopped at their deadline and would not have ended with more time: watch modes, and
//! commands that wait for something that never comes. Derived from stored data: the end of the output, and
//! observations of the command.

use referee_model::plan::Work;
use referee_model::reading::Reading;
use referee_model::record::{Notice, NoticeCode};
use referee_syntax::ansi;
use referee_syntax::cut::first_line;

/// Phrases that tools print after one run while they wait for changes, in lower case.
const WATCH_PHRASES: [&str; 14] = [
    "watching for file changes",
    "waiting for file changes",
    "watching for changes",
    "waiting for changes",
    "press h to show help",
    "press h + enter",
    "press q to quit",
    "press `q` to quit",
    "press a to run all tests",
    "watch usage",
    "watch mode",
    "errors. watching",
    "clean exit - waiting",
    "[nodemon] watching",
];

/// Options that make such a tool watch.
const WATCH_OPTIONS: [&str; 2] = ["--watch", "--watchAll"];

/// How to run a tool once.
const RUNS_ONCE: [(&str, &str); 10] = [
    ("vitest", "`vitest run`"),
    ("jest", "leave out `--watch` and `--watchAll`"),
    ("tsc", "leave out `--watch`"),
    ("karma", "`--single-run`"),
    ("mocha", "leave out `--watch`"),
    ("ava", "leave out `--watch`"),
    ("node-test", "leave out `--watch`"),
    ("playwright", "leave out `--ui`"),
    ("webpack", "leave out `--watch`"),
    ("rollup", "leave out `--watch`"),
];

/// Number of lines at the end of a stream that are searched for a phrase.
const LINES: usize = 30;

/// Maximum length of a quoted line, in characters.
const QUOTED: usize = 120;

/// Reason why more time would not have helped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hang {
    /// Evidence, as part of a sentence.
    pub(crate) looks: String,
    pub(crate) advice: String,
}

/// Detects whether a command hung that was stopped at its deadline. None: there is no evidence.
pub(crate) fn of(work: &Work, tool: Option<&str>, notices: &[Notice], reading: &Reading) -> Option<Hang> {
    let once = tool.and_then(|tool| RUNS_ONCE.iter().find(|(name, _)| *name == tool));
    // For other tools, the same option may mean to follow something up to its end.
    let told = || once.and_then(|_| watch_option(work)).map(|option| format!("it is started with `{option}`"));
    if let Some(told) = watch_phrase(reading).map(|phrase| format!("\"{phrase}\"")).or_else(told) {
        let how = once.map_or("leave out what makes it watch", |(_, how)| how);
        let who = tool.unwrap_or("the command");
        return Some(Hang {
            looks: format!("it looks like watch mode: {who} waits for changes ({told})"),
            advice: format!("Run it once: {how}; more time does not help"),
        });
    }
    let idle = notices.iter().find(|notice| notice.code == NoticeCode::Idle)?;
    Some(Hang {
        looks: idle.message.clone(),
        advice: "Find out what it waits for (a watch mode, a server, a lock, an answer); more time does not help"
            .to_owned(),
    })
}

/// Returns the option of the command, or of a script that it runs, that makes a tool watch.
fn watch_option(work: &Work) -> Option<&'static str> {
    let Work::Command(command) = work else { return None };
    let line = command.invocation.as_line();
    let lines = std::iter::once(&line).chain(&command.seen_through);
    let words: Vec<&str> = lines.flat_map(|line| line.split_whitespace()).collect();
    WATCH_OPTIONS.into_iter().find(|option| words.contains(option))
}

fn watch_phrase(reading: &Reading) -> Option<String> {
    let excerpts = [&reading.excerpts.stdout, &reading.excerpts.stderr];
    excerpts.into_iter().find_map(|excerpt| {
        let end = ansi::strip(excerpt.end());
        let says = |line: &&str| {
            let line = line.to_lowercase();
            WATCH_PHRASES.iter().any(|phrase| line.contains(phrase))
        };
        let line = end.lines().rev().take(LINES).find(says)?;
        Some(first_line(line, QUOTED))
    })
}

#[cfg(test)]
mod tests {
    use referee_model::plan::Command;
    use referee_model::reading::{Excerpt, Excerpts};

    use super::*;
    use crate::fixture::command;

    fn line(text: &str) -> Work {
        Work::Command(command(text))
    }

    fn printed(text: &str) -> Reading {
        let stdout = Excerpt { head: text.to_owned(), tail: String::new(), bytes: text.len() as u64 };
        Reading { excerpts: Excerpts { stdout, ..Excerpts::default() }, ..Reading::default() }
    }

    #[test]
    fn watch_modes_are_known_by_what_they_print_last() {
        for (tool, text, advice) in [
            (
                Some("vitest"),
                "\u{1b}[32mPASS\u{1b}[0m  Waiting for file changes...\n  press h to show help, press q to quit\n",
                "`vitest run`",
            ),
            (
                Some("jest"),
                "Ran all test suites.\n\nWatch Usage\n \u{203a} Press f to run only failed tests.\n",
                "`--watch`",
            ),
            (Some("tsc"), "[10:00:00] Found 0 errors. Watching for file changes.\n", "`--watch`"),
            (None, "[nodemon] clean exit - waiting for changes before restart\n", "what makes it watch"),
        ] {
            let hang = of(&line("npm run w"), tool, &[], &printed(text)).unwrap();
            assert!(hang.looks.contains("watch mode") && hang.advice.contains(advice), "{hang:?}");
        }
        let long_ago = format!("watching for changes\n{}", "work\n".repeat(LINES));
        for text in ["", "waiting for the server\n", &long_ago] {
            assert_eq!(of(&line("npx jest"), Some("jest"), &[], &printed(text)), None, "{text}");
        }
    }

    #[test]
    fn what_did_nothing_waits_for_something() {
        let notice = |code| Notice { code, message: "for the last 12 s it printed nothing".to_owned() };
        let silent = |code| of(&line("./serve --watch"), None, &[notice(code)], &Reading::default());
        let hang = silent(NoticeCode::Idle).unwrap();
        assert!(hang.looks.contains("12 s") && hang.advice.contains("waits for"), "{hang:?}");
        assert_eq!(silent(NoticeCode::WantedTerminal), None);
    }

    #[test]
    fn a_watch_mode_that_prints_nothing_is_known_by_its_option() {
        let seen = |lines: &[&str]| {
            let seen_through = lines.iter().map(|line| (*line).to_owned()).collect();
            Work::Command(Command { seen_through, ..command("npm run w") })
        };
        for (work, tool, said) in [
            (seen(&["jest --watchAll"]), "jest", Some("`--watchAll`")),
            (line("node --test --watch"), "node-test", Some("`--watch`")),
            (seen(&["jest --watchAll=false"]), "jest", None),
            (line("kubectl get pods --watch"), "kubectl", None),
        ] {
            let hang = of(&work, Some(tool), &[], &Reading::default());
            assert_eq!(hang.is_some(), said.is_some(), "{work:?}");
            if let (Some(hang), Some(said)) = (hang, said) {
                assert!(hang.looks.contains("watch mode") && hang.looks.contains(said), "{hang:?}");
            }
        }
    }
}
