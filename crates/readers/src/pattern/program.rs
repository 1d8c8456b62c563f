//! A regular expression as the steps of a matcher: what [`super::backtrack`] runs.
//!
//! Most of a pattern for lines is a sequence of texts and of repeated characters, such as `[^:]+` or `.*?`. Each of
//! those is one step, which knows the bytes that can follow it, so that the matcher searches for the next candidate
//! instead of trying every character.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use super::bytes::{Bytes, Side};

/// Maximum number of steps; beyond it, an expression has none.
const STEPS: usize = 2_000;

/// An expression's steps.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    /// The bytes that a match can begin with; `None` if it begins where the text does.
    pub(super) begins: Option<Bytes>,
}

#[derive(Debug)]
pub(super) enum Step {
    Text(Box<[u8]>),
    Character(Set),
    Run(Run),
    Slot(Slot),
    /// Goes on with the first of two steps, or else with the second.
    Fork(Branch, Branch),
    Jump(usize),
    Start,
    End,
    /// Stands between a word of ASCII letters and something else.
    WordBoundary,
    Match,
}

/// Where a position is recorded: that of a group's start or end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) number: usize,
    /// Whether every match records it, so that nothing needs to be restored when the matcher goes back.
    pub(super) is_certain: bool,
}

/// A step to go on with, and what its match can begin with.
#[derive(Debug)]
pub(super) struct Branch {
    pub(super) step: usize,
    pub(super) next: Next,
}

/// A repeated character.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) set: Set,
    pub(super) least: u32,
    pub(super) most: Option<u32>,
    pub(super) is_greedy: bool,
    /// The slots of the group that consists of the run.
    pub(super) group: Option<[Slot; 2]>,
    pub(super) next: Next,
    /// Whether nothing in the set can follow, so that a match takes all of the characters.
    pub(super) is_whole: bool,
}

/// What can follow a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Next {
    pub(super) bytes: Bytes,
    /// The only byte, if there is one, and the end of the text cannot follow.
    pub(super) only: Option<u8>,
    pub(super) is_end: bool,
}

/// A set of characters.
#[derive(Debug, Clone)]
pub(super) struct Set {
    /// The characters of ASCII; and the bytes of all others, if all of them are in the set.
    pub(super) bytes: Bytes,
    /// The other characters, if only some of them are in the set.
    others: Option<Box<[(char, char)]>>,
    /// The only byte of a text that is not in the set, if there is just one.
    stop: Option<u8>,
}

impl Program {
    /// Returns the steps of an expression, or `None` if it holds what they cannot do.
    pub(super) fn of(hir: &Hir) -> Option<Self> {
        let mut steps = Steps { list: Vec::new(), branches: 0 };
        steps.add(hir)?;
        steps.push(Step::Match)?;
        let mut program = Self { begins: begins(hir), steps: steps.list };
        for at in 0..program.steps.len() {
            program.look_ahead(at);
        }
        Some(program)
    }

    /// Sets what can follow a step.
    fn look_ahead(&mut self, at: usize) {
        match &self.steps[at] {
            Step::Run(_) => {
                let next = self.next(at + 1);
                if let Step::Run(run) = &mut self.steps[at] {
                    run.is_whole = run.set.others.is_none() && !next.bytes.meets(&run.set.bytes);
                    run.next = next;
                }
            }
            Step::Fork(one, other) => {
                let [one, other] = [one.step, other.step].map(|step| Branch { step, next: self.next(step) });
                self.steps[at] = Step::Fork(one, other);
            }
            _ => {}
        }
    }

    /// Returns what can follow where the matcher goes on with a step.
    fn next(&self, step: usize) -> Next {
        let mut next = Next::default();
        let mut is_seen = vec![false; self.steps.len()];
        let mut left = vec![step];
        while let Some(step) = left.pop() {
            if !std::mem::replace(&mut is_seen[step], true) {
                self.follow(step, &mut next, &mut left);
            }
        }
        next.only = next.bytes.only().filter(|_| !next.is_end);
        next
    }

    /// Adds what a step begins with, or else the steps that the matcher goes on with.
    fn follow(&self, step: usize, next: &mut Next, left: &mut Vec<usize>) {
        match &self.steps[step] {
            Step::Text(text) => next.bytes.add(text[0], text[0]),
            Step::Character(set) => set.add_to(&mut next.bytes),
            Step::Run(run) => {
                run.set.add_to(&mut next.bytes);
                left.extend((run.least == 0).then_some(step + 1));
            }
            Step::Fork(one, other) => left.extend([one.step, other.step]),
            Step::Jump(to) => left.push(*to),
            Step::End => next.is_end = true,
            Step::Match => {
                next.bytes = Bytes::all();
                next.is_end = true;
            }
            Step::Slot(_) | Step::Start | Step::WordBoundary => left.push(step + 1),
        }
    }
}

