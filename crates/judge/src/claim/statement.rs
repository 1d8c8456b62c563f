//! Whether a sentence states something without a reserve.

use super::clause::{self, Clause, Joint};
use super::table::Sense;
use super::terms::{Item, Term};
use super::token::Token;
use super::words::{self, Class};

/// Whether a sentence states something without a reserve.
pub(super) fn is_plain(items: &[Item<'_>]) -> bool {
    let number = |item: &Item<'_>| {
        item.tokens.iter().find_map(|token| match token {
            Token::Number(number) | Token::Fraction { passed: number, .. } => Some(*number),
            _ => None,
        })
    };
    let most = |of: fn(Term) -> bool| items.iter().filter(|item| of(item.term)).filter_map(number).max();
    let total = most(|term| term == Term::Says(Sense::Total));
    let passed = most(|term| matches!(term, Term::Number(_) | Term::Fraction(_)));
    let orders = items.first().and_then(|item| item.words().next()).is_some_and(|word| words::is(word, Class::Order));
    total <= passed && !orders && !has_reserve(&clause::clauses(items))
}

/// Whether something is denied, hoped, asked for or left out. What a change was made for may be denied.
fn has_reserve(clauses: &[Clause<'_, '_>]) -> bool {
    let mut tells = false;
    clauses.iter().any(|clause| {
        tells = is_change(clause) || (tells && matches!(clause.joint, Joint::With | Joint::Limit));
        clause.items.iter().any(|item| item.term == Term::Says(Sense::Void) && !(tells && is_told(item)))
    })
}

/// Whether a clause tells of a change, and of nothing that passes: what failed before may be told there.
fn is_change(clause: &Clause<'_, '_>) -> bool {
    let says = |term: Term| match term {
        Term::Says(sense) => Some(sense),
        _ => None,
    };
    let mut senses = clause.items.iter().filter_map(|item| says(item.term)).filter(|sense| *sense != Sense::Filler);
    let was = clause.items.first().is_some_and(|item| item.words().all(|word| words::is(word, Class::Past)));
    (senses.next().is_some_and(|sense| was || matches!(sense, Sense::Change | Sense::Deed)))
        && senses.all(|sense| !matches!(sense, Sense::Subject(_) | Sense::Pass | Sense::Good | Sense::Tidy))
}

/// What may be told of something that was changed.
fn is_told(item: &Item<'_>) -> bool {
    let tells = |word: &str| {
        [Class::Denial, Class::Failure, Class::Past].iter().any(|class| words::is(word, *class)) || word == "would"
    };
    item.words().next().is_some() && item.words().all(tells)
}
