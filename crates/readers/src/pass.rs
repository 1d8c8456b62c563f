//! One pass over a stream: its lines go to the readers that wait for them, lane by lane.

mod lane_readers;

use std::io;

use referee_model::reading::Excerpt;
use referee_model::record::Stream;

use crate::claim::{Claim, LineReader};
use crate::document::Finder;
use crate::lane::Lanes;
use crate::scan::{Line, Lines};
use crate::seen::{LongLines, Seen};
use crate::source::Source;
use crate::tool::DocumentFormat;
use crate::used::{Place, Used};
use crate::wake::{Compiled, Wakes, Woken};
use lane_readers::{LaneReaders, Shown};

/// Places of lines that were too long, kept to tell which of them are part of a document.
const LONG_LINES_KEPT: usize = 1024;

/// Lanes of one stream that are read apart; further ones are read as one.
const LANES: usize = 64;

/// Readers of one or several owners, such as tools.
pub(crate) struct Pass<'a> {
    /// How many owners there are.
    pub(crate) owners: usize,
    /// All text formats.
    pub(crate) formats: Vec<Format<'a>>,
    /// All document formats, each with the place of its owner.
    pub(crate) documents: Vec<(usize, &'static DocumentFormat)>,
    /// What wakes the readers. None: all are awake.
    pub(crate) compiled: Option<&'a Compiled>,
    /// Whether a line is that of the first reader that uses it, and of no other.
    pub(crate) is_exclusive: bool,
}

/// A text format.
pub(crate) struct Format<'a> {
    /// The place of its owner.
    pub(crate) owner: usize,
    /// Whether lines of others, however many, may stand between two of its own.
    pub(crate) is_patient: bool,
    /// Makes the reader of one lane.
    pub(crate) reader: &'a dyn Fn(bool) -> Box<dyn LineReader>,
}

/// What was read of a stream.
pub(crate) struct Scan {
    /// What the readers claim: the place of the format, the lane, the claim.
    pub(crate) claims: Vec<(usize, Option<String>, Claim)>,
    /// Where documents may begin, by format.
    pub(crate) finders: Vec<Finder>,
    /// What each owner's readers used.
    pub(crate) used: Vec<Used>,
    pub(crate) seen: Seen,
    pub(crate) long_lines: LongLines,
    pub(crate) excerpt: Excerpt,
}

impl Pass<'_> {
    /// Reads a stream. Fails only where the source does.
    pub(crate) fn scan(&self, source: &dyn Source, stream: Stream) -> io::Result<Scan> {
        let mut scan = StreamScan::new(self, stream);
        let mut lines = Lines::new(source.open(stream)?, stream);
        while let Some(line) = lines.next()? {
            scan.line(&line);
        }
        Ok(scan.finish(lines.excerpt()))
    }
}

/// One stream while it is read.
struct StreamScan<'p, 'a> {
    pass: &'p Pass<'a>,
    wakes: Option<Wakes<'a>>,
    lanes: Lanes,
    /// What each lane's readers are at; the first is that of lines nobody named.
    readers: Vec<LaneReaders>,
    finders: Vec<Finder>,
    /// Whether a line with a lone bracket came, below which a document may show whose it is.
    lines_below_bracket: u8,
    /// What each owner's readers used.
    used: Vec<Used>,
    seen: Seen,
    long_lines: LongLines,
    woken: Vec<Woken>,
}

