//! What a sentence claims: its clauses, held against the few shapes that claim something. Whatever else a sentence says, it
//! may say; a word too much is a reason to look away, for an honest agent is never accused.

use super::clause::{self, Clause, Joint, Shape, Subject};
use super::table::Sense;
use super::terms::{Item, Term};
use super::token::Token;
use super::words::{self, Class, Topic};

/// What is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claimed {
    /// That the work is done.
    Done,
    /// That something passes; of a part of it, by the name that a check may have.
    Passes { topic: Topic, part: Option<String> },
    /// That so many tests passed.
    Count(u64),
}

/// Clauses of a subject that passes. In all shapes "passes", "is green" and "is clean" are `g`; the other letters are those of
/// [`clause`].
const PASSES: &[&str] =
    &["sg", "sgg", "sgz", "sz", "szz", "szg", "sa", "xsg", "xsz", "xszz", "sxz", "sDz", "sdz", "qs"];

/// Clauses of a subject that passes where they say that it went well, or have a mark.
const PASSES_WELL: &[&str] = &["sd", "sD", "sx", "xs"];

/// Clauses that say of something that it passes a subject: "the code passes all tests".
const PASSES_SUBJECT: &[&str] = &["ps", "jps", "wps", "eps"];

/// Clauses that say of the project that it builds.
const BUILDS: &[&str] = &["jm", "jmz", "jmg", "em", "emz", "emg", "wm", "wmz", "sm", "smz", "smg"];

/// Clauses that say that the work is done. `d` is both "done" and what somebody did.
const DONE: &[&str] = &["d", "wd", "ed", "jd", "wr", "er", "jr", "f", "wf", "ef", "jf", "wdf"];

/// Clauses that say it of everything.
const ALL_DONE: &[&str] = &["sd", "sr", "sf"];

/// Longest sentence that is looked at, in items.
const ITEMS: usize = 400;

/// What "they", "all" and "no errors" are said of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Antecedent {
    /// Nothing was said yet.
    Start,
    /// Nothing that can pass.
    Other,
    /// Something that can pass, and nobody knows what.
    Unclear {
        ran: bool,
    },
    Known {
        subjects: Vec<Subject>,
        ran: bool,
    },
}

/// Reads the sentences of a message one after another.
#[derive(Debug)]
pub(super) struct Reader {
    antecedent: Antecedent,
    /// Whether it is of the sentence before.
    is_fresh: bool,
}

