//! The clauses of a sentence: what stands between two joints, as a row of letters and what is counted in it.

use super::table::Sense;
use super::terms::{Item, Term};
use super::words::Topic;

/// What stands before a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// The beginning, a comma, "and", a line break.
    Plain,
    Colon,
    /// A mark, behind which more may be said of what has it.
    Mark,
    /// "With", which says more of what is before.
    With,
    /// "In", "on", "for": what is before is said of less.
    Limit,
}

/// A clause.
#[derive(Debug)]
pub(super) struct Clause<'items, 'tokens> {
    pub(super) joint: Joint,
    pub(super) items: Vec<&'items Item<'tokens>>,
}

/// Something that can pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) topic: Topic,
    /// The part of it, by the name that a check may have.
    pub(super) part: Option<String>,
    /// How many there are said to be.
    pub(super) number: Option<u64>,
    /// Whether it is called everything.
    pub(super) is_everything: bool,
}

/// A clause that was read.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// One letter for each thing that is said, as [`letter`] gives them.
    pub(super) letters: String,
    pub(super) subjects: Vec<Subject>,
    /// Parts of what the next clause names: "unit" in "unit and integration tests".
    pub(super) parts: Vec<String>,
    pub(super) whole: bool,
    /// A mark, or a number that is all of them.
    pub(super) is_marked: bool,
    pub(super) well: bool,
    /// A number that stands behind the subject, or without one.
    pub(super) number: Option<u64>,
    /// What its words of no errors and of building are about.
    pub(super) topics: Vec<Topic>,
}

/// Splits a sentence.
pub(super) fn clauses<'items, 'tokens>(items: &'items [Item<'tokens>]) -> Vec<Clause<'items, 'tokens>> {
    let mut found = vec![Clause { joint: Joint::Plain, items: Vec::new() }];
    let mut index = 0;
    let last_close = items.iter().rposition(|item| item.term == Term::Close);
    while let Some(item) = items.get(index) {
        index += 1;
        let joint = match item.term {
            Term::And | Term::Pause | Term::Break | Term::Close => Joint::Plain,
            Term::Colon => Joint::Colon,
            Term::Says(Sense::Limit) if item.words().eq(["with"]) => Joint::With,
            Term::Says(Sense::Limit) => Joint::Limit,
            Term::Open => {
                let behind = items.get(index..).unwrap_or_default();
                let inside = || behind.iter().position(|item| item.term == Term::Close);
                let inside = if last_close >= Some(index) { inside() } else { None };
                match inside.and_then(|length| Some((length, behind.get(length + 1)?))) {
                    // "All tests (old and new) pass."
                    Some((length, next)) if goes_on(next) => {
                        let kept = behind.get(..length).unwrap_or_default().iter().filter(|item| !is_beside(item));
                        push(&mut found, kept);
                        index += length + 1;
                        continue;
                    }
                    _ => Joint::Plain,
                }
            }
            Term::Mark => {
                let clause = found.last().map_or(&[][..], |clause| &clause.items);
                let is_leading = clause.first().is_some_and(|first| first.term == Term::Mark);
                if is_leading {
                    found.push(Clause { joint: Joint::Plain, items: Vec::new() });
                }
                let begins = is_leading || clause_is_empty(&found);
                push(&mut found, [item]);
                if !begins {
                    found.push(Clause { joint: Joint::Mark, items: Vec::new() });
                }
                continue;
            }
            _ => {
                push(&mut found, [item]);
                continue;
            }
        };
        found.push(Clause { joint, items: Vec::new() });
    }
    found
}

fn clause_is_empty(found: &[Clause<'_, '_>]) -> bool {
    found.last().is_none_or(|clause| clause.items.is_empty())
}

fn push<'items, 'tokens: 'items>(
    found: &mut [Clause<'items, 'tokens>],
    items: impl IntoIterator<Item = &'items Item<'tokens>>,
) {
    if let Some(clause) = found.last_mut() {
        clause.items.extend(items);
    }
}