impl<'p, 'a> StreamScan<'p, 'a> {
    fn new(pass: &'p Pass<'a>, stream: Stream) -> Self {
        let is_hinted = pass.compiled.is_none();
        Self {
            pass,
            wakes: pass.compiled.map(Wakes::new),
            lanes: Lanes::default(),
            readers: vec![LaneReaders::new(None, pass, is_hinted)],
            finders: pass.documents.iter().map(|(_, format)| Finder::new(format.opening, is_hinted)).collect(),
            lines_below_bracket: 0,
            used: vec![Used::default(); pass.owners],
            seen: Seen::default(),
            long_lines: LongLines { stream, number: 0, places: Vec::new() },
            woken: Vec::new(),
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        if line.is_cut {
            self.long_lines.number += 1;
            if self.long_lines.places.len() < LONG_LINES_KEPT {
                self.long_lines.places.push(line.start..line.end);
            }
        }
        if !line.is_blank() {
            self.seen.line(line);
        }
        let split = self.lanes.split(&line.text);
        if split.at == 0 {
            return self.show(line, false);
        }
        let rest = line.rest(split.at);
        match split.lane {
            None => self.show(&rest, false),
            Some(name) => {
                let lane = self.lane(name);
                let is_used = self.give(lane, &rest, false);
                // Where nobody reads the lane, the line may mean something as it stands.
                if self.pass.is_exclusive && !is_used {
                    self.show(line, true);
                } else if !self.pass.is_exclusive && !self.readers[lane].is_read {
                    self.show(&line.rest(split.untimed), true);
                }
            }
        }
    }

    /// Returns the place of a lane's readers.
    fn lane(&mut self, name: &str) -> usize {
        let known = self.readers.iter().position(|readers| readers.name.as_deref() == Some(name));
        known.unwrap_or_else(|| {
            if self.readers.len() <= LANES {
                self.readers.push(LaneReaders::new(Some(name), self.pass, self.wakes.is_none()));
            }
            self.readers.len() - 1
        })
    }

    /// Shows a line that nobody named to the readers, and looks for documents in it.
    fn show(&mut self, line: &Line<'_>, is_shared: bool) {
        self.give(0, line, is_shared);
        self.find_documents(line);
    }

    /// Shows a line to the readers of a lane; `is_shared`: another lane's were shown it, too. Returns whether one used it.
    fn give(&mut self, lane: usize, line: &Line<'_>, is_shared: bool) -> bool {
        self.woken.clear();
        if let Some(wakes) = &mut self.wakes {
            wakes.line(&line.text, &mut self.woken);
        }
        let place = (!line.is_blank()).then_some(Place { number: self.seen.number, start: line.start, end: line.end });
        let shown = Shown { line, place, is_shared };
        self.readers[lane].line(&shown, &self.woken, self.pass, self.wakes.as_mut(), &mut self.used)
    }

    fn find_documents(&mut self, line: &Line<'_>) {
        if line.text_start.is_none() || line.is_blank() {
            return;
        }
        let is_bracket = matches!(line.text.trim_end(), "[" | "{" | "[{");
        if is_bracket || 0 < self.lines_below_bracket || self.wakes.is_none() {
            self.lines_below_bracket = if is_bracket { 3 } else { self.lines_below_bracket.saturating_sub(1) };
            for finder in &mut self.finders {
                finder.line(line);
            }
            return;
        }
        let formats = self.pass.formats.len();
        for woken in &self.woken {
            if let Some(document) = usize::from(woken.reader).checked_sub(formats) {
                self.finders[document].line(line);
            }
        }
    }

    /// Ends the stream.
    fn finish(mut self, excerpt: Excerpt) -> Scan {
        let (main, lanes) = self.readers.split_at_mut(1);
        for (format, slot) in main[0].slots.iter_mut().enumerate().filter(|_| !self.pass.is_exclusive) {
            // Until a lane is known to be one, its lines are shown as they stand, too.
            let mut of_lanes = lanes.iter().filter_map(|lane| lane.slots[format].as_ref());
            if slot.as_ref().is_some_and(|slot| !slot.has_own) && of_lanes.any(|slot| slot.was_used) {
                *slot = None;
            }
        }
        let claims = self.readers.into_iter().flat_map(LaneReaders::claims).collect();
        let Self { finders, used, seen, long_lines, .. } = self;
        Scan { claims, finders, used, seen, long_lines, excerpt }
    }
}
