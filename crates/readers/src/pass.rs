//! One pass over a log: every armed reader sees every line of each stream, and one tool is believed.

use std::io::{self, BufReader, Read};
use std::ops::Range;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{ChosenBecause, Excerpt, Excerpts, Leftovers, Origin, ReaderChoice, Reading};
use referee_model::record::Stream;

use crate::claim::{Claim, LineReader, Unused, Use};
use crate::document::{Extent, Finder, Place};
use crate::registry::{self, Tool};
use crate::scan::{Line, Lines};
use crate::source::Source;

const BUFFER_BYTES: usize = 128 * 1024;

/// Broken documents of one stream whose bytes are read a second time, for other documents within them.
const REREADS: u32 = 16;

/// Places of lines that were too long, kept to tell which of them are part of a document.
const LONG_LINES_KEPT: usize = 1024;

/// What is known of output before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hint {
    /// The tool, by canonical name or alias: told from the command, or named by a person.
    pub tool: Option<String>,
    /// What the command is for; of several tools that the content looks like, one with this role is preferred.
    pub role: Option<Role>,
}

/// Reads the output of one attempt. Fails only where the source does.
pub fn read(source: &dyn Source, hint: &Hint) -> io::Result<Reading> {
    if let Some(tool) = hint.tool.as_deref().and_then(registry::named) {
        let reading = attempt(source, std::slice::from_ref(tool), hint, ChosenBecause::Command)?;
        if reading.reader.is_some() {
            return Ok(reading);
        }
    }
    attempt(source, registry::TOOLS, hint, ChosenBecause::Content)
}

/// What was found for one tool, so far.
struct Candidate {
    tool: &'static Tool,
    claims: Vec<(Stream, Claim)>,
    unused: Vec<Unused>,
    /// Documents that were read whole, and their stream.
    documents: Vec<(Stream, Extent)>,
    notes: Vec<String>,
}

/// Lines of one stream that were too long to be read to their end.
struct LongLines {
    stream: Stream,
    number: u64,
    places: Vec<Range<u64>>,
}

fn attempt(source: &dyn Source, tools: &'static [Tool], hint: &Hint, because: ChosenBecause) -> io::Result<Reading> {
    let is_hinted = because == ChosenBecause::Command;
    let mut candidates: Vec<Candidate> = tools
        .iter()
        .map(|tool| Candidate { tool, claims: vec![], unused: vec![], documents: vec![], notes: vec![] })
        .collect();
    let mut all_unused = Vec::new();
    let mut long_lines = Vec::new();
    let mut excerpts = Excerpts::default();
    for stream in Stream::ALL {
        let scanned = scan(source, stream, &mut candidates, is_hinted)?;
        match stream {
            Stream::Stdout => excerpts.stdout = scanned.excerpt,
            Stream::Stderr => excerpts.stderr = scanned.excerpt,
        }
        all_unused.push(scanned.unused);
        long_lines.push(scanned.long_lines);
    }
    let chosen = choose(candidates, hint);
    let mut reading = match chosen {
        Ok(chosen) => believe(source, chosen, because, &long_lines),
        Err(notes) => Reading {
            leftovers: Unused::leftovers(all_unused),
            notes: notes.into_iter().chain(long_line_notes(&long_lines, &[])).collect(),
            ..Reading::default()
        },
    };
    reading.excerpts = excerpts;
    Ok(reading)
}

/// What one stream gave beside the claims.
struct Scanned {
    unused: Unused,
    long_lines: LongLines,
    excerpt: Excerpt,
}

/// The readers of one tool in one stream.
struct Armed {
    readers: Vec<Box<dyn LineReader>>,
    finder: Option<Finder>,
    unused: Unused,
}

impl Armed {
    fn line(&mut self, line: &Line<'_>) {
        let mut used = Use::None;
        for reader in &mut self.readers {
            match reader.line(line) {
                Use::None => {}
                by_this => used = if used == Use::WithPrevious { used } else { by_this },
            }
        }
        if line.is_blank() {
            return;
        }
        if let Some(finder) = &mut self.finder {
            finder.line(line);
        }
        self.unused.line(line, used);
    }
}

fn scan(source: &dyn Source, stream: Stream, candidates: &mut [Candidate], is_hinted: bool) -> io::Result<Scanned> {
    let mut armed: Vec<Armed> = candidates
        .iter()
        .map(|candidate| Armed {
            readers: (candidate.tool.lines)(is_hinted),
            finder: candidate.tool.documents.map(|documents| Finder::new(documents.opening, is_hinted)),
            unused: Unused::default(),
        })
        .collect();
    let mut unused = Unused::default();
    let mut long_lines = LongLines { stream, number: 0, places: Vec::new() };
    let mut lines = Lines::new(source.open(stream)?, stream);
    while let Some(line) = lines.next()? {
        for armed in &mut armed {
            armed.line(&line);
        }
        if !line.is_blank() {
            unused.line(&line, Use::None);
        }
        if line.is_cut {
            long_lines.number += 1;
            if long_lines.places.len() < LONG_LINES_KEPT {
                long_lines.places.push(line.start..line.end);
            }
        }
    }
    for (candidate, mut armed) in candidates.iter_mut().zip(armed) {
        let claims = armed.readers.into_iter().filter_map(LineReader::finish);
        candidate.claims.extend(claims.map(|claim| (stream, claim)));
        if let Some(finder) = armed.finder {
            read_documents(source, stream, candidate, finder, &mut armed.unused, is_hinted)?;
        }
        candidate.unused.push(armed.unused);
    }
    Ok(Scanned { unused, long_lines, excerpt: lines.excerpt() })
}

