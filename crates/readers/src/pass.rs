//! One pass over a log: each line goes to the readers that wait for it, and then one tool is believed.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read};
use std::sync::OnceLock;

use referee_model::plan::Role;
use referee_model::reading::{ChosenBecause, Excerpts, Reading};
use referee_model::record::Stream;

use crate::choose::{Candidate, Laned, choose, fill_leftovers};
use crate::claim::{LineReader, Use};
use crate::document::{Finder, Place as DocumentPlace};
use crate::hint::Hint;
use crate::lane::Lanes;
use crate::registry;
use crate::scan::{Line, Lines};
use crate::seen::{LongLines, Seen};
use crate::source::Source;
use crate::tool::{DocumentFormat, LineFormat, Tool};
use crate::used::{Place, Used};
use crate::wake::{Compiled, Wakes, Woken};

const BUFFER_BYTES: usize = 128 * 1024;

/// Broken documents of one stream whose bytes are read a second time, for other documents within them.
const REREADS: u32 = 16;

/// Places of lines that were too long, kept to tell which of them are part of a document.
const LONG_LINES_KEPT: usize = 1024;

/// Lines that a reader is shown of what came before the line that woke it.
const LINES_BEFORE: usize = 8;

/// Lines in a row that a reader may not use before it is shown no more of them, until something wakes it again.
const IDLE_LINES: u32 = 24;

/// The same where it used none at all since it was woken.
const IDLE_LINES_UNUSED: u32 = 6;

/// The same where what woke it did so time and again for nothing.
const IDLE_LINES_DOUBTED: u32 = 1;

/// Lines before that such a reader is shown: the heading of what woke it.
const LINES_BEFORE_DOUBTED: usize = 2;

/// Lanes of one stream that are read apart; further ones are read as one.
const LANES: usize = 64;

/// What wakes the readers of all tools, made when it is first needed.
static COMPILED: OnceLock<Compiled> = OnceLock::new();

/// Reads the output of one attempt. Fails only where the source does.
pub fn read(source: &dyn Source, hint: &Hint) -> io::Result<Reading> {
    if let Some(tool) = hint.tool.as_deref().and_then(registry::named) {
        let reading = Pass::new(source, vec![tool], None).read(hint, ChosenBecause::Command)?;
        if reading.reader.is_some() {
            return Ok(reading);
        }
    }
    let compiled = COMPILED.get_or_init(|| Compiled::new(waits(registry::TOOLS)));
    Pass::new(source, registry::TOOLS.to_vec(), Some(compiled)).read(hint, ChosenBecause::Content)
}

