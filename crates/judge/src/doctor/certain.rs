//! Whether a hook's command certainly calls Referee. A shell can be made to do anything, so only two forms are
//! accepted: a plain call, and the line that `referee hook config` writes.

use referee_model::hook::AgentHost;
use referee_syntax::shell::plain_words;

use super::command::{Certain, deadline, is_referee};

/// Index of the program in the line that Referee writes, which is after `sh -c SCRIPT`.
const PROGRAM: usize = 3;

/// Options of a call that take a value, and do not weaken the gate.
const WITH_VALUE: [&str; 5] = ["--deadline", "--key", "--sandbox", "--jobs", "-j"];

/// Options without a value.
const PLAIN: [&str; 2] = ["--clean-room", "--sandbox"];

/// Returns the command if it certainly calls Referee for a host. `written` is the line that Referee would write
/// for the event. None: it is uncertain.
pub(super) fn certain(host: AgentHost, words: &[String], written: Option<&str>) -> Option<Certain> {
    let plain = plain(host, words).map(|program| Certain { program, is_written: false });
    let as_written = || as_written(words, &plain_words(written?)?).map(|program| Certain { program, is_written: true });
    plain.or_else(as_written)
}

fn plain(host: AgentHost, words: &[String]) -> Option<String> {
    let [program, hook, named, options @ ..] = words else { return None };
    let is_call = is_program(program) && hook == "hook" && named == host.as_str();
    (is_call && are_known(options)).then(|| program.clone())
}

fn is_program(word: &str) -> bool {
    // A word with an equals sign before a path is an assignment in a shell.
    is_referee(word) && !word.contains('=')
}

fn are_known(options: &[String]) -> bool {
    let mut options = options.iter().map(String::as_str).peekable();
    while let Some(option) = options.next() {
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let is_known = match value {
            Some(_) => WITH_VALUE.contains(&name),
            None if WITH_VALUE.contains(&name) && options.peek().is_some_and(|next| !next.starts_with('-')) => {
                options.next();
                true
            }
            None => PLAIN.contains(&name),
        };
        if !is_known {
            return false;
        }
    }
    true
}

/// Compares the words, ignoring times and the program.
fn as_written(words: &[String], written: &[String]) -> Option<String> {
    let is_same = |(place, (word, written)): (usize, (&String, &String))| match place {
        PROGRAM => is_program(word),
        _ if words.get(place - place.min(1)).is_some_and(|before| before == "--deadline") => {
            matches!(deadline(&["--deadline", word]), Ok(Some(_)))
        }
        _ => word == written,
    };
    let fits = words.len() == written.len() && words.iter().zip(written).enumerate().all(is_same);
    words.get(PROGRAM).filter(|_| fits).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITTEN: &str =
        "sh -c 's=$(cat f)&&exec sh -c \"$s\" \"$0\" \"$@\";exit 2' referee hook claude --deadline 270s Stop";

    fn of_line(line: &str) -> Option<String> {
        certain(AgentHost::Claude, &plain_words(line)?, Some(WRITTEN)).map(|certain| certain.program)
    }

    #[test]
    fn what_surely_calls_referee_is_believed() {
        for (line, program) in [
            ("referee hook claude", "referee"),
            ("/opt/referee hook claude --deadline 5m --key=agent:ci", "/opt/referee"),
            ("'/opt/it'\\''s/referee' hook claude --clean-room", "/opt/it's/referee"),
            ("/opt/my\\ tools/referee hook claude --sandbox", "/opt/my tools/referee"),
            (WRITTEN, "referee"),
            (&WRITTEN.replace(" referee", " '/a b/referee'").replace("270s", "90s"), "/a b/referee"),
        ] {
            assert_eq!(of_line(line).as_deref(), Some(program), "{line}");
        }
    }

    #[test]
    fn the_line_that_is_written_is_told_from_a_plain_call() {
        let is_written =
            |line: &str| certain(AgentHost::Claude, &plain_words(line).unwrap(), Some(WRITTEN)).unwrap().is_written;
        assert!(is_written(WRITTEN) && !is_written("referee hook claude"));
    }

    #[test]
    fn what_may_call_nothing_is_not() {
        for line in [
            "true # referee hook claude",
            "false && referee hook claude",
            "referee hook claude --help",
            "referee hook claude; exit 0",
            "referee hook claude || true",
            "referee hook claude >/dev/null",
            "referee hook claude </dev/null",
            "referee hook claude\nexit 0",
            "referee hook claude &",
            "REFEREE_STATE_DIR=/tmp/x referee hook claude",
            "A=/tmp/referee hook claude",
            "env HOME=/tmp referee hook claude",
            "cd /tmp; referee hook claude",
            "referee -C /tmp hook claude",
            "referee hook claude -C /tmp",
            "referee hook codex",
            "true referee hook claude",
            "\"$X\" hook claude",
            "~/referee hook claude",
            "referee hook claude --deadline",
            "'referee hook claude",
            &WRITTEN.replace("exit 2", "exit 0"),
            &WRITTEN.replace("cat f", "cat g"),
            &WRITTEN.replace(" referee", " true"),
            &WRITTEN.replace("Stop", "SessionStart"),
            &WRITTEN.replace("270s", "soon"),
            &format!("{WRITTEN} --help"),
            "",
        ] {
            assert_eq!(of_line(line), None, "{line}");
        }
    }
}