/// Returns the bytes that a match can begin with, or `None` if it must begin where the text does.
fn begins(hir: &Hir) -> Option<Bytes> {
    if hir.properties().look_set_prefix().contains(Look::Start) {
        return None;
    }
    let mut bytes = Bytes::default();
    Some(if bytes.take(hir, Side::First) { Bytes::all() } else { bytes })
}

/// The steps written so far.
struct Steps {
    list: Vec<Step>,
    /// Number of branches and loops around what is written next.
    branches: u32,
}

impl Steps {
    fn push(&mut self, step: Step) -> Option<()> {
        self.list.push(step);
        (self.list.len() <= STEPS).then_some(())
    }

    /// Keeps room for a step that is known later, and returns its index.
    fn reserve(&mut self) -> Option<usize> {
        self.push(Step::Jump(0))?;
        Some(self.list.len() - 1)
    }

    fn add(&mut self, hir: &Hir) -> Option<()> {
        match hir.kind() {
            HirKind::Empty => Some(()),
            HirKind::Literal(text) => self.push(Step::Text(text.0.clone())),
            HirKind::Class(class) => self.push(Step::Character(Set::of(class)?)),
            HirKind::Look(Look::Start) => self.push(Step::Start),
            HirKind::Look(Look::End) => self.push(Step::End),
            HirKind::Look(Look::WordAscii) => self.push(Step::WordBoundary),
            HirKind::Look(_) => None,
            HirKind::Repetition(repetition) => match Run::of(repetition) {
                Some(run) => self.push(Step::Run(run)),
                None => self.repetition(repetition),
            },
            HirKind::Capture(group) => self.group(usize::try_from(group.index).ok()?, &group.sub),
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.add(part)),
            HirKind::Alternation(parts) => self.alternation(parts),
        }
    }

    fn add_branch(&mut self, hir: &Hir) -> Option<()> {
        self.branches += 1;
        let added = self.add(hir);
        self.branches -= 1;
        added
    }

    fn group(&mut self, group: usize, hir: &Hir) -> Option<()> {
        let is_certain = self.branches == 0;
        let slots @ [start, end] = [2 * group, 2 * group + 1].map(|number| Slot { number, is_certain });
        if let HirKind::Repetition(repetition) = hir.kind()
            && let Some(run) = Run::of(repetition)
        {
            return self.push(Step::Run(Run { group: Some(slots), ..run }));
        }
        self.push(Step::Slot(start))?;
        self.add(hir)?;
        self.push(Step::Slot(end))
    }

    fn alternation(&mut self, parts: &[Hir]) -> Option<()> {
        let (last, others) = parts.split_last()?;
        let mut jumps = Vec::with_capacity(others.len());
        for part in others {
            let fork = self.reserve()?;
            self.add_branch(part)?;
            jumps.push(self.reserve()?);
            self.list[fork] = fork_between(true, fork + 1, self.list.len());
        }
        self.add_branch(last)?;
        let end = self.list.len();
        for jump in jumps {
            self.list[jump] = Step::Jump(end);
        }
        Some(())
    }

    /// Adds what is repeated, unless it is a single character.
    fn repetition(&mut self, repetition: &Repetition) -> Option<()> {
        let Repetition { min: least, max: most, greedy: is_greedy, sub } = repetition;
        // What matches nothing would be repeated for ever.
        sub.properties().minimum_len().filter(|length| 0 < *length)?;
        (0..*least).try_for_each(|_| self.add_branch(sub))?;
        let Some(most) = most else {
            let fork = self.reserve()?;
            self.add_branch(sub)?;
            self.push(Step::Jump(fork))?;
            self.list[fork] = fork_between(*is_greedy, fork + 1, self.list.len());
            return Some(());
        };
        let mut forks = Vec::new();
        for _ in *least..*most {
            forks.push(self.reserve()?);
            self.add_branch(sub)?;
        }
        let end = self.list.len();
        for fork in forks {
            self.list[fork] = fork_between(*is_greedy, fork + 1, end);
        }
        Some(())
    }
}

impl Run {
    /// Returns what is repeated, if it is a single character.
    fn of(repetition: &Repetition) -> Option<Self> {
        let Repetition { min: least, max: most, greedy: is_greedy, sub } = repetition;
        let set = match sub.kind() {
            HirKind::Class(class) => Set::of(class)?,
            HirKind::Literal(text) => Set::of_character(&text.0)?,
            _ => return None,
        };
        let (least, most, is_greedy) = (*least, *most, *is_greedy);
        Some(Self { set, least, most, is_greedy, group: None, next: Next::default(), is_whole: false })
    }
}