/// What the readers of some tools wait for: first those of all text formats, then those of all documents.
fn waits<'a>(tools: &'a [&'static Tool]) -> impl Iterator<Item = &'static [&'static str]> + 'a {
    let lines = tools.iter().flat_map(|tool| tool.lines.iter().map(|format| format.wakes));
    lines.chain(tools.iter().flat_map(|tool| tool.documents.iter().map(|format| format.opening.compact)))
}

/// Some tools over one log.
struct Pass<'a> {
    source: &'a dyn Source,
    tools: Vec<&'static Tool>,
    /// All text formats, each with the place of its tool.
    formats: Vec<(usize, &'static LineFormat)>,
    /// All document formats, each with the place of its tool.
    documents: Vec<(usize, &'static DocumentFormat)>,
    /// What wakes the readers. None: all are awake.
    compiled: Option<&'a Compiled>,
}

impl<'a> Pass<'a> {
    fn new(source: &'a dyn Source, tools: Vec<&'static Tool>, compiled: Option<&'a Compiled>) -> Self {
        let numbered = || tools.iter().enumerate();
        let formats = numbered().flat_map(|(at, tool)| tool.lines.iter().map(move |format| (at, format))).collect();
        let documents =
            numbered().flat_map(|(at, tool)| tool.documents.iter().map(move |format| (at, format))).collect();
        Self { source, tools, formats, documents, compiled }
    }

    fn read(&self, hint: &Hint, because: ChosenBecause) -> io::Result<Reading> {
        let mut candidates: Vec<Candidate> = self.tools.iter().map(|tool| Candidate::new(tool)).collect();
        let mut excerpts = Excerpts::default();
        let mut long_lines = Vec::new();
        let mut lines = [Seen::default(), Seen::default()];
        for stream in Stream::ALL {
            let mut scan = StreamScan::new(self, stream);
            let mut reader = Lines::new(self.source.open(stream)?, stream);
            while let Some(line) = reader.next()? {
                scan.line(&line);
            }
            match stream {
                Stream::Stdout => excerpts.stdout = reader.excerpt(),
                Stream::Stderr => excerpts.stderr = reader.excerpt(),
            }
            lines[stream as usize] = std::mem::take(&mut scan.seen);
            long_lines.push(scan.finish(&mut candidates)?);
        }
        let (mut reading, used) = choose(self.source, candidates, hint, because, &long_lines);
        fill_leftovers(self.source, &mut reading, &used, &lines)?;
        reading.excerpts = excerpts;
        Ok(reading)
    }
}

/// One stream while it is read.
struct StreamScan<'p, 'a> {
    pass: &'p Pass<'a>,
    stream: Stream,
    wakes: Option<Wakes<'a>>,
    lanes: Lanes,
    /// What each lane's readers are at; the first is that of lines nobody named.
    readers: Vec<LaneReaders>,
    finders: Vec<Finder>,
    /// Whether a line with a lone bracket came, below which a document may show whose it is.
    lines_below_bracket: u8,
    /// What each tool used.
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
            stream,
            wakes: pass.compiled.map(Wakes::new),
            lanes: Lanes::default(),
            readers: vec![LaneReaders::new(None, pass, is_hinted)],
            finders: pass.documents.iter().map(|(_, format)| Finder::new(format.opening, is_hinted)).collect(),
            lines_below_bracket: 0,
            used: vec![Used::default(); pass.tools.len()],
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
                self.give(lane, &rest, false);
                // Where nobody reads the lane, the line may mean something as it stands.
                if !self.readers[lane].is_read {
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

    /// Shows a line to the readers of a lane; `is_shared`: another lane's were shown it, too.
    fn give(&mut self, lane: usize, line: &Line<'_>, is_shared: bool) {
        self.woken.clear();
        if let Some(wakes) = &mut self.wakes {
            wakes.line(&line.text, &mut self.woken);
        }
        let place = (!line.is_blank()).then_some(Place { number: self.seen.number, start: line.start, end: line.end });
        let shown = Shown { line, place, is_shared };
        self.readers[lane].line(&shown, &self.woken, self.pass, self.wakes.as_mut(), &mut self.used);
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

    /// Ends the stream: what its readers found goes to the candidates.
    fn finish(mut self, candidates: &mut [Candidate]) -> io::Result<LongLines> {
        let stream = self.stream;
        let (main, lanes) = self.readers.split_at_mut(1);
        for (format, slot) in main[0].slots.iter_mut().enumerate() {
            // Until a lane is known to be one, its lines are shown as they stand, too.
            let mut of_lanes = lanes.iter().filter_map(|lane| lane.slots[format].as_ref());
            if slot.as_ref().is_some_and(|slot| !slot.has_own) && of_lanes.any(|slot| slot.was_used) {
                *slot = None;
            }
        }
        for lane in self.readers {
            for ((tool, _), slot) in self.pass.formats.iter().zip(lane.slots) {
                if let Some(claim) = slot.and_then(|slot| slot.reader.finish()) {
                    candidates[*tool].claims.push(Laned { lane: lane.name.clone(), stream, claim });
                }
            }
        }
        for ((tool, format), finder) in self.pass.documents.iter().zip(self.finders) {
            let is_hinted = self.wakes.is_none();
            let used = &mut self.used[*tool];
            read_documents(self.pass.source, stream, format, finder, &mut candidates[*tool], used, is_hinted)?;
        }
        for (candidate, used) in candidates.iter_mut().zip(self.used) {
            candidate.used[stream as usize] = used;
        }
        Ok(self.long_lines)
    }
}

/// A line as the readers of a lane are shown it.
struct Shown<'l> {
    line: &'l Line<'l>,
    /// Where it stands, if it is not blank.
    place: Option<Place>,
    /// Whether those of another lane were shown it, too.
    is_shared: bool,
}

/// The readers of one lane.
struct LaneReaders {
    name: Option<String>,
    /// The reader of each text format, once it was woken.
    slots: Vec<Option<Slot>>,
    /// Those that are shown every line.
    awake: Vec<u16>,
    /// The last lines, for a reader that is woken.
    before: VecDeque<Before>,
    /// Whether a reader used a line of it.
    is_read: bool,
    /// Lines of this lane so far.
    lines: u64,
    /// The last line that was not blank.
    previous: Option<Place>,
}

/// A reader, and how long it has been of no use.
struct Slot {
    reader: Box<dyn LineReader>,
    is_awake: bool,
    /// Lines of the lane that it was shown, or that came while it slept.
    seen: u64,
    /// Lines in a row that it did not use.
    idle: u32,
    /// The literal that woke it last, and whether it was doubted.
    woken_by: u16,
    is_doubted: bool,
    /// Whether it used a line since it was woken.
    is_used: bool,
    /// Whether it ever used one.
    was_used: bool,
    /// Whether it ever used one that stands in its lane alone.
    has_own: bool,
}

/// A line that came before.
struct Before {
    text: String,
    text_start: Option<u64>,
    start: u64,
    end: u64,
    place: Option<Place>,
    is_cut: bool,
}

impl LaneReaders {
    fn new(name: Option<&str>, pass: &Pass<'_>, is_hinted: bool) -> Self {
        let slots: Vec<Option<Slot>> = pass
            .formats
            .iter()
            .map(|(_, format)| is_hinted.then(|| Slot { is_awake: true, ..Slot::new((format.reader)(true)) }))
            .collect();
        let awake = if is_hinted { (0..).take(slots.len()).collect() } else { Vec::new() };
        let name = name.map(str::to_owned);
        Self { name, slots, awake, before: VecDeque::new(), is_read: false, lines: 0, previous: None }
    }

    /// Takes a line.
    fn line(
        &mut self,
        shown: &Shown<'_>,
        woken: &[Woken],
        pass: &Pass<'_>,
        mut wakes: Option<&mut Wakes<'_>>,
        used: &mut [Used],
    ) {
        let Shown { line, place, is_shared } = *shown;
        let formats = self.slots.len();
        for woken in woken.iter().filter(|woken| usize::from(woken.reader) < formats) {
            let is_doubted = wakes.as_ref().is_some_and(|wakes| wakes.is_doubted(woken.literal));
            self.wake(*woken, is_doubted, line.stream, pass, used);
        }
        self.lines += 1;
        let mut at = 0;
        while let Some(format) = self.awake.get(at).copied().map(usize::from) {
            let Some(slot) = &mut self.slots[format] else {
                at += 1;
                continue;
            };
            let tool = pass.formats[format].0;
            slot.seen = self.lines;
            let uses = note(slot.reader.line(line), self.previous, place, &mut used[tool]);
            slot.is_used |= uses;
            slot.was_used |= uses;
            slot.has_own |= uses && !is_shared;
            self.is_read |= uses;
            slot.idle = if uses { 0 } else { slot.idle + u32::from(place.is_some()) };
            // What a test prints may stand between two lines of its runner, however much it is.
            let is_patient = pass.tools[tool].role == Role::Test && slot.is_used;
            let patience = match (slot.is_used, slot.is_doubted) {
                (true, _) => IDLE_LINES,
                (false, false) => IDLE_LINES_UNUSED,
                (false, true) => IDLE_LINES_DOUBTED,
            };
            if let Some(wakes) = &mut wakes
                && (slot.reader.sleeps() || (patience <= slot.idle && !is_patient))
            {
                wakes.judge(slot.woken_by, slot.is_used);
                slot.is_awake = false;
                self.awake.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.previous = place.or(self.previous);
        if wakes.is_some() {
            self.remember(line, place);
        }
    }

    /// Wakes a reader, and shows it what came before that it has not seen.
    fn wake(&mut self, woken: Woken, is_doubted: bool, stream: Stream, pass: &Pass<'_>, used: &mut [Used]) {
        let at = usize::from(woken.reader);
        let (tool, format) = pass.formats[at];
        let slot = self.slots[at].get_or_insert_with(|| Slot::new((format.reader)(false)));
        if slot.is_awake {
            return;
        }
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
        for before in self.before.range(self.before.len() - unseen..) {
            let Before { text, text_start, start, end, place, is_cut } = before;
            let (text_start, start, end, is_cut) = (*text_start, *start, *end, *is_cut);
            let line = Line { text: text.as_str().into(), text_start, stream, start, end, is_cut };
            let uses = note(slot.reader.line(&line), previous, *place, &mut used[tool]);
            slot.is_used |= uses;
            slot.was_used |= uses;
            slot.has_own |= uses;
            previous = place.or(previous);
        }
    }

    fn remember(&mut self, line: &Line<'_>, place: Option<Place>) {
        let mut text = if self.before.len() < LINES_BEFORE {
            String::new()
        } else {
            self.before.pop_front().map(|before| before.text).unwrap_or_default()
        };
        text.clear();
        text.push_str(&line.text);
        let Line { text_start, start, end, is_cut, .. } = *line;
        self.before.push_back(Before { text, text_start, start, end, place, is_cut });
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

/// Takes note of what a reader did with a line.
fn note(by_reader: Use, previous: Option<Place>, place: Option<Place>, used: &mut Used) -> bool {
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

/// Reads the documents of one format in a second pass over a stream.
fn read_documents(
    source: &dyn Source,
    stream: Stream,
    format: &DocumentFormat,
    finder: Finder,
    candidate: &mut Candidate,
    used: &mut Used,
    is_hinted: bool,
) -> io::Result<()> {
    let (places, mut are_all) = finder.places();
    if places.is_empty() {
        return Ok(());
    }
    let tool = candidate.tool.name;
    let mut reader = (format.reader)(stream, is_hinted);
    let mut bytes = BufReader::with_capacity(BUFFER_BYTES, source.open(stream)?);
    let mut position = 0;
    let mut whole_until = 0;
    let mut rereads = 0;
    for DocumentPlace { start: place, begins_line } in places {
        if place < whole_until {
            continue;
        }
        if place < position {
            if rereads == REREADS {
                are_all = false;
                break;
            }
            rereads += 1;
            bytes = BufReader::with_capacity(BUFFER_BYTES, source.open(stream)?);
            position = 0;
        }
        io::copy(&mut bytes.by_ref().take(place - position), &mut io::sink())?;
        let extent = reader.document(&mut bytes, place)?;
        position = extent.end;
        if extent.is_complete {
            whole_until = extent.end;
            used.document(extent.start, extent.end, extent.lines - u64::from(!begins_line));
            candidate.documents.push((stream, extent));
        } else {
            candidate.notes.push(format!("a document of {tool} at byte {place} is broken or cut short"));
            candidate.notes.truncate(20);
        }
    }
    if !are_all {
        candidate.notes.push(format!("not all documents of {tool} could be read"));
    }
    candidate.claims.extend(reader.finish(are_all).map(|claim| Laned { lane: None, stream, claim }));
    Ok(())
}
