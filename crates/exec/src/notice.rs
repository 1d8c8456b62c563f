//! Notices for a person beside the facts: telling words in the output of a failed command, and what it left behind.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use referee_model::id::ActionId;
use referee_model::record::{LeakedProcess, Notice, NoticeCode, Stream};
use referee_syntax::count::more;

/// Minimum length of a variable's name in bytes; shorter names occur as ordinary words.
const NAME_BYTES: usize = 4;

/// Maximum number of dropped variables that are reported for one action.
const NAMES_TOLD: usize = 5;

/// Variables that shells and terminals set themselves, so that the caller's values are not missed.
const SET_BY_SHELLS: &[&str] = &[
    "BASH",
    "BASHOPTS",
    "BASHPID",
    "BASH_VERSION",
    "COLUMNS",
    "DIRSTACK",
    "EUID",
    "GROUPS",
    "HISTFILE",
    "HISTSIZE",
    "HOSTNAME",
    "HOSTTYPE",
    "LINENO",
    "LINES",
    "MACHTYPE",
    "OLDPWD",
    "OPTARG",
    "OPTERR",
    "OPTIND",
    "OSTYPE",
    "PIPESTATUS",
    "PPID",
    "PWD",
    "RANDOM",
    "SECONDS",
    "SHELL",
    "SHELLOPTS",
    "SHLVL",
    "TERM",
    "UID",
    "_",
];

/// Number of bytes of each stream that are searched; a missing variable is reported earlier than that.
const BYTES_SEARCHED: usize = 64 * 1024 * 1024;

/// Messages of programs that expected a terminal.
const TERMINAL_WANTED: &[&str] =
    &["/dev/tty: No such device or address", "not a tty", "the input device is not a TTY", "a terminal is required"];

/// Words to search for; the same for all actions that get the same variables.
#[derive(Debug, Clone)]
pub(crate) struct Vocabulary {
    dropped: Vec<String>,
    words: Arc<Words>,
}

#[derive(Debug)]
struct Words {
    /// Searches for all words; built for the first output. None inside: they are too many to be searched for.
    automaton: OnceLock<Option<AhoCorasick>>,
    /// Names to search for, which follow the messages about a terminal.
    names: Vec<String>,
    longest: usize,
}

impl Words {
    fn all(names: &[String]) -> impl Iterator<Item = &str> {
        TERMINAL_WANTED.iter().copied().chain(names.iter().map(String::as_str))
    }

    fn automaton(&self) -> Option<&AhoCorasick> {
        // Of names with a common prefix the longest match counts, so that a name is never hidden by its prefix.
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(Self::all(&self.names)).ok();
        self.automaton.get_or_init(build).as_ref()
    }
}

impl Vocabulary {
    /// Creates the words for an action that was not given these variables.
    pub(crate) fn new(dropped: &[String]) -> Self {
        let is_telling = |name: &&String| {
            name.len() >= NAME_BYTES && name.bytes().all(is_word_byte) && !SET_BY_SHELLS.contains(&name.as_str())
        };
        let names: Vec<String> = dropped.iter().filter(is_telling).cloned().collect();
        let longest = Words::all(&names).map(str::len).max().unwrap_or(0);
        let words = Words { automaton: OnceLock::new(), names, longest };
        Self { dropped: dropped.to_owned(), words: Arc::new(words) }
    }

    /// Whether these are the words for an action that was not given these variables.
    pub(crate) fn is_for(&self, dropped: &[String]) -> bool {
        self.dropped == dropped
    }
}

/// Searches output as it passes by.
#[derive(Debug)]
pub(crate) struct Watch {
    words: Arc<Words>,
    windows: [Window; 2],
    found: BTreeSet<usize>,
}

/// The last bytes of a stream, which may be the start of a match.
#[derive(Debug, Default)]
struct Window {
    bytes: Vec<u8>,
    /// Whether earlier bytes were discarded.
    continued: bool,
    searched: usize,
}

