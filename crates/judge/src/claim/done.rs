//! "Done", "the task is complete", "I fixed the bug": that the work is done, and not a part of it.

use super::token::Token;
use super::vocabulary;

/// Whether it says that the work is done.
pub(super) fn is_said(tokens: &[Token]) -> bool {
    let is_filler = |token: &&Token| {
        matches!(token, Token::Good | Token::Pause | Token::Colon)
            || token.word().is_some_and(|word| {
                matches!(
                    word,
                    "all"
                        | "now"
                        | "and"
                        | "the"
                        | "is"
                        | "has"
                        | "been"
                        | "are"
                        | "have"
                        | "successfully"
                        | "fully"
                        | "completely"
                        | "yes"
                        | "ive"
                        | "i"
                        | "we"
                        | "weve"
                        | "just"
                        | "its"
                        | "thats"
                )
            })
    };
    let clauses = tokens.split(|token| matches!(token, Token::Pause) || token.word() == Some("and"));
    clauses.into_iter().any(|clause| {
        let told: Vec<Option<&str>> = clause.iter().filter(|token| !is_filler(token)).map(Token::word).collect();
        match told.as_slice() {
            [Some(only)] => vocabulary::is_done(only) || (*only == "set" && is_all_set(clause)),
            // "The task is complete", "bug fixed".
            [Some(work), Some(done)] if vocabulary::is_work(work) => vocabulary::is_done(done),
            // "Fixed the bug that …": what comes behind says more of it.
            [Some(deed), Some(work), further @ ..] if vocabulary::is_deed(deed) => {
                let goes_on = further.first().is_none_or(|next| next.is_some_and(vocabulary::may_follow_work));
                vocabulary::is_work(work) && goes_on
            }
            [Some("ready"), Some("for"), Some("review" | "merge" | "merging")]
            | [Some("ready"), Some("to"), Some("merge" | "ship")] => true,
            _ => false,
        }
    })
}

fn is_all_set(clause: &[Token]) -> bool {
    clause.iter().any(|token| token.word() == Some("all"))
}
