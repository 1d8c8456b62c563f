//! The readers of one prefix: which of them are awake, and which lines each is shown.

use referee_model::record::Stream;

use super::{Format, Pass};
use crate::candidate::{Candidate, LineReader, Use};
use crate::prefilter::{Prefilter, Woken};
use crate::scan::Line;
use crate::used::{LineSpan, Used};

/// Number of lines before the waking line that a reader is shown.
const LINES_BEFORE: usize = 8;

/// Number of consecutive unused lines after which a reader goes to sleep, until it is woken again.
const IDLE_LINES: u32 = 24;

/// The same limit for a reader that has used no line since it was woken.
const IDLE_LINES_UNUSED: u32 = 6;

/// The same limit for a reader woken by a doubted literal.
const IDLE_LINES_DOUBTED: u32 = 1;

/// Number of lines before the waking line that such a reader is shown: the heading of that line.
const LINES_BEFORE_DOUBTED: usize = 2;

/// A line as shown to the readers of a prefix.
pub(super) struct Shown<'l> {
    pub(super) line: &'l Line<'l>,
    /// Span of the line, if it is not blank.
    pub(super) place: Option<LineSpan>,
    /// Whether the readers of another prefix are also shown the line.
    pub(super) is_shared: bool,
}

pub(super) struct PrefixReaders {
    pub(super) name: Option<String>,
    /// The reader of each text format, once it was woken.
    pub(super) slots: Vec<Option<Slot>>,
    /// Formats whose readers are shown every line.
    awake: Vec<u16>,
    /// The last lines, kept for a reader that is woken: once there are as many as it is shown, the oldest is
    /// overwritten.
    before: Vec<Before>,
    /// Index of the oldest of them.
    oldest: usize,
    /// Whether a reader used a line of this prefix.
    pub(super) is_read: bool,
    /// Whether a line would have woken the reader of a format that is not read in this pass.
    pub(super) has_deferred: bool,
    /// Number of lines of this prefix so far.
    lines: u64,
    /// The last line that was not blank.
    previous: Option<LineSpan>,
}

/// A reader, with statistics on how useful it has been.
pub(super) struct Slot {
    reader: Box<dyn LineReader>,
    is_awake: bool,
    /// Number of the prefix's lines up to the last one that the reader was shown.
    seen: u64,
    /// Number of consecutive lines that the reader did not use.
    idle: u32,
    /// The literal that woke the reader last, and whether it was doubted.
    woken_by: u16,
    is_doubted: bool,
    /// Whether the reader used a line since it was woken.
    is_used: bool,
    pub(super) was_used: bool,
    /// Whether the reader ever used a line that was shown in this prefix only.
    pub(super) has_own: bool,
}

struct Before {
    text: String,
    text_start: Option<u64>,
    start: u64,
    end: u64,
    place: Option<LineSpan>,
    is_cut: bool,
}

impl PrefixReaders {
    pub(super) fn new(name: Option<&str>, pass: &Pass<'_>, is_hinted: bool) -> Self {
        let slots: Vec<Option<Slot>> = pass
            .formats
            .iter()
            .map(|format| is_hinted.then(|| Slot { is_awake: true, ..Slot::new((format.reader)(true)) }))
            .collect();
        let awake = if is_hinted { (0..).take(slots.len()).collect() } else { Vec::new() };
        let name = name.map(str::to_owned);
        let before = Vec::with_capacity(LINES_BEFORE);
        Self { name, slots, awake, before, oldest: 0, is_read: false, has_deferred: false, lines: 0, previous: None }
    }

    /// Returns whether every reader is shown every line, so that none can be woken.
    pub(super) fn are_awake(&self) -> bool {
        self.awake.len() == self.slots.len()
    }

    /// Returns whether a reader is shown every line.
    pub(super) fn is_awake(&self, reader: usize) -> bool {
        self.slots.get(reader).and_then(Option::as_ref).is_some_and(|slot| slot.is_awake)
    }