/// What a clause says.
enum Found {
    Claims(Vec<Claimed>),
    /// Subjects that the next clause may say something of.
    Subjects,
    /// Nothing that matters.
    Nothing,
    Unknown,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { antecedent: Antecedent::Start, is_fresh: false }
    }

    /// Returns what a sentence claims.
    pub(super) fn claims(&mut self, items: &[Item<'_>]) -> Vec<Claimed> {
        if let Antecedent::Known { ran, .. } | Antecedent::Unclear { ran } = &mut self.antecedent {
            *ran &= self.is_fresh;
        }
        let before = self.antecedent.clone();
        // What is said in parting is said of nothing.
        let parting = items.iter().position(|item| item.term == Term::Says(Sense::Parting)).filter(|index| *index > 0);
        let items = items.get(..parting.unwrap_or(items.len())).unwrap_or_default();
        let claims = if items.len() > ITEMS { None } else { self.read(items) };
        self.is_fresh = self.antecedent != before;
        if is_statement(items) { claims.unwrap_or_default() } else { Vec::new() }
    }

    /// None: it speaks of less than the whole.
    fn read(&mut self, items: &[Item<'_>]) -> Option<Vec<Claimed>> {
        let mut found: Vec<Vec<Claimed>> = Vec::new();
        let mut pending: Vec<Subject> = Vec::new();
        let (mut parts, mut goes_on, mut is_told) = (Vec::new(), false, false);
        let clauses = clause::clauses(items);
        let told = clauses.iter().filter(|clause| !clause.items.is_empty()).count();
        for (index, clause) in clauses.iter().enumerate() {
            let shape = clause::shape(&clause.items, std::mem::take(&mut parts));
            let is_followed_by_colon = clauses.get(index + 1).is_some_and(|next| next.joint == Joint::Colon);
            if is_followed_by_colon && is_label(&shape) && !is_told {
                return None;
            }
            let is_limit = matches!(clause.joint, Joint::With | Joint::Limit);
            let is_deed = shape.letters.starts_with("Dw");
            let alone = told == 1 && !clause.items.is_empty();
            let follows = found.last().is_some_and(|claims| !claims.is_empty());
            match self.clause(&shape, &mut pending, alone, follows) {
                Found::Nothing => parts = shape.parts,
                Found::Claims(mut claims) if !is_limit || (clause.joint == Joint::With && follows) => {
                    pending.clear();
                    // "Done: the parser."
                    claims.retain(|claim| !is_followed_by_colon || *claim != Claimed::Done);
                    goes_on = is_deed;
                    found.push(claims);
                    is_told = true;
                }
                Found::Subjects if !is_limit => (is_told, goes_on) = (true, false),
                Found::Unknown if !is_limit => {
                    pending.clear();
                    (is_told, goes_on) = (true, is_deed);
                    found.push(Vec::new());
                }
                // "In Docker, all tests pass." "All tests pass on Linux."
                Found::Claims(_) | Found::Subjects | Found::Unknown => {
                    pending.clear();
                    if let Antecedent::Known { ran, .. } = self.antecedent {
                        self.antecedent = Antecedent::Unclear { ran };
                    }
                    if !is_told {
                        return None;
                    }
                    if !goes_on {
                        found.pop();
                    }
                }
            }
        }
        if !pending.is_empty() && !matches!(self.antecedent, Antecedent::Known { ran: true, .. }) {
            self.antecedent = Antecedent::Known { subjects: pending, ran: false };
        }
        Some(found.into_iter().flatten().collect())
    }

    fn clause(&mut self, shape: &Shape, pending: &mut Vec<Subject>, alone: bool, follows: bool) -> Found {
        let mut plain = shape.letters.replace(['p', 't'], "g");
        let is_of_pending = !plain.contains('s') && !pending.is_empty();
        if is_of_pending {
            plain = format!("s{}", plain.replace('e', ""));
        }
        let is_one = |shapes: &[&str]| shapes.contains(&plain.as_str());
        let well = shape.well || shape.is_marked;
        let is_run = matches!(self.antecedent, Antecedent::Known { ran: true, .. });
        // "I ran lint, and the tests pass": not lint.
        let others = pending.iter().filter(|_| !is_run || is_of_pending || plain == "s");
        let mut subjects: Vec<Subject> = others.chain(&shape.subjects).cloned().collect();
        if is_one(PASSES)
            || (well && (is_one(PASSES_WELL) || plain == "s"))
            || PASSES_SUBJECT.contains(&shape.letters.as_str())
            || (plain == "sk" && subjects.iter().all(|subject| can_work(subject, shape.whole)))
        {
            // Clean tests are tidy ones.
            let is_tidy = shape.letters.contains('t') && !shape.letters.contains(['p', 'g']);
            subjects.retain(|subject| !is_tidy || subject.topic != Topic::Tests);
            return self.pass(subjects, shape);
        }
        if is_one(BUILDS) && subjects.iter().all(|subject| matches!(subject.topic, Topic::Everything | Topic::Types)) {
            let of_verb = shape.topics.first().copied().unwrap_or(Topic::Build);
            let is_types = subjects.iter().any(|subject| subject.topic == Topic::Types);
            return self.pass_topics(&[if is_types { Topic::Types } else { of_verb }]);
        }
        if matches!(plain.as_str(), "z" | "zz" | "jz" | "wz" | "ez" | "xz") && !shape.topics.is_empty() {
            return self.pass_topics(&shape.topics);
        }
        if let Some(subjects) = self.referring(&plain, shape, alone) {
            return self.pass(subjects, shape);
        }
        // "All tests pass (42/42)."
        if let (true, Some(number), true) = (plain.is_empty() && shape.is_marked, shape.number, follows) {
            return Found::Claims(vec![Claimed::Count(number)]);
        }
        if matches!(plain.as_str(), "jk" | "wk") {
            return Found::Claims(vec![Claimed::Passes { topic: Topic::Everything, part: None }]);
        }
        let done = plain.replace('D', "d");
        let is_all = || subjects.iter().all(|subject| subject.is_everything);
        if (DONE.contains(&done.as_str()) || (ALL_DONE.contains(&done.as_str()) && is_all())) && shape.number.is_none()
            || plain == "Dw"
            || plain.starts_with("Dwl")
        {
            return Found::Claims(vec![Claimed::Done]);
        }
        self.rest(&plain, shape, pending, subjects)
    }

    /// What claims nothing by itself.
    fn rest(&mut self, plain: &str, shape: &Shape, pending: &mut Vec<Subject>, subjects: Vec<Subject>) -> Found {
        let is_empty = shape.letters.is_empty();
        if is_empty && (shape.subjects.is_empty() || !pending.is_empty()) {
            return Found::Nothing;
        }
        if matches!(plain, "s" | "xs") {
            if plain == "xs" {
                self.antecedent = Antecedent::Known { subjects: subjects.clone(), ran: true };
            } else if let Antecedent::Known { subjects: known, ran: true } = &mut self.antecedent
                && !pending.is_empty()
            {
                known.clone_from(&subjects);
            }
            *pending = subjects;
            return Found::Subjects;
        }
        let ran = shape.letters.contains('x');
        let speaks = ran || shape.number.is_some() || shape.letters.contains('s');
        if speaks {
            self.antecedent = Antecedent::Unclear { ran };
        } else if self.antecedent == Antecedent::Start {
            self.antecedent = Antecedent::Other;
        }
        Found::Unknown
    }

    /// "They pass", "all green", "no errors", "42 passed": of what was spoken of.
    fn referring(&self, plain: &str, shape: &Shape, alone: bool) -> Option<Vec<Subject>> {
        let is_counted = shape.number.is_some();
        let everything = || vec![Subject { topic: Topic::Everything, part: None, number: None, is_everything: false }];
        let is_all = matches!(plain, "a" | "ea");
        let refers = is_all || matches!(plain, "eg" | "z" | "zz" | "xz" | "xg");
        match &self.antecedent {
            Antecedent::Known { subjects, .. } if refers || (plain == "g" && (shape.whole || is_counted)) => {
                Some(subjects.clone())
            }
            Antecedent::Start if matches!(plain, "z" | "zz") => Some(everything()),
            Antecedent::Start | Antecedent::Other if is_all && !is_counted && alone => Some(everything()),
            _ => None,
        }
    }

    fn pass_topics(&mut self, topics: &[Topic]) -> Found {
        let of = |topic: &Topic| Subject { topic: *topic, part: None, number: None, is_everything: false };
        let subjects: Vec<Subject> = topics.iter().map(of).collect();
        self.pass(subjects, &Shape::default())
    }

    /// Says of subjects that they pass. Everything is all that was run, where that was told just before.
    fn pass(&mut self, subjects: Vec<Subject>, shape: &Shape) -> Found {
        let is_everything = subjects.iter().any(|subject| subject.is_everything) && !shape.letters.contains('k');
        let subjects = match &self.antecedent {
            Antecedent::Known { subjects, ran: true } if is_everything => subjects.clone(),
            Antecedent::Unclear { ran: true } if is_everything => return Found::Unknown,
            _ => subjects,
        };
        let claims: Vec<Claimed> = subjects.iter().flat_map(|subject| claims(subject, shape)).collect();
        if claims.is_empty() {
            return Found::Unknown;
        }
        self.antecedent = Antecedent::Known { subjects, ran: false };
        Found::Claims(claims)
    }
}

/// What is claimed where a subject passes.
fn claims(subject: &Subject, shape: &Shape) -> Vec<Claimed> {
    let is_tests = subject.topic == Topic::Tests && subject.part.is_none();
    let number = subject.number.or(shape.number).filter(|_| is_tests);
    let passes = Claimed::Passes { topic: subject.topic, part: subject.part.clone() };
    match (subject.number, number) {
        // "13 checks" are others than these.
        (Some(_), None) => Vec::new(),
        // "12 tests pass" leaves open how many there are.
        (Some(_), Some(number)) if !shape.whole && !shape.letters.contains('z') => vec![Claimed::Count(number)],
        (_, Some(number)) => vec![Claimed::Count(number), passes],
        (None, None) => vec![passes],
    }
}

fn can_work(subject: &Subject, whole: bool) -> bool {
    match subject.topic {
        Topic::Everything | Topic::Build => true,
        Topic::Tests => whole,
        Topic::Types | Topic::Lint | Topic::Format => false,
    }
}

/// "Backend: all tests pass."
fn is_label(shape: &Shape) -> bool {
    (!shape.letters.is_empty() || !shape.parts.is_empty())
        && shape.letters.len() <= 3
        && shape.letters.bytes().all(|letter| letter == b'o')
}

/// Whether a sentence states something without a reserve.
pub(super) fn is_statement(items: &[Item<'_>]) -> bool {
    let number = |item: &Item<'_>| {
        item.tokens.iter().find_map(|token| match token {
            Token::Number(number) | Token::Fraction { passed: number, .. } => Some(*number),
            _ => None,
        })
    };
    let most = |of: fn(Term) -> bool| items.iter().filter(|item| of(item.term)).filter_map(number).max();
    let total = most(|term| term == Term::Says(Sense::Total));
    let passed = most(|term| matches!(term, Term::Number(_) | Term::Fraction(_)));
    total <= passed
        && clause::clauses(items)
            .iter()
            .fold((true, false), |(states, tells), clause| {
                let tells = is_change(clause) || (tells && matches!(clause.joint, Joint::With | Joint::Limit));
                let is_reserve = |item: &&Item<'_>| item.term == Term::Says(Sense::Void) && !(tells && is_told(item));
                (states && !clause.items.iter().copied().any(|item| is_reserve(&item)), tells)
            })
            .0
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
