//! Recognizes log lines that report a failure, and its kind (seed 3). Only whole words match: `random` is not
//! `dom`, and a return code of 0 is not a failure.

/// Number of characters of a line that are examined.
const LOOKED_AT: usize = 2_000;

/// Kind of failure that a line reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signal {
    /// A sign-in is required.
    SignIn,
    /// A deadline passed, or the network failed.
    Network,
    /// Something was not found.
    Missing,
    Ending,
    /// An exception or error was reported.
    Exception,
}

impl Signal {
    pub const ALL: [Self; 5] = [Self::SignIn, Self::Network, Self::Missing, Self::Ending, Self::Exception];
}

/// Returns whether a line reports a failure.
pub fn is_signal(line: &str) -> bool {
    let words = words(line);
    Signal::ALL.into_iter().any(|signal| holds(&words, signal))
}

/// Returns whether a line reports this kind of failure.
pub fn says(line: &str, signal: Signal) -> bool {
    holds(&words(line), signal)
}

/// A word of a line, in lower case.
struct Word {
    text: String,
    /// Whether the word is all upper case.
    is_loud: bool,
    /// Text after the word, up to the next one.
    behind: String,
}

fn holds(words: &[Word], signal: Signal) -> bool {
    match signal {
        Signal::SignIn => any_phrase(words, SIGN_IN),
        Signal::Network => any_phrase(words, NETWORK) || any(words, is_timeout),
        Signal::Missing => any_phrase(words, MISSING),
        Signal::Ending => ends_badly(words),
        Signal::Exception => any_phrase(words, EXCEPTION) || any(words, is_exception),
    }
}

const SIGN_IN: &[&str] = &[
    "auth required",
    "authentication required",
    "authentication failed",
    "auth expired",
    "login required",
    "login page",
    "login failed",
    "sign in",
    "signin",
    "not authenticated",
    "not logged in",
    "unauthorized",
    "session expired",
    "token expired",
    "credentials expired",
    "status 401",
    "http 401",
    "code 401",
    "403 forbidden",
];

const NETWORK: &[&str] = &[
    "timed out",
    "deadline exceeded",
    "etimedout",
    "econnrefused",
    "econnreset",
    "econnaborted",
    "enotfound",
    "eai again",
    "ehostunreach",
    "enetunreach",
    "network error",
    "network unreachable",
    "network failure",
    "network is unreachable",
    "connection refused",
    "connection reset",
    "connection closed",
    "connection aborted",
    "connection failed",
    "connection error",
    "socket hang up",
    "could not resolve host",
    "name resolution",
    "dns error",
    "dns failure",
    "net err",
];

const MISSING: &[&str] = &["selector", "locator", "dom", "not found", "no such element", "no such file"];

const EXCEPTION: &[&str] = &[
    "traceback",
    "panicked",
    "assertion failed",
    "permission denied",
    "segmentation fault",
    "out of memory",
    "core dumped",
    "npm err",
];

fn any(words: &[Word], is: impl Fn(&[Word], usize) -> bool) -> bool {
    (0..words.len()).any(|place| is(words, place))
}

fn any_phrase(words: &[Word], phrases: &[&str]) -> bool {
    any(words, |words, place| phrases.iter().any(|phrase| begins_with(&words[place..], phrase)))
}

fn begins_with(words: &[Word], phrase: &str) -> bool {
    let mut given = words.iter();
    phrase.split(' ').all(|wanted| given.next().is_some_and(|word| word.text == wanted))
}

fn before(words: &[Word], place: usize) -> &str {
    place.checked_sub(1).and_then(|before| words.get(before)).map_or("", |word| word.text.as_str())
}

/// Matches a timeout that passed, and not one that is set, as in `timeout=30` or `--timeout 30s`.
fn is_timeout(words: &[Word], place: usize) -> bool {
    let is_set = || {
        let is_assigned = words[place].behind.trim_start().starts_with(['=', ':']);
        let value = words.get(place + 1).map_or("", |next| next.text.as_str());
        let is_number = value.starts_with(|first: char| first.is_ascii_digit());
        is_number || (is_assigned && matches!(value, "none" | "null" | "false" | "default"))
    };
    matches!(words[place].text.as_str(), "timeout" | "timeouts")
        && !matches!(before(words, place), "no" | "0" | "without" | "set")
        && !is_set()
}

