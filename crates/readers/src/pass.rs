//! One pass over a stream: its lines are dispatched to the readers that wait for them, separately for each
//! prefix.

mod prefix_readers;

use std::io;

use referee_model::reading::Excerpt;
use referee_model::record::Stream;

use crate::candidate::{Candidate, LineReader};
use crate::document::Finder;
use crate::prefilter::{Compiled, Prefilter, Woken};
use crate::prefix::{Prefixes, Split};
use crate::scan::{Line, Lines};
use crate::seen::{LongLines, Seen};
use crate::source::Source;
use crate::tool::DocumentFormat;
use crate::used::{LineSpan, Used};
use prefix_readers::{PrefixReaders, Shown};

/// Maximum number of prefixes of one stream that are read separately; further ones are read together.
const PREFIXES: usize = 64;

/// Readers of one or several owners, such as tools.
pub(crate) struct Pass<'a> {
    /// Number of owners.
    pub(crate) owners: usize,
    pub(crate) formats: Vec<Format<'a>>,
    /// All document formats, each with the index of its owner.
    pub(crate) documents: Vec<(usize, &'static DocumentFormat)>,
    /// The texts that wake readers. `None`: all readers are always awake.
    pub(crate) compiled: Option<&'a Compiled>,
    /// Whether the command names the owner, so that forms count which are not recognizable on their own.
    pub(crate) is_hinted: bool,
    /// Whether a line goes only to the first reader that uses it.
    pub(crate) is_exclusive: bool,
}

pub(crate) struct Format<'a> {
    pub(crate) owner: usize,
    /// Whether any number of unrelated lines may stand between two lines of the format.
    pub(crate) is_patient: bool,
    /// Whether the format is not read in this pass; it is only noted that a line would wake its reader.
    pub(crate) is_deferred: bool,
    /// Returns whether a line that would wake the reader can begin anything.
    pub(crate) may_begin: Box<dyn Fn(&str) -> bool + 'a>,
    /// Creates the reader of one prefix.
    pub(crate) reader: Box<dyn Fn(bool) -> Box<dyn LineReader> + 'a>,
}

/// Result of scanning one stream.
pub(crate) struct Scan {
    /// Candidates: index of the format, prefix, candidate.
    pub(crate) candidates: Vec<(usize, Option<String>, Candidate)>,
    /// Positions at which documents may begin, by format.
    pub(crate) finders: Vec<Finder>,
    /// Whether a line would have woken the reader of a format that is not read in this pass.
    pub(crate) has_deferred: bool,
    /// Lines used by the readers of each owner.
    pub(crate) used: Vec<Used>,
    pub(crate) seen: Seen,
    pub(crate) long_lines: LongLines,
    pub(crate) excerpt: Excerpt,
}

impl Pass<'_> {
    /// Reads a stream. Fails only if the source fails.
    pub(crate) fn scan(&self, source: &dyn Source, stream: Stream) -> io::Result<Scan> {
        Ok(self.scan_beside(None, source, stream)?.0)
    }

    /// Reads a stream, and with another pass, too, which is given up as soon as this one makes something of a line.
    pub(crate) fn scan_beside(
        &self,
        other: Option<&Pass<'_>>,
        source: &dyn Source,
        stream: Stream,
    ) -> io::Result<(Scan, Option<Scan>)> {
        let mut scan = StreamScan::new(self);
        let mut beside = other.map(StreamScan::new);
        let mut prefixes = Prefixes::default();
        let mut seen = Seen::default();
        let mut long_lines = LongLines::new(stream);
        let signs = self.compiled.and_then(|compiled| compiled.any_of_all.as_ref());
        let mut lines = Lines::new(source.open(stream)?, stream).signs(signs);
        while let Some(line) = lines.next()? {
            long_lines.line(&line);
            seen.line(&line);
            let split = prefixes.split(&line);
            scan.line(&line, split, seen.number);
            if let Some(other) = &mut beside {
                other.line(&line, split, seen.number);
                if scan.is_read {
                    beside = None;
                }
            }
        }
        let beside = beside.map(|other| other.finish(seen.clone(), long_lines.clone(), lines.excerpt()));
        Ok((scan.finish(seen, long_lines, lines.excerpt()), beside))
    }
}

/// State while one stream is scanned.
struct StreamScan<'p, 'a> {
    pass: &'p Pass<'a>,
    prefilter: Option<Prefilter<'a>>,
    /// Readers of each prefix; the first entry is for lines without a prefix.
    readers: Vec<PrefixReaders>,
    finders: Vec<Finder>,
    /// Number of lines below a lone bracket that may still identify a document.
    lines_below_bracket: u8,
    /// Lines used by the readers of each owner.
    used: Vec<Used>,
    woken: Vec<Woken>,
    /// Number of lines of the stream so far that are not blank.
    number: u64,
    /// Whether a reader used a line, or a document may begin.
    is_read: bool,
}

