//! Claims of a whole message; what the message itself admits or leaves open is not claimed.

use std::collections::BTreeSet;

use referee_model::gate::{CheckStanding, GateAnswer, GateCheck};
use referee_model::plan::Role;

use super::phrases::{self, Language, OTHERS};
use super::scan::{self, Item};
use super::sentence::{self, Claim};
use super::{facts, handback, markdown};

/// Number of bytes examined, from the end of the message: the conclusion is there.
pub(super) const MESSAGE_BYTES: usize = 64 * 1024;

/// Maximum length of a quoted claim, in characters.
const QUOTED_CHARACTERS: usize = 160;

/// Words that say that a failure is over.
const OVER: &str = "fixed solved resolved repaired corrected addressed handled caused before longer now had was \
     previously originally initially earlier were used formerly old";

#[derive(Debug, Default)]
pub(super) struct Message {
    /// Claims in order of the message, each once, with their words.
    pub(super) claims: Vec<(Claim, String)>,
    told: Vec<Sentence>,
    admitted: Admitted,
}

/// A sentence of a message, or an aside within it, with its claims.
#[derive(Debug)]
struct Sentence {
    /// In lower case, as words with one space before and after each.
    words: String,
    /// Whether it describes a change: that tests were written says nothing about their result.
    is_change: bool,
    claims: Vec<Claim>,
}

#[derive(Debug, Default)]
struct Admitted {
    something: bool,
    everything: bool,
    roles: Vec<Role>,
}

pub(super) fn read(message: &str) -> Message {
    let end = ending(message);
    let languages = unreserved(end);
    let (mut reader, mut found) = (sentence::Reader::new(), Message::default());
    for statement in markdown::statements(end) {
        let mut told = Sentence { words: plain(&statement.said), is_change: false, claims: Vec::new() };
        if !statement.is_aside {
            let words = scan::words(&statement.text);
            let items = scan::items(&words);
            found.admitted.add(&items);
            told.is_change = items.iter().any(|item| item.says == 'c') && sentence::is_plain(&items);
            told.claims = reader.claims(&items);
            told.claims.extend(languages.iter().flat_map(|language| language.claims(&statement.text)));
        }
        found.add(&told.claims, &statement.said);
        found.told.push(told);
    }
    if let Some(words) = handback::done(end) {
        found.add(&[Claim::Done], &words);
    }
    let Message { claims, admitted, .. } = &mut found;
    claims.retain(|(claim, _)| !admitted.takes_back(claim));
    found
}

impl Message {
    fn add(&mut self, claims: &[Claim], said: &str) {
        for claim in claims {
            if !self.claims.iter().any(|(other, _)| other == claim) {
                let words: Vec<&str> = said.split_whitespace().collect();
                let words =
                    words.join(" ").chars().filter(|character| *character != '*').take(QUOTED_CHARACTERS).collect();
                self.claims.push((claim.clone(), words));
            }
        }
    }

    /// Returns whether the message has several numbers of tests, or names several test runners, so that a
    /// number may belong to any.
    pub(super) fn tells_of_several(&self) -> bool {
        let numbers = self.claims.iter().filter(|(claim, _)| matches!(claim, Claim::Count(_))).count();
        numbers > 1 || self.told.iter().flat_map(Sentence::runners).collect::<BTreeSet<&str>>().len() > 1
    }

    /// Returns whether a sentence mentions a blocking check without saying that it passes: a message that
    /// speaks of a problem, in whatever words, does not hide it.
    pub(super) fn leaves_open(&self, answer: &GateAnswer) -> bool {
        let checks = answer.tasks.iter().flat_map(|task| &task.checks);
        let mut blocking = checks.filter(|check| check.standing == CheckStanding::Blocking);
        blocking.any(|check| {
            let (role, names) = (facts::role(check), names(check, answer));
            self.told.iter().any(|told| told.leaves_open(role, &names))
        })
    }
}

impl Sentence {
    /// Returns the test runners that it names: `pytest`, and `cargo` of `cargo test`.
    fn runners(&self) -> impl Iterator<Item = &str> {
        let words = self.words.split_whitespace();
        let before = std::iter::once("").chain(words.clone());
        before.zip(words).filter_map(|(before, word)| match word {
            "test" if phrases::is_ecosystem(before) => Some(before),
            _ => Some(word).filter(|word| phrases::is_in("TESTER", word)),
        })
    }