impl Watch {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            words: Arc::clone(&vocabulary.words),
            windows: [Window::default(), Window::default()],
            found: BTreeSet::new(),
        }
    }

    /// Searches the next bytes of a stream.
    pub(crate) fn take(&mut self, stream: Stream, bytes: &[u8]) {
        let window = &mut self.windows[index(stream)];
        if window.searched >= BYTES_SEARCHED {
            return;
        }
        window.searched += bytes.len();
        window.bytes.extend_from_slice(bytes);
        self.search(stream, false);
        let window = &mut self.windows[index(stream)];
        // Up to one unfinished word is kept, with the byte before it.
        let gone = window.bytes.len().saturating_sub(self.words.longest + 2);
        if gone > 0 {
            window.bytes.drain(..gone);
            window.continued = true;
        }
    }

    fn search(&mut self, stream: Stream, at_end: bool) {
        let window = &self.windows[index(stream)];
        if window.bytes.is_empty() {
            return;
        }
        let Some(automaton) = self.words.automaton() else { return };
        for found in automaton.find_iter(&window.bytes) {
            let before = found.start().checked_sub(1).map(|at| window.bytes[at]);
            let after = window.bytes.get(found.end()).copied();
            let begins = before.map_or(!window.continued, |byte| !is_word_byte(byte));
            let ends = after.map_or(at_end, |byte| !is_word_byte(byte));
            let is_text = found.pattern().as_usize() < TERMINAL_WANTED.len();
            if is_text || (begins && ends) {
                self.found.insert(found.pattern().as_usize());
            }
        }
    }

    /// Returns the notices for a command that failed.
    pub(crate) fn notices(mut self) -> Vec<Notice> {
        for stream in Stream::ALL {
            self.search(stream, true);
        }
        let mut notices = Vec::new();
        if self.found.iter().any(|at| *at < TERMINAL_WANTED.len()) {
            notices.push(Notice {
                code: NoticeCode::WantedTerminal,
                message:
                    "the command wanted a terminal, and checks have none: give it the option that makes it ask nothing"
                        .to_owned(),
            });
        }
        let names = self.found.iter().filter_map(|at| self.words.names.get(at.checked_sub(TERMINAL_WANTED.len())?));
        notices.extend(names.take(NAMES_TOLD).map(|name| Notice {
            code: NoticeCode::DroppedVariable,
            message: format!(
                "`{name}` is set in your environment but was not passed on; declare it under `env:` in the \
                 specification if the check needs it"
            ),
        }));
        notices
    }
}

/// Returns the notice about processes that outlived their command.
pub(crate) fn leaked(leaked: &[LeakedProcess]) -> Option<Notice> {
    let first = leaked.first()?;
    let others = more(leaked.len() - 1);
    let held = if leaked.iter().any(|process| process.held_output) { ", holding its output open," } else { "" };
    let message = format!(
        "`{}` (pid {}){others} outlived the command{held} and was stopped; let the command wait for what it starts, \
         or stop it",
        first.command, first.pid
    );
    Some(Notice { code: NoticeCode::LeakedProcess, message })
}

/// Returns the notice about a process that several commands could have left behind.
pub(crate) fn doubtful(process: &LeakedProcess, actions: &[String]) -> Notice {
    let message = format!(
        "`{}` (pid {}) was left behind by one of {}, which ran at once, and was stopped when the last of them ended; it \
         took off what tells whose it is",
        process.command,
        process.pid,
        actions.join(", ")
    );
    Notice { code: NoticeCode::LeakedProcess, message }
}

/// Returns the notice about a service that ended while actions ran.
pub(crate) fn service_ended(action: &ActionId, name: &str, how: &str) -> Notice {
    let message = format!(
        "the service {action} ({name}) {how} before this action was over; from then on everything ran without it"
    );
    Notice { code: NoticeCode::ServiceEnded, message }
}

/// Returns the notice about a service at whose port an unknown process listens.
pub(crate) fn unknown_listener(port: u16) -> Notice {
    let message = format!(
        "this system does not say who listens at port {port}; the port was free before the service was started, so the \
         service counts as ready"
    );
    Notice { code: NoticeCode::UnknownListener, message }
}

/// Returns the notice about processes that could not be ended.
pub(crate) fn survived(survivors: &[LeakedProcess]) -> Option<Notice> {
    let first = survivors.first()?;
    let message = format!(
        "{} processes of the command could not be ended, among them `{}` (pid {}); what they still do is not recorded",
        survivors.len(),
        first.command,
        first.pid
    );
    Some(Notice { code: NoticeCode::LeakedProcess, message })
}

