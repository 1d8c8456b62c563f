//! What a sentence claims: its clauses, held against the few shapes that claim something. Whatever else a sentence says, it
//! may say; a word too much is a reason to look away, for an honest agent is never accused.

use super::clause::{self, Clause, Joint, Shape, Subject};
use super::statement;
use super::table::Sense;
use super::terms::{Item, Term};
use super::words::Topic;

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
const PASSES_WELL: &[&str] = &["sd", "sD", "sx", "xs", "gs"];

/// Clauses that say of something that it passes a subject: "the code passes all tests".
const PASSES_SUBJECT: &[&str] = &["ps", "jps", "wps", "eps"];

/// Clauses that say of the project that it builds.
const BUILDS: &[&str] = &["jm", "jmz", "jmg", "em", "emz", "emg", "wm", "wmz", "sm", "smz", "smg"];

/// Clauses that say that the work is done. `d` is both "done" and what somebody did.
const DONE: &[&str] = &["d", "wd", "ed", "jd", "wr", "er", "jr", "wv", "f", "wf", "ef", "jf", "wdf"];

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
    /// How many tests those are that the clause before claims to pass.
    Number(u64),
    /// Subjects that the next clause may say something of.
    Subjects,
    /// Nothing that matters.
    Nothing,
    Unknown,
}

/// What a sentence said so far.
#[derive(Default)]
struct Said {
    /// Of each clause.
    claims: Vec<Vec<Claimed>>,
    /// Subjects that something may yet be said of.
    pending: Vec<Subject>,
    parts: Vec<String>,
    /// Whether only one clause has words.
    is_alone: bool,
    is_told: bool,
    /// Whether the clause before told of what was mended: where that was makes nothing smaller of it.
    goes_on: bool,
    /// Whether it stands behind "task:".
    is_of_work: bool,
}

impl Said {
    /// Whether the clause before claims something.
    fn follows(&self) -> bool {
        self.claims.last().is_some_and(|claims| !claims.is_empty())
    }

    fn push(&mut self, claims: Vec<Claimed>, goes_on: bool) {
        self.pending.clear();
        self.claims.push(claims);
        (self.is_told, self.goes_on) = (true, goes_on);
    }

    /// Makes something smaller of the clause before. None: there is none, so that it is said of the whole sentence.
    fn limit(&mut self) -> Option<()> {
        self.pending.clear();
        if !self.goes_on {
            self.claims.pop();
        }
        self.is_told.then_some(())
    }
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
        if statement::is_plain(items) { claims.unwrap_or_default() } else { Vec::new() }
    }

    /// None: it speaks of less than the whole.
    fn read(&mut self, items: &[Item<'_>]) -> Option<Vec<Claimed>> {
        let clauses = clause::clauses(items);
        let is_alone = clauses.iter().filter(|clause| !clause.items.is_empty()).count() == 1;
        let mut said = Said { is_alone, ..Said::default() };
        for (index, clause) in clauses.iter().enumerate() {
            let labelled = clauses.get(index + 1).filter(|next| next.joint == Joint::Colon);
            self.add(clause, labelled, &mut said)?;
        }
        let Said { claims, pending, is_of_work, .. } = said;
        if !pending.is_empty() && !matches!(self.antecedent, Antecedent::Known { ran: true, .. }) {
            self.antecedent = Antecedent::Known { subjects: pending, ran: false };
        }
        Some(claims.into_iter().flatten().filter(|claim| !is_of_work || *claim == Claimed::Done).collect())
    }

    /// Adds what a clause says. Behind a label it is of something that has that name.
    fn add(&mut self, clause: &Clause<'_, '_>, labelled: Option<&Clause<'_, '_>>, said: &mut Said) -> Option<()> {
        let shape = clause::shape(&clause.items, std::mem::take(&mut said.parts));
        if labelled.is_some() && !said.is_told {
            match label(&shape) {
                Some(Label::Part) => return None,
                Some(Label::Work) => said.is_of_work = true,
                None => {}
            }
        }
        let is_limit = match clause.joint {
            Joint::With | Joint::Limit => true,
            Joint::Mark => !clause.items.is_empty(),
            Joint::Plain | Joint::Colon => false,
        };
        let follows = said.follows();
        match self.clause(&shape, said) {
            Found::Nothing if clause.joint != Joint::Limit || clause.items.is_empty() => said.parts = shape.parts,
            Found::Claims(mut claims)
                if !is_limit
                    || clause.joint == Joint::Mark
                    || (clause.joint == Joint::With && (follows || shape.letters == "z")) =>
            {
                // "Done: the parser", and a heading above what was done.
                let is_title =
                    labelled.is_some_and(|of| !of.items.is_empty() || matches!(shape.letters.as_str(), "d" | "D"));
                claims.retain(|claim| !is_title || *claim != Claimed::Done);
                said.push(claims, is_whole_deed(&shape, clause));
            }
            Found::Subjects if !is_limit || clause.joint == Joint::Mark => {
                (said.is_told, said.goes_on) = (true, false);
            }
            Found::Number(number) => {
                if let Some(before) = said.claims.last_mut() {
                    before.insert(0, Claimed::Count(number));
                }
            }
            Found::Unknown if !is_limit => said.push(Vec::new(), is_whole_deed(&shape, clause)),
            // "In Docker, all tests pass." "All tests pass on Linux."
            Found::Nothing | Found::Claims(_) | Found::Subjects | Found::Unknown => {
                if let Antecedent::Known { ran, .. } = self.antecedent {
                    self.antecedent = Antecedent::Unclear { ran };
                }
                return said.limit();
            }
        }
        Some(())
    }

    fn clause(&mut self, shape: &Shape, said: &mut Said) -> Found {
        let pending = &said.pending;
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
        if let Some(subjects) = self.referring(&plain, shape, said.is_alone) {
            return self.pass(subjects, shape);
        }
        // "All tests pass (42/42)."
        if let (true, Some(number), true) = (plain.is_empty() && shape.is_marked, shape.number, said.follows()) {
            return Found::Number(number);
        }
        if matches!(plain.as_str(), "jk" | "wk") {
            return Found::Claims(vec![Claimed::Passes { topic: Topic::Everything, part: None }]);
        }
        let done = plain.replace('D', "d");
        let is_all = || subjects.iter().all(|subject| subject.is_everything);
        if (DONE.contains(&done.as_str()) || (ALL_DONE.contains(&done.as_str()) && is_all())) && shape.number.is_none()
            || plain == "Dw"
            || plain.starts_with("Dwl")
            || (plain == "Ds" && is_all())
        {
            return Found::Claims(vec![Claimed::Done]);
        }
        self.rest(&plain, shape, &mut said.pending, subjects)
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

/// "I fixed the bug in the parser" is the whole of it, but "I finished the work on the parser" is a part.
fn is_whole_deed(shape: &Shape, clause: &Clause<'_, '_>) -> bool {
    let finishes = |item: &Item<'_>| item.words().any(|word| matches!(word, "completed" | "finished"));
    shape.letters.starts_with("Dw") && !clause.items.iter().any(|item| finishes(item))
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

/// What stands before a colon.
enum Label {
    /// "Backend: all tests pass."
    Part,
    /// "Task: all tests pass."
    Work,
}

fn label(shape: &Shape) -> Option<Label> {
    let letters = shape.letters.as_str();
    let is_part =
        (letters.contains('o') && letters.len() <= 4 && letters.bytes().all(|letter| b"owdD".contains(&letter)))
            || (letters.is_empty() && !shape.parts.is_empty());
    if is_part {
        return Some(Label::Part);
    }
    (letters == "w").then_some(Label::Work)
}