/// Reads the documents of one stream in a second pass over it.
fn read_documents(
    source: &dyn Source,
    stream: Stream,
    candidate: &mut Candidate,
    finder: Finder,
    unused: &mut Unused,
    is_hinted: bool,
) -> io::Result<()> {
    let (places, mut are_all) = finder.places();
    let Some(documents) = candidate.tool.documents.filter(|_| !places.is_empty()) else {
        return Ok(());
    };
    let mut reader = (documents.reader)(stream, is_hinted);
    let mut bytes = BufReader::with_capacity(BUFFER_BYTES, source.open(stream)?);
    let mut position = 0;
    let mut whole_until = 0;
    let mut rereads = 0;
    for Place { start: place, begins_line } in places {
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
            unused.forget(extent.start, extent.end, extent.lines - u64::from(!begins_line));
            candidate.documents.push((stream, extent));
        } else {
            let tool = candidate.tool.name;
            candidate.notes.push(format!("a document of {tool} at byte {place} is broken or cut short"));
            candidate.notes.truncate(20);
        }
    }
    if !are_all {
        candidate.notes.push(format!("not all documents of {} could be read", candidate.tool.name));
    }
    candidate.claims.extend(reader.finish(are_all).map(|claim| (stream, claim)));
    Ok(())
}

/// The tool that is believed.
struct Chosen {
    tool: &'static Tool,
    claim: Claim,
    leftovers: Leftovers,
    documents: Vec<(Stream, Extent)>,
    notes: Vec<String>,
}

/// Chooses the tool that is believed: one with the expected role, then the one that says the worst. Where there is none,
/// returns what is to be noted.
fn choose(candidates: Vec<Candidate>, hint: &Hint) -> Result<Chosen, Vec<String>> {
    let mut notes = Vec::new();
    let mut settled: Vec<Chosen> = Vec::new();
    for candidate in candidates {
        let Candidate { tool, claims, unused, documents, notes: of_candidate } = candidate;
        match (tool.settle)(claims) {
            Some(claim) => settled.push(Chosen {
                tool,
                claim,
                leftovers: Unused::leftovers(unused),
                documents,
                notes: of_candidate,
            }),
            None => notes.extend(of_candidate),
        }
    }
    let rank = |chosen: &Chosen| (hint.role == Some(chosen.tool.role), chosen.claim.gravity());
    // Of equals the first in the table is taken.
    let best = settled.iter().enumerate().rev().max_by_key(|(_, chosen)| rank(chosen)).map(|(index, _)| index);
    let Some(best) = best else {
        return Err(notes);
    };
    let mut chosen = settled.remove(best);
    for other in settled {
        let counts = &other.claim.findings.counts;
        let failed = other.claim.tests.as_ref().map_or(0, |tests| tests.counts.failed);
        chosen.notes.push(format!(
            "the output also looks like that of {}, with {} errors, {} warnings and {failed} failed tests",
            other.tool.name,
            counts.errors,
            counts.warnings + counts.infos,
        ));
    }
    Ok(chosen)
}

fn believe(source: &dyn Source, chosen: Chosen, because: ChosenBecause, long_lines: &[LongLines]) -> Reading {
    let Chosen { tool, claim, leftovers, documents, mut notes } = chosen;
    notes.extend(claim.notes);
    notes.extend(long_line_notes(long_lines, &documents));
    let counts = claim.findings.counts;
    let mut diagnostics = claim.findings.kept.into_items();
    let mut tests = claim.tests;
    for diagnostic in &mut diagnostics {
        to_log(source, &mut diagnostic.origin);
    }
    let failures = tests.iter_mut().flat_map(|tests| &mut tests.failures);
    for origin in failures.filter_map(|failure| failure.origin.as_mut()) {
        to_log(source, origin);
    }
    Reading {
        reader: Some(ReaderChoice { tool: tool.name.to_owned(), format: claim.format.to_owned(), because }),
        diagnostics,
        counts,
        tests,
        leftovers,
        excerpts: Excerpts::default(),
        notes,
    }
}

/// Turns a place in a stream into one in the log.
fn to_log(source: &dyn Source, origin: &mut Origin) {
    let start = source.locate(origin.stream, origin.start);
    origin.end = match origin.end.checked_sub(1).filter(|last| origin.start <= *last) {
        Some(last) => source.locate(origin.stream, last) + 1,
        None => start,
    };
    origin.start = start;
}

/// Says how many lines were read only in part, those aside that are part of a document.
fn long_line_notes(long_lines: &[LongLines], documents: &[(Stream, Extent)]) -> Vec<String> {
    let mut notes = Vec::new();
    for LongLines { stream, number, places } in long_lines {
        let is_of_document = |place: &&Range<u64>| {
            let meets = |extent: &Extent| extent.start < place.end && place.start < extent.end;
            documents.iter().any(|(of, extent)| of == stream && meets(extent))
        };
        let cut = number - places.iter().filter(is_of_document).count() as u64;
        if 0 < cut {
            let stream = match stream {
                Stream::Stdout => "standard output",
                Stream::Stderr => "standard error",
            };
            let bytes = limit::LINE_BYTES;
            notes.push(format!("{cut} lines of {stream} are longer than {bytes} bytes; their ends were not read"));
        }
    }
    notes
}