/// Matches an exit code that is not 0, or a process that was killed or died.
fn ends_badly(words: &[Word]) -> bool {
    let codes: Vec<i64> = (0..words.len()).filter_map(|place| code(&words[place..])).collect();
    if !codes.is_empty() {
        return codes.iter().any(|code| *code != 0);
    }
    let died = ["worker exit", "worker exited", "worker ended", "worker died", "worker killed", "worker crashed"];
    any_phrase(words, &died) || any_phrase(words, &["killed", "sigkill", "sigsegv", "sigabrt"])
}

/// Returns the exit code at the beginning of words, as in `returncode=1` or `exited with code 1`.
fn code(words: &[Word]) -> Option<i64> {
    const NAMES: [&str; 9] = [
        "returncode",
        "return code",
        "exit code",
        "exit status",
        "exited with code",
        "exited with status",
        "exited with",
        "exitcode",
        "rc",
    ];
    let name = NAMES.iter().find(|name| begins_with(words, name))?;
    let length = name.split(' ').count();
    let is_negative = words.get(length - 1)?.behind.ends_with('-');
    let code: i64 = words.get(length)?.text.parse().ok()?;
    Some(if is_negative { -code } else { code })
}

/// Matches `Error:`, `error[E0308]`, `error TS2322`, an exception, or something that failed; not `0 failed`.
fn is_exception(words: &[Word], place: usize) -> bool {
    let word = &words[place];
    let next = words.get(place + 1);
    let is_none = || matches!(before(words, place), "no" | "0" | "without" | "zero" | "if");
    match word.text.as_str() {
        "error" | "fatal" => {
            let is_coded = |next: &Word| {
                let digits = next.text.trim_start_matches(|character: char| character.is_ascii_alphabetic());
                !digits.is_empty() && digits.len() < next.text.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
            };
            !is_none() && (word.behind.starts_with([':', '[']) || (word.behind == " " && next.is_some_and(is_coded)))
        }
        "exception" | "failed" => !is_none(),
        "fail" => word.is_loud && !is_none(),
        _ => false,
    }
}

/// Splits a line into words: letters and digits; an upper-case letter after a lower-case one begins a word, so
/// that `TimeoutError` is two.
fn words(line: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut last = ' ';
    for character in line.chars().take(LOOKED_AT) {
        if character.is_alphanumeric() {
            let begins = !last.is_alphanumeric() || (last.is_lowercase() && character.is_uppercase());
            if begins {
                words.push(Word { text: String::new(), is_loud: true, behind: String::new() });
            }
            if let Some(word) = words.last_mut() {
                word.is_loud &= !character.is_lowercase();
                word.text.extend(character.to_lowercase());
            }
        } else if let Some(word) = words.last_mut() {
            word.behind.push(character);
        }
        last = character;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_say_that_something_failed_are_told_by_their_words() {
        for (line, signal) in [
            ("AUTH_REQUIRED: provider login page detected", Signal::SignIn),
            ("HTTP 401 from the server", Signal::SignIn),
            ("TimeoutError: page.goto", Signal::Network),
            ("request timed out after 30s", Signal::Network),
            ("Timeout exceeded while waiting", Signal::Network),
            ("connect ECONNREFUSED 127.0.0.1:80", Signal::Network),
            ("net::ERR_NAME_NOT_RESOLVED", Signal::Network),
            ("no node for selector .row", Signal::Missing),
            ("bash: jq: command not found", Signal::Missing),
            ("the DOM changed", Signal::Missing),
            ("worker_exit", Signal::Ending),
            ("finished returncode=2", Signal::Ending),
            ("returncode=-9", Signal::Ending),
            ("process exited with code 137", Signal::Ending),
            ("Traceback (most recent call last):", Signal::Exception),
            ("ValueError: bad month", Signal::Exception),
            ("src/a.ts(3,1): error TS2322: no", Signal::Exception),
            ("error[E0308]: mismatched types", Signal::Exception),
            ("2 failed, 3 passed", Signal::Exception),
            ("FAIL src/a.test.ts", Signal::Exception),
        ] {
            assert!(says(line, signal) && is_signal(line), "{line}");
        }
    }

    #[test]
    fn words_that_only_look_like_failures_are_none() {
        for line in [
            "",
            "picked a random item",
            "domain: example.org",
            "returncode=0",
            "worker_exit returncode=0",
            "exit code: 0",
            "0 failed, 3 passed",
            "no errors",
            "0 errors, 0 warnings",
            "timeout=30",
            "--timeout 30s",
            "timeout: none",
            "without exception",
            "errors: 0",
            "fail-fast is on",
            "started provider run",
        ] {
            assert!(!is_signal(line), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_looked_at_without_panic(line in ".{0,300}") {
            let _ = is_signal(&line);
        }
    }
}