fn fork_between(is_greedy: bool, more: usize, end: usize) -> Step {
    let [one, other] = if is_greedy { [more, end] } else { [end, more] };
    let [one, other] = [one, other].map(|step| Branch { step, next: Next::default() });
    Step::Fork(one, other)
}

impl Next {
    /// Returns whether a match can go on at a position.
    #[inline]
    pub(super) fn is_at(&self, text: &str, at: usize) -> bool {
        text.as_bytes().get(at).map_or(self.is_end, |byte| self.bytes.has(*byte))
    }

    /// Returns the first of the positions from one to another at which a match can go on.
    pub(super) fn first(&self, text: &str, from: usize, to: usize) -> Option<usize> {
        let bytes = &text.as_bytes()[..text.len().min(to + 1)];
        if let Some(only) = self.only {
            return memchr::memchr(only, &bytes[from..]).map(|at| from + at);
        }
        let mut at = from;
        while let Some(next) = bytes[at..].iter().position(|byte| self.bytes.has(*byte)) {
            at += next;
            if text.is_char_boundary(at) {
                return Some(at);
            }
            at += 1;
        }
        (self.is_end && to == text.len()).then_some(to)
    }

    /// Returns the last of these positions.
    pub(super) fn last(&self, text: &str, from: usize, to: usize) -> Option<usize> {
        if self.is_end && to == text.len() {
            return Some(to);
        }
        let bytes = &text.as_bytes()[from..text.len().min(to + 1)];
        if let Some(only) = self.only {
            return memchr::memrchr(only, bytes).map(|at| from + at);
        }
        let mut end = bytes.len();
        while let Some(at) = bytes[..end].iter().rposition(|byte| self.bytes.has(*byte)) {
            if text.is_char_boundary(from + at) {
                return Some(from + at);
            }
            end = at;
        }
        None
    }
}

impl Set {
    fn of(class: &Class) -> Option<Self> {
        let mut bytes = Bytes::default();
        let mut others = Vec::new();
        match class {
            Class::Bytes(class) => {
                class.is_ascii().then_some(())?;
                class.iter().for_each(|range| bytes.add(range.start(), range.end()));
            }
            Class::Unicode(class) => {
                for range in class.iter() {
                    let (from, to) = (range.start(), range.end());
                    if from.is_ascii() {
                        let last = if to.is_ascii() { to } else { '\x7f' };
                        bytes.add(u8::try_from(from).ok()?, u8::try_from(last).ok()?);
                    }
                    if !to.is_ascii() {
                        others.push((from.max('\u{80}'), to));
                    }
                }
            }
        }
        if others == [('\u{80}', char::MAX)] {
            others.clear();
            bytes.add(0x80, 0xff);
        }
        let stop = bytes.all_but().filter(|_| others.is_empty());
        Some(Self { bytes, others: (!others.is_empty()).then(|| others.into()), stop })
    }

    /// Returns the set of one character, if the text is one.
    fn of_character(text: &[u8]) -> Option<Self> {
        let [byte] = text else { return None };
        let mut bytes = Bytes::default();
        bytes.add(*byte, *byte);
        byte.is_ascii().then_some(Self { bytes, others: None, stop: None })
    }

    fn add_to(&self, bytes: &mut Bytes) {
        bytes.add_all(&self.bytes);
        if self.others.is_some() {
            bytes.add(0x80, 0xff);
        }
    }

    /// Returns where the character at a position ends, if it is in the set.
    pub(super) fn end(&self, text: &str, at: usize) -> Option<usize> {
        let byte = *text.as_bytes().get(at)?;
        if byte.is_ascii() {
            return self.bytes.has(byte).then_some(at + 1);
        }
        let character = text[at..].chars().next()?;
        let is_in = match &self.others {
            None => self.bytes.has(byte),
            Some(others) => others.iter().any(|(from, to)| (*from..=*to).contains(&character)),
        };
        is_in.then(|| at + character.len_utf8())
    }

    /// Returns where characters of the set end from a position on, of which there may be a limited number.
    pub(super) fn run_end(&self, text: &str, from: usize, most: Option<u32>) -> usize {
        // A text has no more characters than bytes.
        let is_unlimited = most.is_none_or(|most| text.len() - from <= most as usize);
        if is_unlimited && self.others.is_none() {
            let rest = &text.as_bytes()[from..];
            let length = match self.stop {
                Some(stop) => memchr::memchr(stop, rest),
                None => rest.iter().position(|byte| !self.bytes.has(*byte)),
            };
            return length.map_or(text.len(), |length| from + length);
        }
        let mut at = from;
        for _ in 0..most.unwrap_or(u32::MAX) {
            let Some(end) = self.end(text, at) else { break };
            at = end;
        }
        at
    }
}