/// Returns the notice about a command that had been inactive before its timeout.
pub(crate) fn idle(milliseconds: u64) -> Notice {
    let seconds = milliseconds / 1_000;
    let message = format!("for the last {seconds} s it printed nothing and used no processor: it waits for something");
    Notice { code: NoticeCode::Idle, message }
}

/// Returns the notice that explains exit code 141 under pipefail.
pub(crate) fn broken_pipe() -> Notice {
    Notice {
        code: NoticeCode::BrokenPipe,
        message:
            "exit code 141: a command was still writing when the one after it in the pipe had read enough (`head` \
                  does that); write to a file first, or set `pipefail: false`"
                .to_owned(),
    }
}

fn index(stream: Stream) -> usize {
    match stream {
        Stream::Stdout => 0,
        Stream::Stderr => 1,
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(dropped: &[&str], chunks: &[&[u8]]) -> Vec<String> {
        let dropped: Vec<String> = dropped.iter().map(|name| (*name).to_owned()).collect();
        let mut watch = Watch::new(&Vocabulary::new(&dropped));
        for chunk in chunks {
            watch.take(Stream::Stderr, chunk);
        }
        let name = |notice: Notice| match notice.code {
            NoticeCode::DroppedVariable => notice.message.split('`').nth(1).unwrap().to_owned(),
            code => format!("{code:?}"),
        };
        watch.notices().into_iter().map(name).collect()
    }

    #[test]
    fn whole_names_are_found_and_parts_are_not() {
        let dropped = ["API_KEY", "API_KEY_ID", "DB", "a.b_c"];
        for (text, expected) in [
            ("API_KEY is missing", vec!["API_KEY"]),
            ("set $API_KEY_ID!", vec!["API_KEY_ID"]),
            ("API_KEY_IDX MY_API_KEY api_key DB a.b_c", vec![]),
            ("API_KEY_ID,API_KEY", vec!["API_KEY", "API_KEY_ID"]),
            ("sh: /dev/tty: No such device or address", vec!["WantedTerminal"]),
            ("", vec![]),
        ] {
            assert_eq!(told(&dropped, &[text.as_bytes()]), expected, "{text}");
        }
    }

    #[test]
    fn what_shells_set_themselves_is_not_told_of() {
        for name in ["SHLVL", "PWD", "OLDPWD", "_", "SHELL", "TERM", "HOSTNAME"] {
            let text = format!("{name}=1 API_KEY");
            assert_eq!(told(&[name, "API_KEY"], &[text.as_bytes()]), ["API_KEY"], "{name}");
        }
    }

    #[test]
    fn at_most_five_names_are_told() {
        let dropped = ["AAAA", "BBBB", "CCCC", "DDDD", "EEEE", "FFFF"];
        assert_eq!(told(&dropped, &[dropped.join(" ").as_bytes()]), &dropped[..5]);
    }

    #[test]
    fn one_process_and_many_are_told_of() {
        let process = |pid, held_output| LeakedProcess { pid, command: "server".to_owned(), held_output };
        assert_eq!(leaked(&[]), None);
        let one = leaked(&[process(7, false)]).unwrap().message;
        assert!(one.starts_with("`server` (pid 7) outlived the command and was stopped"), "{one}");
        let two = leaked(&[process(7, false), process(8, true)]).unwrap().message;
        assert!(two.starts_with("`server` (pid 7) and 1 more outlived the command, holding its output open,"), "{two}");
    }

    proptest! {
        #[test]
        fn names_are_found_however_the_output_is_cut(
            text in "([A-C_ ]|API_KEY|API_KEY_ID|NAME_ONE|not a tty){0,24}", cuts in prop::collection::vec(1..6_usize, 0..60),
        ) {
            let dropped = ["API_KEY", "API_KEY_ID", "NAME_ONE"];
            let mut rest = text.as_bytes();
            let mut chunks = Vec::new();
            for cut in cuts {
                let (chunk, after) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = after;
            }
            chunks.push(rest);
            prop_assert_eq!(told(&dropped, &chunks), told(&dropped, &[text.as_bytes()]));
        }
    }
}
