//! What a message admits: that something fails, was not done, or is left.

use super::token::Token;
use super::vocabulary::{self, Topic};

/// What a message admits.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    all: bool,
    topics: Vec<Topic>,
    /// That something is left, of whatever.
    rest: bool,
}

impl Admitted {
    /// Takes down what a sentence admits.
    pub(super) fn look(&mut self, tokens: &[Token]) {
        self.rest |= wants_somebody(tokens);
        let words = || tokens.iter().filter_map(Token::word);
        let is_part = |token: &Token| {
            matches!(token, Token::Fraction { passed, of } if passed < of) || matches!(token, Token::Bad)
        };
        let is_fewer = |three: &[Token]| matches!(three, [Token::Number(some), of, Token::Number(all)] if of.word() == Some("of") && some < all);
        let fails =
            tokens.iter().any(is_part) || tokens.windows(3).any(is_fewer) || words().any(vocabulary::is_failure);
        let denials = words().filter(|word| vocabulary::is_denial(word)).count();
        let denies = denials > 0 && words().any(is_deniable);
        let leaves = is_left(tokens);
        let mentions = words().any(|word| vocabulary::is_reservation(word) || matches!(word, "problem" | "problems"));
        // "Fixed the failing test" is over; "still fails" is not, nor "did not fix".
        let lasts = denials > 0
            || words().any(|word| matches!(word, "fail" | "fails" | "still" | "remaining" | "remain" | "remains"));
        let is_over = words().any(vocabulary::is_mended) && !lasts;
        let is_supposed = words().any(|word| matches!(word, "if" | "when" | "whenever" | "would" | "unless"));
        if !(fails || denies || leaves || mentions) || (is_over && !leaves) || is_supposed {
            return;
        }
        let heads = tokens.iter().filter_map(|token| match token {
            Token::Command(topic, _) => Some(*topic),
            Token::Word(word) => vocabulary::head(word).map(|(topic, _)| topic).or_else(|| vocabulary::stem(word)),
            _ => None,
        });
        let topics: Vec<Topic> = heads.collect();
        self.rest = true;
        self.all |= (topics.is_empty() && (fails || denies || leaves)) || topics.contains(&Topic::Everything);
        self.topics.extend(topics);
    }

    /// Whether that takes a claim back.
    pub(super) fn takes_back(&self, claimed: &super::grammar::Claimed) -> bool {
        use super::grammar::Claimed;
        match claimed {
            Claimed::Done | Claimed::Passes { topic: Topic::Everything, .. } => self.rest,
            Claimed::Passes { topic, .. } => self.all || self.topics.contains(topic),
            Claimed::Count(_) => self.all || self.topics.contains(&Topic::Tests),
        }
    }
}

/// Whether something is for somebody else, or for later: who says so has not said that all of it is done.
fn wants_somebody(tokens: &[Token]) -> bool {
    let has = |words: &[&str]| tokens.iter().any(|token| token.is(words));
    let is_later = has(&[
        "todo",
        "todos",
        "followup",
        "followups",
        "leftover",
        "nit",
        "nits",
        "bypassed",
        "noverify",
        "unresolved",
        "extent",
        "yellow",
        "approve",
        "approval",
        "permission",
        "disagrees",
        "objects",
        "refuses",
    ]);
    let is_left = has(&["left"]) && !has(&["nothing", "no", "none"]);
    let is_asked = has(&["need", "needs"]) && has(&["you", "your", "someone", "somebody", "decision", "maintainer"]);
    let is_excepted =
        tokens.windows(2).any(|pair| matches!(pair, [how, of] if how.is(&["exception"]) && of.is(&["of"])));
    is_later || is_left || is_asked || is_excepted
}

/// What somebody admits who denies it.
fn is_deniable(word: &str) -> bool {
    vocabulary::is_passing(word)
        || vocabulary::is_done(word)
        || matches!(
            word,
            "merge"
                | "mergeable"
                | "ready"
                | "run"
                | "ran"
                | "test"
                | "tests"
                | "tested"
                | "verify"
                | "verified"
                | "work"
                | "works"
                | "working"
                | "check"
        )
}

/// "Known issue", "one open item", "two problems left", "skipped".
fn is_left(tokens: &[Token]) -> bool {
    let is_thing = |token: &Token| {
        token.word().is_some_and(|word| {
            matches!(
                word.strip_suffix('s').unwrap_or(word),
                "issue" | "item" | "point" | "problem" | "question" | "violation" | "warning" | "task"
            )
        })
    };
    let is_counted = |token: &Token| matches!(token, Token::Number(1..)) || token.is(&["one", "two", "three"]);
    let plain = tokens.iter().any(|token| {
        token.is(&[
            "caveat",
            "caveats",
            "limitation",
            "limitations",
            "skipped",
            "excluded",
            "unknown",
            "complain",
            "complains",
        ])
    });
    let pairs = tokens.windows(2).any(|pair| match pair {
        [how, what] => {
            is_thing(what) && (is_counted(how) || how.is(&["known", "open", "outstanding"]))
                || is_thing(how) && what.is(&["left", "open"])
        }
        _ => false,
    });
    plain || pairs
}