impl<'p, 'a> StreamScan<'p, 'a> {
    fn new(pass: &'p Pass<'a>) -> Self {
        let is_hinted = pass.is_hinted;
        Self {
            pass,
            prefilter: pass.compiled.map(Prefilter::new),
            readers: vec![PrefixReaders::new(None, pass, is_hinted)],
            finders: pass.documents.iter().map(|(_, format)| Finder::new(format.opening, is_hinted)).collect(),
            lines_below_bracket: 0,
            used: vec![Used::default(); pass.owners],
            woken: Vec::new(),
            number: 0,
            is_read: false,
        }
    }

    fn line(&mut self, line: &Line<'_>, split: Split<'_>, number: u64) {
        self.number = number;
        if split.at == 0 {
            return self.show(line, false);
        }
        let rest = line.rest(split.at);
        match split.prefix {
            None => self.show(&rest, false),
            Some(name) => {
                let prefix = self.prefix(name);
                let is_used = self.give(prefix, &rest, false);
                // If no reader uses the prefix, the line may be meaningful as a whole.
                if self.pass.is_exclusive && !is_used {
                    self.show(line, true);
                } else if !self.pass.is_exclusive && !self.readers[prefix].is_read {
                    self.show(&line.rest(split.untimed), true);
                }
            }
        }
    }

    /// Returns the index of the readers of a prefix.
    fn prefix(&mut self, name: &str) -> usize {
        let known = self.readers.iter().position(|readers| readers.name.as_deref() == Some(name));
        known.unwrap_or_else(|| {
            if self.readers.len() <= PREFIXES {
                self.readers.push(PrefixReaders::new(Some(name), self.pass, self.pass.is_hinted));
            }
            self.readers.len() - 1
        })
    }

    /// Shows a line without a prefix to the readers, and looks for documents in it.
    fn show(&mut self, line: &Line<'_>, is_shared: bool) {
        self.give(0, line, is_shared);
        self.find_documents(line);
    }

    /// Shows a line to the readers of a prefix; `is_shared` says that those of another prefix see it too.
    /// Returns whether a reader used it.
    fn give(&mut self, prefix: usize, line: &Line<'_>, is_shared: bool) -> bool {
        self.woken.clear();
        let readers = &self.readers[prefix];
        // The signs of lines are those of the tool that the command names.
        let is_quiet = self.pass.is_hinted && (!line.has_sign || readers.are_awake());
        if let Some(prefilter) = self.prefilter.as_mut().filter(|_| !is_quiet) {
            prefilter.line(&line.text, |reader| readers.is_awake(reader), &mut self.woken);
        }
        let place = (!line.is_blank).then_some(LineSpan { number: self.number, start: line.start, end: line.end });
        let shown = Shown { line, place, is_shared };
        let is_used =
            self.readers[prefix].line(&shown, &self.woken, self.pass, self.prefilter.as_mut(), &mut self.used);
        self.is_read |= is_used;
        is_used
    }

    fn find_documents(&mut self, line: &Line<'_>) {
        if line.text_start.is_none() || line.is_blank {
            return;
        }
        let is_bracket = line.text.starts_with(['[', '{']) && matches!(line.text.trim_end(), "[" | "{" | "[{");
        if is_bracket || 0 < self.lines_below_bracket || self.pass.is_hinted && line.has_bracket {
            self.lines_below_bracket = if is_bracket { 3 } else { self.lines_below_bracket.saturating_sub(1) };
            for finder in &mut self.finders {
                self.is_read |= finder.line(line);
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

    fn finish(mut self, seen: Seen, long_lines: LongLines, excerpt: Excerpt) -> Scan {
        let (main, prefixes) = self.readers.split_at_mut(1);
        for (format, slot) in main[0].slots.iter_mut().enumerate().filter(|_| !self.pass.is_exclusive) {
            // Until a prefix is confirmed, its lines are also shown without removing it.
            let mut of_prefixes = prefixes.iter().filter_map(|prefix| prefix.slots[format].as_ref());
            if slot.as_ref().is_some_and(|slot| !slot.has_own) && of_prefixes.any(|slot| slot.was_used) {
                *slot = None;
            }
        }
        let has_deferred = self.readers.iter().any(|readers| readers.has_deferred);
        let candidates = self.readers.into_iter().flat_map(PrefixReaders::candidates).collect();
        let Self { finders, used, .. } = self;
        Scan { candidates, finders, has_deferred, used, seen, long_lines, excerpt }
    }
}