    /// Processes a line; returns whether a reader used it.
    pub(super) fn line(
        &mut self,
        shown: &Shown<'_>,
        woken: &[Woken],
        pass: &Pass<'_>,
        mut prefilter: Option<&mut Prefilter<'_>>,
        used: &mut [Used],
    ) -> bool {
        let Shown { line, place, is_shared } = *shown;
        let formats = self.slots.len();
        for woken in woken.iter().filter(|woken| usize::from(woken.reader) < formats) {
            let is_doubted = prefilter.as_ref().is_some_and(|prefilter| prefilter.is_doubted(woken.literal));
            let is_asleep = !self.is_awake(usize::from(woken.reader));
            if is_asleep && (!is_doubted || (pass.formats[usize::from(woken.reader)].may_begin)(&line.text)) {
                self.wake(*woken, is_doubted, line.stream, pass, used);
            }
        }
        self.lines += 1;
        let mut is_used = false;
        let mut at = 0;
        while let Some(format) = self.awake.get(at).copied().map(usize::from) {
            let Some(slot) = &mut self.slots[format] else {
                at += 1;
                continue;
            };
            let Format { owner, is_patient, .. } = pass.formats[format];
            slot.seen = self.lines;
            let uses = note(slot.reader.line(line), self.previous, place, &mut used[owner]);
            slot.is_used |= uses;
            slot.was_used |= uses;
            slot.has_own |= uses && !is_shared;
            is_used |= uses;
            if uses && pass.is_exclusive {
                self.reset_but(format);
                break;
            }
            slot.idle = if uses { 0 } else { slot.idle + u32::from(place.is_some()) };
            // Any amount of a test's output may stand between two lines of its runner.
            let is_patient = is_patient && slot.is_used;
            let patience = match (slot.is_used, slot.is_doubted) {
                (true, _) => IDLE_LINES,
                (false, false) => IDLE_LINES_UNUSED,
                (false, true) => IDLE_LINES_DOUBTED,
            };
            if let Some(prefilter) = &mut prefilter
                && (slot.reader.sleeps() || (patience <= slot.idle && !is_patient))
            {
                prefilter.judge(slot.woken_by, slot.is_used);
                slot.is_awake = false;
                self.awake.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.is_read |= is_used;
        self.previous = place.or(self.previous);
        if prefilter.is_some() && self.are_awake() {
            // All of them have seen this line and those before it.
            self.before.clear();
            self.oldest = 0;
        } else if prefilter.is_some() {
            self.remember(line, place);
        }
        is_used
    }

    /// Discards the unfinished state of all readers except the one that used the line.
    fn reset_but(&mut self, format: usize) {
        let others = self.slots.iter_mut().enumerate().filter(|(other, _)| *other != format);
        others.filter_map(|(_, slot)| slot.as_mut()).for_each(|slot| slot.reader.reset());
    }

    /// Returns the candidates of the readers, each with the index of its format.
    pub(super) fn candidates(self) -> impl Iterator<Item = (usize, Option<String>, Candidate)> {
        let slots = self.slots.into_iter().enumerate();
        slots.filter_map(move |(format, slot)| Some((format, self.name.clone(), slot?.reader.finish()?)))
    }

    /// Wakes a reader, and shows it the preceding lines that it has not seen.
    fn wake(&mut self, woken: Woken, is_doubted: bool, stream: Stream, pass: &Pass<'_>, used: &mut [Used]) {
        let at = usize::from(woken.reader);
        let Format { owner, reader, is_deferred, .. } = &pass.formats[at];
        if *is_deferred {
            self.has_deferred = true;
            return;
        }
        let slot = self.slots[at].get_or_insert_with(|| Slot::new(reader(false)));
        slot.is_awake = true;
        (slot.idle, slot.is_used) = (0, false);
        (slot.woken_by, slot.is_doubted) = (woken.literal, is_doubted);
        self.awake.push(woken.reader);
        if slot.reader.sleeps() && 0 < slot.seen {
            return;
        }
        let most = if is_doubted { LINES_BEFORE_DOUBTED } else { LINES_BEFORE };
        let unseen = usize::try_from(self.lines - slot.seen).map_or(most, |unseen| unseen.min(most));
        let unseen = unseen.min(self.before.len());
        let mut previous = None;
        let (newer, older) = self.before.split_at(self.oldest);
        for before in older.iter().chain(newer).skip(self.before.len() - unseen) {
            let Before { text, text_start, start, end, place, is_cut } = before;
            let (text_start, start, end, is_cut) = (*text_start, *start, *end, *is_cut);
            let line = Line { text_start, is_cut, ..Line::new(text.as_str(), stream, start..end) };
            let uses = note(slot.reader.line(&line), previous, *place, &mut used[*owner]);
            slot.is_used |= uses;
            slot.was_used |= uses;
            slot.has_own |= uses;
            previous = place.or(previous);
        }
    }

    fn remember(&mut self, line: &Line<'_>, place: Option<LineSpan>) {
        let Line { text_start, start, end, is_cut, .. } = *line;
        if self.before.len() < LINES_BEFORE {
            let text = String::from(&*line.text);
            self.before.push(Before { text, text_start, start, end, place, is_cut });
            return;
        }
        let before = &mut self.before[self.oldest];
        self.oldest = (self.oldest + 1) % LINES_BEFORE;
        before.text.clear();
        before.text.push_str(&line.text);
        (before.text_start, before.start, before.end, before.place, before.is_cut) =
            (text_start, start, end, place, is_cut);
    }
}

impl Slot {
    fn new(reader: Box<dyn LineReader>) -> Self {
        Self {
            reader,
            is_awake: false,
            seen: 0,
            idle: 0,
            woken_by: 0,
            is_doubted: false,
            is_used: false,
            was_used: false,
            has_own: false,
        }
    }
}

/// Records how a reader used a line; returns whether it did.
fn note(by_reader: Use, previous: Option<LineSpan>, place: Option<LineSpan>, used: &mut Used) -> bool {
    if by_reader == Use::None {
        return false;
    }
    if by_reader == Use::WithPrevious
        && let Some(previous) = previous
    {
        used.line(previous);
    }
    if let Some(place) = place {
        used.line(place);
    }
    true
}
