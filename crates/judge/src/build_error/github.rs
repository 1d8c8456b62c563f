//! Detects failures of GitHub itself, where no better source reports them.

use referee_model::build_error::bare_name;
use referee_model::outcome::Rule;
use referee_model::reading::Excerpt;
use referee_model::record::{CommandFacts, Ending, Facts};
use referee_model::report::Ran;

/// Number of last lines of a stream that may explain why a command failed.
const LAST_LINES: usize = 5;

const PROGRAMS: [&str; 2] = ["gh", "hub"];

const SHELLS: [&str; 5] = ["bash", "dash", "env", "sh", "zsh"];

/// Host of GitHub; its other hosts are subdomains.
const HOST: &str = "github.com";

/// Words for what services do and refuse, in lower case.
const OF_SERVICES: [&str; 28] = [
    "api",
    "authentication",
    "clone",
    "connect",
    "credentials",
    "denied",
    "download",
    "fetch",
    "forbidden",
    "gateway",
    "graphql",
    "limit",
    "limited",
    "permission",
    "permissions",
    "push",
    "rate",
    "reach",
    "refused",
    "rejected",
    "responded",
    "returned",
    "timeout",
    "token",
    "unauthorized",
    "unavailable",
    "unreachable",
    "upload",
];

/// Phrases of git, curl and others right before the address at which they failed, in lower case.
const FAILED_AT: [&str; 14] = [
    "authentication failed for",
    "connect to host",
    "connection to",
    "could not read password for",
    "could not read username for",
    "could not resolve host:",
    "could not resolve hostname",
    "eai_again",
    "econnrefused",
    "enotfound",
    "failed to connect to",
    "fatal: repository",
    "request to",
    "unable to access",
];

/// Returns whether a program is one of GitHub's, wherever it is installed.
pub fn is_githubs(program: &str) -> bool {
    bare_name(program).is_some_and(|name| PROGRAMS.contains(&name.as_str()))
}

/// Returns whether GitHub is the reason why a command could not do its work: only a program of GitHub ran, or
/// the line with the error refers to GitHub. A missing program is never a failure of GitHub.
pub(super) fn failed(ran: &Ran) -> bool {
    let Facts::Command(facts) = &ran.record.facts else { return false };
    if !matches!(facts.ending, Ending::Exited { .. }) || ran.judgement.rule == Rule::CommandNotFound {
        return false;
    }
    let tells = |excerpt: &Excerpt| {
        excerpt.end().lines().rev().filter(|line| !line.trim().is_empty()).take(LAST_LINES).any(tells_of_github)
    };
    runs_only_githubs(facts) || [&ran.reading.excerpts.stderr, &ran.reading.excerpts.stdout].into_iter().any(tells)
}

fn runs_only_githubs(facts: &CommandFacts) -> bool {
    let is_shell = |name: &str| bare_name(name).is_some_and(|name| SHELLS.contains(&name.as_str()));
    let mut programs =
        facts.executables.iter().map(|found| found.name.as_str()).filter(|name| !is_shell(name)).peekable();
    programs.peek().is_some() && programs.all(is_githubs)
}

/// Returns whether an unclassified text reports a failure of GitHub: one of its lines has GitHub as a word of
/// its own along with a word for services or an HTTP status, or has an address at GitHub as the one at which
/// something failed.
///
/// The name within a path or the name of a test does not count, and neither does an address alone.
pub fn tells_of_github(text: &str) -> bool {
    text.lines().map(str::to_lowercase).any(|line| {
        let tells = words(&line).any(|word| OF_SERVICES.contains(&word)) || has_status(&line);
        (tells && names(&line) && !is_quoting(&line)) || addresses(&line).any(|address| address.failed(&line))
    })
}

/// Returns whether the end of a failed push names GitHub: as a word of its own, or as the host of an address.
pub fn names_github(text: &str) -> bool {
    let lower = text.to_lowercase();
    names(&lower) || addresses(&lower).next().is_some()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns whether the line has an HTTP status of a failure.
fn has_status(line: &str) -> bool {
    words(line).any(|word| word.len() == 3 && word.parse::<u16>().is_ok_and(|status| (400..600).contains(&status)))
}

/// Returns whether GitHub or its library is a word of the line, and not part of a path or of another name.
fn names(line: &str) -> bool {
    let bare = |word: &str| {
        let word = word.trim_matches(|character: char| "'\"`()[]{}<>:,;.!?".contains(character));
        matches!(word.strip_suffix("'s").unwrap_or(word), "github" | "octokit")
    };
    line.split_whitespace().any(bare)
}

/// Returns whether a line begins with a source location or is the line of a test; names of tests are arbitrary.
fn is_quoting(line: &str) -> bool {
    const OF_TESTS: [&str; 8] = ["fail ", "--- fail", "failed ", "not ok", "✗", "✕", "×", "●"];
    const BETWEEN_NAMES: [&str; 3] = [" > ", " › ", "::"];
    let line = line.trim_start();
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_place = first.split(['(', ':']).skip(1).any(|part| part.starts_with(|digit: char| digit.is_ascii_digit()));
    is_place
        || OF_TESTS.iter().any(|mark| line.starts_with(mark))
        || BETWEEN_NAMES.iter().any(|between| line.contains(between))
}

/// An address at GitHub within a line.
struct Address<'a> {
    before: &'a str,
    /// Subdomain with its trailing dot.
    below: &'a str,
    after: &'a str,
}

