//! Matches a text with the steps of a [`Program`], by trying alternatives in their order and going back where one
//! fails. What is found is what the `regex` crate finds; its automata are linear in every case, and slower in
//! most: this matcher gives up a text on which it goes back too often.

use smallvec::SmallVec;

use super::program::{Program, Run, Slot, Step};

/// Effort allowed for a text of no length, and for each byte.
const EFFORT: usize = 1_000;
const EFFORT_PER_BYTE: usize = 8;

/// Number of bytes that are passed over with the effort of one step.
const BYTES_PER_STEP: usize = 32;

/// Maximum number of alternatives that are kept to go back to.
const ALTERNATIVES: usize = 4_096;

/// Number of alternatives that are kept without an allocation.
const ALTERNATIVES_NEARBY: usize = 32;

/// The value of a slot that nothing was recorded in.
pub(super) const UNSET: u32 = u32::MAX;

/// The effort allowed for a text is used up.
#[derive(Debug)]
pub(super) struct Exhausted;

/// What is done to go back.
#[derive(Debug, Clone, Copy)]
enum Alternative {
    /// Goes on with a step at a position.
    Step { step: usize, at: usize },
    /// Ends a run at one of the positions from one to another.
    Run { step: usize, from: usize, to: usize },
    /// Restores a slot.
    Slot { slot: usize, was: u32 },
}

impl Program {
    /// Matches a text; `slots` are then the positions of the groups. Returns whether it matches.
    pub(super) fn matches(&self, text: &str, slots: &mut [u32]) -> Result<bool, Exhausted> {
        if u32::try_from(text.len()).is_err() {
            return Err(Exhausted);
        }
        let effort = EFFORT + EFFORT_PER_BYTE * text.len();
        Matcher { program: self, text, slots, alternatives: SmallVec::new(), effort }.search()
    }
}

struct Matcher<'m> {
    program: &'m Program,
    text: &'m str,
    slots: &'m mut [u32],
    alternatives: SmallVec<[Alternative; ALTERNATIVES_NEARBY]>,
    effort: usize,
}

impl Matcher<'_> {
    fn search(&mut self) -> Result<bool, Exhausted> {
        let Some(begins) = &self.program.begins else { return self.matches_at(0) };
        for at in 0..=self.text.len() {
            let may_begin = match self.text.as_bytes().get(at) {
                Some(byte) => begins.has(*byte) && self.text.is_char_boundary(at),
                None => true,
            };
            if may_begin && self.matches_at(at)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn matches_at(&mut self, start: usize) -> Result<bool, Exhausted> {
        self.slots.fill(UNSET);
        self.slots[0] = position(start);
        let (mut step, mut at) = (0, start);
        loop {
            self.spend(1)?;
            let bytes = self.text.as_bytes();
            let end = match &self.program.steps[step] {
                Step::Text(text) => {
                    let is_begun = bytes.get(at) == Some(&text[0]);
                    let is_at = is_begun && (text.len() == 1 || bytes[at + 1..].starts_with(&text[1..]));
                    is_at.then(|| at + text.len())
                }
                Step::Character(set) => set.end(self.text, at),
                Step::Run(run) => self.run(run, step, at)?,
                Step::Slot(slot) => {
                    self.record(*slot, at);
                    Some(at)
                }
                Step::Fork(one, other) if one.next.is_at(self.text, at) => {
                    if other.next.is_at(self.text, at) {
                        self.keep(Alternative::Step { step: other.step, at })?;
                    }
                    step = one.step;
                    continue;
                }
                Step::Fork(_, other) => {
                    step = other.step;
                    continue;
                }
                Step::Jump(to) => {
                    step = *to;
                    continue;
                }
                Step::Start => (at == 0).then_some(at),
                Step::End => (at == bytes.len()).then_some(at),
                Step::WordBoundary => is_word_boundary(bytes, at).then_some(at),
                Step::Match => {
                    self.slots[1] = position(at);
                    return Ok(true);
                }
            };
            match end {
                Some(end) => (step, at) = (step + 1, end),
                None => match self.go_back()? {
                    Some(alternative) => (step, at) = alternative,
                    None => return Ok(false),
                },
            }
        }
    }

    fn spend(&mut self, effort: usize) -> Result<(), Exhausted> {
        self.effort = self.effort.checked_sub(effort).ok_or(Exhausted)?;
        Ok(())
    }

    fn keep(&mut self, alternative: Alternative) -> Result<(), Exhausted> {
        if self.alternatives.len() == ALTERNATIVES {
            return Err(Exhausted);
        }
        self.alternatives.push(alternative);
        Ok(())
    }

    /// Returns the step and the position to go on with, if an alternative is left.
    fn go_back(&mut self) -> Result<Option<(usize, usize)>, Exhausted> {
        while let Some(alternative) = self.alternatives.pop() {
            self.spend(1)?;
            let (step, end) = match alternative {
                Alternative::Slot { slot, was } => {
                    self.slots[slot] = was;
                    continue;
                }
                Alternative::Step { step, at } => return Ok(Some((step, at))),
                Alternative::Run { step, from, to } => (step, self.run_end(step, from, to)?),
            };
            if let Some(end) = end {
                return Ok(Some((step + 1, end)));
            }
        }
        Ok(None)
    }

    fn record(&mut self, slot: Slot, at: usize) {
        let Slot { number: slot, is_certain } = slot;
        let was = std::mem::replace(&mut self.slots[slot], position(at));
        if !is_certain && !self.alternatives.is_empty() {
            self.alternatives.push(Alternative::Slot { slot, was });
        }
    }

    /// Returns where a run ends first, and keeps the other ends.
    fn run(&mut self, run: &Run, step: usize, at: usize) -> Result<Option<usize>, Exhausted> {
        let last = run.set.run_end(self.text, at, run.most);
        self.spend((last - at) / BYTES_PER_STEP)?;
        let Some(first) = (0..run.least).try_fold(at, |at, _| run.set.end(self.text, at)) else { return Ok(None) };
        if let Some([start, _]) = run.group {
            self.record(start, at);
        }
        if !run.is_whole {
            return self.run_end(step, first, last);
        }
        let end = run.next.is_at(self.text, last).then_some(last);
        self.end_group(run, end);
        Ok(end)
    }

    /// Returns the first of the positions from one to another at which a run can end and a match go on, and keeps the
    /// others. For a greedy one, the first is the last.
    fn run_end(&mut self, step: usize, from: usize, to: usize) -> Result<Option<usize>, Exhausted> {
        let program = self.program;
        let Step::Run(run) = &program.steps[step] else { return Ok(None) };
        let next = &run.next;
        let end = if run.is_greedy { next.last(self.text, from, to) } else { next.first(self.text, from, to) };
        let Some(end) = end else { return Ok(None) };
        let (from, to) = if run.is_greedy { (from, end) } else { (end + 1, to + 1) };
        if from < to {
            self.keep(Alternative::Run { step, from, to: to - 1 })?;
        }
        self.end_group(run, Some(end));
        Ok(Some(end))
    }

    fn end_group(&mut self, run: &Run, end: Option<usize>) {
        if let (Some([_, slot]), Some(end)) = (run.group, end) {
            self.record(slot, end);
        }
    }
}

/// Returns a position in few bytes, or [`UNSET`] beyond them: such long texts are not matched here.
pub(super) fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(UNSET)
}

fn is_word_boundary(bytes: &[u8], at: usize) -> bool {
    let is_word = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    is_word(at.checked_sub(1)) != is_word(Some(at))
}