/// Whether a clause goes on behind what stands in brackets.
fn goes_on(next: &Item<'_>) -> bool {
    !matches!(
        next.term,
        Term::And
            | Term::Pause
            | Term::Break
            | Term::Colon
            | Term::Open
            | Term::Close
            | Term::Mark
            | Term::Says(Sense::Limit)
    )
}

/// What may stand in brackets in the middle of a clause and makes nothing smaller of it.
fn is_beside(item: &Item<'_>) -> bool {
    matches!(item.term, Term::And | Term::Pause | Term::Says(Sense::Filler | Sense::Whole | Sense::Part))
}

/// Reads a clause. The parts are those that the clause before left.
pub(super) fn shape(items: &[&Item<'_>], mut parts: Vec<String>) -> Shape {
    let mut shape = Shape::default();
    let mut number = None;
    let mut was_subject = false;
    for item in items {
        let is_subject = matches!(item.term, Term::Says(Sense::Subject(_)));
        match item.term {
            Term::Says(Sense::Subject(topic)) => {
                let tool = item.tool();
                let before = shape.subjects.last_mut().filter(|last| was_subject && last.topic == topic);
                if let Some(before) = before {
                    // "Jest tests".
                    before.part = before.part.take().or(tool);
                } else {
                    let is_everything = item.words().next().is_some_and(|word| word.starts_with("everything"));
                    let mut named: Vec<Option<String>> = parts.drain(..).map(Some).collect();
                    if named.is_empty() {
                        named.push(tool);
                    }
                    for part in named {
                        shape.subjects.push(Subject { topic, part, number: number.take(), is_everything });
                    }
                    shape.letters.push('s');
                }
            }
            Term::Says(Sense::Part) => parts.extend(item.words().map(str::to_owned)),
            Term::Number(found) => number = number.or(Some(found)),
            Term::Fraction(found) => {
                number = number.or(Some(found));
                (shape.whole, shape.is_marked) = (true, true);
            }
            Term::Hundred => (shape.whole, shape.is_marked) = (true, true),
            Term::Mark => shape.is_marked = true,
            Term::Says(Sense::Whole) => shape.whole = true,
            Term::Says(Sense::Well) => shape.well = true,
            Term::Says(Sense::Filler | Sense::Total) => {}
            Term::Says(sense) => {
                if let Sense::Makes(topic) = sense {
                    shape.topics.push(topic);
                } else if sense == Sense::Clean {
                    shape.topics.extend(item.topics());
                }
                shape.letters.push(letter(sense));
            }
            _ => shape.letters.push('o'),
        }
        was_subject = is_subject || (was_subject && item.term == Term::Says(Sense::Filler));
    }
    // A part of nothing, where more is said.
    if !parts.is_empty() && !shape.letters.is_empty() {
        shape.letters.push('o');
    } else {
        shape.parts = parts;
    }
    shape.number = number;
    shape
}

/// The letter of what is said.
fn letter(sense: Sense) -> char {
    match sense {
        Sense::Subject(_) => 's',
        Sense::Pass => 'p',
        Sense::Good => 'g',
        Sense::Tidy => 't',
        Sense::Works => 'k',
        Sense::Makes(_) => 'm',
        Sense::Clean => 'z',
        Sense::Project => 'j',
        Sense::Work => 'w',
        Sense::Deed => 'D',
        Sense::Done => 'd',
        Sense::Ready => 'r',
        Sense::Tested => 'v',
        Sense::Finished => 'f',
        Sense::AllGood => 'a',
        Sense::Ran => 'x',
        Sense::Verified => 'q',
        Sense::Pronoun => 'e',
        Sense::Change => 'c',
        Sense::Link => 'l',
        Sense::Thing
        | Sense::Filler
        | Sense::Whole
        | Sense::Part
        | Sense::Well
        | Sense::Limit
        | Sense::Parting
        | Sense::Void
        | Sense::Total => 'o',
    }
}