fn addresses(line: &str) -> impl Iterator<Item = Address<'_>> {
    line.match_indices(HOST).filter_map(|(at, _)| address(line, at))
}

/// Parses the address whose host is at this offset. None: the name is part of another name or of a path.
fn address(line: &str, at: usize) -> Option<Address<'_>> {
    let is_of_name = |character: char| character.is_ascii_alphanumeric() || character == '-';
    let (head, after) = (&line[..at], &line[at + HOST.len()..]);
    let more = after.strip_prefix('.').unwrap_or(after);
    let before = head.trim_end_matches(|character: char| is_of_name(character) || character == '.');
    let below = &head[before.len()..];
    if more.starts_with(is_of_name) || !(below.is_empty() || below.ends_with('.')) {
        return None;
    }
    let user = |character: char| is_of_name(character) || "._:*%+".contains(character);
    let before = before.strip_suffix('@').map_or(before, |before| before.trim_end_matches(user));
    let schemed = before.strip_suffix("://").map(|before| before.trim_end_matches(is_of_name));
    let before = schemed.or((!before.ends_with('/')).then_some(before))?;
    Some(Address { before: before.trim_end_matches(|character: char| " '\"`(<".contains(character)), below, after })
}

impl Address<'_> {
    /// Returns whether the line reports a failure at this address, or is an answer of the API there.
    fn failed(&self, line: &str) -> bool {
        let is_answer = self.below == "api." && has_status(line);
        let is_refused = self.after.starts_with(": permission denied");
        is_answer || is_refused || FAILED_AT.iter().any(|words| self.before.ends_with(words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_tells_of_github_where_its_service_failed_and_not_where_it_is_named() {
        for (text, tells) in [
            ("GitHub API: rate limited", true),
            ("GitHub API rate limit exceeded", true),
            ("some\nError: GitHub returned 502", true),
            ("octokit: 401 Bad credentials", true),
            ("could not fetch the release from GitHub", true),
            ("fatal: unable to access 'https://github.com/a/b.git/': Could not resolve host: github.com", true),
            ("fatal: unable to access 'https://x:***@github.com/a/b.git/': 403", true),
            ("ssh: Could not resolve hostname github.com: Name or service not known", true),
            ("git@github.com: Permission denied (publickey).", true),
            ("getaddrinfo ENOTFOUND api.github.com", true),
            ("GET https://api.github.com/user: 401 Bad credentials []", true),
            ("HTTP 404: Not Found (https://api.github.com/repos/a/b)", true),
            ("/home/me/github/x: permission denied", false),
            ("src/github.ts(3,1): error TS2322: no token", false),
            ("src/a.ts:3:1: error: GitHub API", false),
            ("error in test_github_api: 401", false),
            ("FAIL GitHub client handles 502", false),
            ("● GitHub client › handles the rate limit", false),
            ("src/github.test.ts > GitHub API > is called", false),
            ("https://github.com/a/b/issues/1", false),
            ("Error: permission denied, see https://github.com/a/b/issues/404", false),
            ("Error: GitHub badge is crooked", false),
            ("fatal: unable to access 'https://notgithub.com/a/'", false),
            ("fatal: unable to access 'https://github.com.example.org/a/'", false),
            ("fatal: unable to access 'https://gitlab.com/a/github/': 403", false),
            ("GitLab API: rate limited", false),
            ("", false),
        ] {
            assert_eq!(tells_of_github(text), tells, "{text}");
        }
    }

    #[test]
    fn a_remote_is_githubs_by_its_address_or_by_what_it_says() {
        for (text, is_githubs) in [
            ("https://github.com/a/b.git", true),
            ("git@github.com:a/b.git", true),
            ("github.com:a/b.git", true),
            ("ssh://git@ssh.github.com:443/a/b.git", true),
            ("git pushes: unable to access 'https://github.com/a/b.git/': 403", true),
            ("git pushes: this is not allowed by GitHub.", true),
            ("https://gitlab.com/github/b.git", false),
            ("git@gitlab.com:mirrors/github.com/b.git", false),
            ("git pushes: '/home/me/github/b.git' does not appear to be a git repository", false),
            ("/srv/github.com/b.git", false),
            ("https://notgithub.com/a", false),
        ] {
            assert_eq!(names_github(text), is_githubs, "{text}");
        }
    }

    #[test]
    fn its_programs_are_known_wherever_they_lie() {
        for (program, known) in [("gh", true), ("/usr/bin/hub", true), ("ghc", false), ("git", false), ("", false)] {
            assert_eq!(is_githubs(program), known, "{program}");
        }
    }
}