    fn leaves_open(&self, role: Option<Role>, names: &[String]) -> bool {
        let passes = |claim: &Claim| match claim {
            Claim::Done => false,
            Claim::Count(_) => role == Some(Role::Test),
            Claim::Passes { role: passing, .. } => passing.is_none() || *passing == role,
        };
        let is_of_role = |word: &str| role.is_some_and(|role| phrases::roles(word).any(|other| other == role));
        let is_of_all = |word: &str| matches!(word, "ci" | "gate" | "pipeline" | "verdict" | "referee");
        let is_writing = role == Some(Role::Test) && self.is_change;
        !self.claims.iter().any(passes)
            && (self.words.split(' ').any(|word| is_of_all(word) || (!is_writing && is_of_role(word)))
                || names.iter().any(|name| self.words.contains(name.as_str())))
    }
}

/// Returns the words by which a check is known: its name, the tools that reported its findings, and their codes.
fn names(check: &GateCheck, answer: &GateAnswer) -> Vec<String> {
    let causes = answer.causes.iter().filter(|cause| cause.check.as_deref() == Some(check.name.as_str()));
    let of_causes = causes.flat_map(|cause| [cause.code.as_deref(), cause.tool.as_deref()]).flatten();
    let names = [check.name.as_str(), check.action.as_str()].into_iter().chain(of_causes).map(plain);
    names.filter(|name| name.len() > 3).collect()
}

impl Admitted {
    /// Adds what a sentence admits: that something fails, was not done, or is left. Problems that were fixed do
    /// not count.
    fn add(&mut self, items: &[Item<'_>]) {
        let has = |letters: &str| items.iter().any(|item| letters.contains(item.says));
        let words: Vec<&str> = items.iter().filter(|item| !item.is_idiom()).flat_map(Item::words).collect();
        let says = |list: &str| list.split(' ').any(|word| words.contains(&word));
        let denies = has("N") && (has("spgtkmdCDrfvqxa") || says("run verify verified merge mergeable"));
        let lasts = has("N") || says("fail fails still remaining remain remains");
        let is_over = !lasts && says(OVER);
        let is_so = !is_over && !has("H");
        // "Let me know if you need anything" is not a request.
        self.something |= has("L") || (has("A") && !has("."));
        let fails = has("R") || (is_so && (has("F-") || denies));
        if !(fails || is_so && says("problem problems")) {
            return;
        }
        let subjects: Vec<&Item<'_>> = items.iter().filter(|item| item.is_subject()).collect();
        self.something = true;
        self.everything |= fails && subjects.iter().all(|item| item.roles().is_empty());
        self.everything |= subjects.iter().any(|item| item.says == 's' && item.role().is_none());
        self.roles.extend(subjects.iter().flat_map(|item| item.roles()));
    }

    fn takes_back(&self, claim: &Claim) -> bool {
        let role = match claim {
            Claim::Done | Claim::Passes { role: None, .. } => return self.something,
            Claim::Passes { role: Some(role), .. } => *role,
            Claim::Count(_) => Role::Test,
        };
        self.everything || self.roles.contains(&role)
    }
}

/// Returns the languages in which the message has no reservation. A reservation applies to the whole message.
fn unreserved(message: &str) -> Vec<&'static Language> {
    let lower = message.to_lowercase();
    let words: BTreeSet<&str> = lower.split(|character: char| !character.is_alphanumeric()).collect();
    let is_reserve = |reserve: &str| match reserve.chars().next() {
        Some('\u{2e80}'..) => lower.contains(reserve),
        _ => words.contains(reserve),
    };
    OTHERS.iter().filter(|language| !language.reserves.iter().copied().any(is_reserve)).collect()
}

impl Language {
    pub(super) fn claims(&self, text: &str) -> Vec<Claim> {
        let lower = text.to_lowercase().replace('’', "'");
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        let tests = says(&self.tests).then_some(Claim::Passes { role: Some(Role::Test), part: None });
        tests.into_iter().chain(says(&self.done).then_some(Claim::Done)).collect()
    }
}

/// Returns the end of a message, from the beginning of a line, and not from within a code block.
fn ending(message: &str) -> &str {
    let Some(start) = message.len().checked_sub(MESSAGE_BYTES).filter(|start| *start > 0) else { return message };
    let tail = message.get(message.ceil_char_boundary(start)..).unwrap_or_default();
    let tail = tail.split_once('\n').map_or("", |(_, after)| after);
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    if tail.lines().filter(is_fence).count().is_multiple_of(2) {
        return tail;
    }
    tail.split_once("```").and_then(|(_, after)| after.split_once('\n')).map_or("", |(_, after)| after)
}

/// Returns a text in lower case, as words with one space before and after each.
fn plain(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |plain, word| plain + word + " ")
}
