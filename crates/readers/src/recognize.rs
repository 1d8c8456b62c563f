//! Reads a log with the tools of the registry: each line is given to the readers that wait for it, documents
//! are read in a second pass, and then one tool is chosen.

use std::io::{self, BufReader, Read};
use std::sync::OnceLock;

use referee_model::plan::Role;
use referee_model::reading::{ChosenBecause, Excerpts, Reading};
use referee_model::record::Stream;

use crate::choose::{Claims, PrefixedCandidate, ToolCandidates, fill_leftovers};
use crate::document::{DocumentStart, Finder};
use crate::hint::Hint;
use crate::pass::{Format, Pass, Scan};
use crate::prefilter::{Compiled, Waits};
use crate::registry;
use crate::seen::{LongLines, Seen};
use crate::source::Source;
use crate::tool::{DocumentFormat, LineFormat, Tool};
use crate::used::Used;

const BUFFER_BYTES: usize = 128 * 1024;

/// Maximum number of broken documents per stream whose bytes are read a second time, for other documents within
/// them.
const REREADS: u32 = 16;

/// The literals that wake the readers of all tools, prepared on first use.
static COMPILED: OnceLock<Compiled> = OnceLock::new();

/// Reads the output of one attempt. Fails only if the source fails.
pub fn read(source: &dyn Source, hint: &Hint) -> io::Result<Reading> {
    let compiled = || COMPILED.get_or_init(|| Compiled::new(waits(registry::TOOLS, false)));
    let all = || Attempt::new(registry::TOOLS, Some(compiled()), ChosenBecause::Content);
    let Some(tool) = hint.tool.as_deref().and_then(registry::named) else { return all().read(source, hint) };
    let of_named = Compiled::new(waits(&[tool], true));
    let mut named = Attempt::new(&[tool], Some(&of_named), ChosenBecause::Command);
    // Where the tool says nothing, what all of them say counts, which is found out in the same pass.
    let mut beside = Some(all());
    for stream in Stream::ALL {
        let (scan, other) = named.pass.scan_beside(beside.as_ref().map(|all| &all.pass), source, stream)?;
        named.take(source, stream, scan)?;
        match (&mut beside, other) {
            (Some(all), Some(scan)) => all.take(source, stream, scan)?,
            _ => beside = None,
        }
    }
    let reading = named.reading(source, hint)?;
    match beside {
        _ if reading.reader.is_some() => Ok(reading),
        Some(beside) => beside.reading(source, hint),
        None => all().read(source, hint),
    }
}

/// Returns the texts that the readers of some tools wait for: first those of all text formats, then those of
/// all documents. If the command names the tools, which `is_named` says, documents are looked for in every line.
fn waits<'a>(tools: &'a [&'static Tool], is_named: bool) -> impl Iterator<Item = Waits> + 'a {
    let of_lines = move |format: &'static LineFormat| match format {
        LineFormat { prefilter, named, both: [first, _], .. } if is_named => Waits::any(&[prefilter, named, first]),
        LineFormat { prefilter, both: [_, []], .. } => Waits::any(&[prefilter]),
        LineFormat { prefilter, both, .. } => Waits { both: *both, ..Waits::any(&[prefilter]) },
    };
    let lines = tools.iter().flat_map(|tool| tool.lines).map(of_lines);
    let documents = tools.iter().flat_map(|tool| tool.documents).filter(move |_| !is_named);
    lines.chain(documents.map(|format| Waits::any(&[format.opening.compact])))
}

/// What some tools make of the output.
struct Attempt<'a> {
    pass: Pass<'a>,
    because: ChosenBecause,
    by_tool: Vec<ToolCandidates>,
    excerpts: Excerpts,
    long_lines: Vec<LongLines>,
    seen: Vec<Seen>,
    /// Whether a tool of last resort, which was not asked, may have something to say.
    has_deferred: bool,
}

impl<'a> Attempt<'a> {
    /// `compiled` wakes the readers of the tools; if `None`, all of them are always awake.
    fn new(tools: &[&'static Tool], compiled: Option<&'a Compiled>, because: ChosenBecause) -> Self {
        let is_named = because == ChosenBecause::Command;
        let formats = |(owner, tool): (usize, &&'static Tool)| {
            let is_patient = tool.role == Role::Test;
            let is_deferred = tool.is_last_resort && 1 < tools.len();
            let format = move |format: &'static LineFormat| Format {
                owner,
                is_patient,
                is_deferred,
                may_begin: Box::new(move |line| is_named || format.may_begin(line)),
                reader: Box::new(|is_hinted| format.reader(is_hinted)),
            };
            tool.lines.iter().map(format)
        };
        let documents =
            |(owner, tool): (usize, &&'static Tool)| tool.documents.iter().map(move |format| (owner, format));
        let pass = Pass {
            owners: tools.len(),
            formats: tools.iter().enumerate().flat_map(formats).collect(),
            documents: tools.iter().enumerate().flat_map(documents).collect(),
            compiled,
            is_hinted: is_named,
            is_exclusive: false,
        };
        let by_tool = tools.iter().map(|tool| ToolCandidates::new(tool)).collect();
        let (excerpts, long_lines, seen) = (Excerpts::default(), Vec::new(), Vec::new());
        Self { pass, because, by_tool, excerpts, long_lines, seen, has_deferred: false }
    }

    fn read(mut self, source: &dyn Source, hint: &Hint) -> io::Result<Reading> {
        for stream in Stream::ALL {
            let scan = self.pass.scan(source, stream)?;
            self.take(source, stream, scan)?;
        }
        self.reading(source, hint)
    }

    /// Adds what was found in a stream, and reads the documents that may begin in it.
    fn take(&mut self, source: &dyn Source, stream: Stream, scan: Scan) -> io::Result<()> {
        match stream {
            Stream::Stdout => self.excerpts.stdout = scan.excerpt,
            Stream::Stderr => self.excerpts.stderr = scan.excerpt,
        }
        for (format, prefix, candidate) in scan.candidates {
            let of_tool = &mut self.by_tool[self.pass.formats[format].owner];
            of_tool.candidates.push(PrefixedCandidate { prefix, stream, candidate });
        }
        let mut used = scan.used;
        for ((owner, format), finder) in self.pass.documents.iter().zip(scan.finders) {
            let of_tool = &mut self.by_tool[*owner];
            read_documents(source, stream, format, finder, of_tool, &mut used[*owner], self.pass.is_hinted)?;
        }
        for (of_tool, used) in self.by_tool.iter_mut().zip(used) {
            of_tool.used[stream as usize] = used;
        }
        self.has_deferred |= scan.has_deferred;
        self.seen.push(scan.seen);
        self.long_lines.push(scan.long_lines);
        Ok(())
    }

    fn reading(self, source: &dyn Source, hint: &Hint) -> io::Result<Reading> {
        let mut claims = Claims::of(self.by_tool);
        if self.has_deferred && claims.need_last_resort(hint) {
            claims.extend(last_resort(source)?);
        }
        let (mut reading, used) = claims.choose(source, hint, self.because, &self.long_lines);
        fill_leftovers(source, &mut reading, &used, &self.seen)?;
        reading.excerpts = self.excerpts;
        Ok(reading)
    }
}

/// Reads the output once more, with the tools of last resort alone.
fn last_resort(source: &dyn Source) -> io::Result<Vec<ToolCandidates>> {
    let mut all = Vec::new();
    for tool in registry::TOOLS.iter().filter(|tool| tool.is_last_resort) {
        let compiled = Compiled::new(waits(&[tool], false));
        let mut attempt = Attempt::new(&[tool], Some(&compiled), ChosenBecause::Content);
        for stream in Stream::ALL {
            let scan = attempt.pass.scan(source, stream)?;
            attempt.take(source, stream, scan)?;
        }
        all.append(&mut attempt.by_tool);
    }
    Ok(all)
}

/// Reads the documents of one format in a second pass over a stream.
fn read_documents(
    source: &dyn Source,
    stream: Stream,
    format: &DocumentFormat,
    finder: Finder,
    of_tool: &mut ToolCandidates,
    used: &mut Used,
    is_hinted: bool,
) -> io::Result<()> {
    let (places, mut are_all) = finder.places();
    if places.is_empty() {
        return Ok(());
    }
    let tool = of_tool.tool.name;
    let mut reader = format.reader(stream, is_hinted);
    let mut bytes = BufReader::with_capacity(BUFFER_BYTES, source.open(stream)?);
    let mut position = 0;
    let mut whole_until = 0;
    let mut rereads = 0;
    for DocumentStart { start: place, begins_line } in places {
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
            of_tool.documents.push((stream, extent));
        } else {
            of_tool.notes.push(format!("a document of {tool} at byte {place} is broken or cut short"));
            of_tool.notes.truncate(20);
        }
    }
    if !are_all {
        of_tool.notes.push(format!("not all documents of {tool} could be read"));
    }
    of_tool.candidates.extend(reader.finish(are_all).map(|candidate| PrefixedCandidate {
        prefix: None,
        stream,
        candidate,
    }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::source::MemorySource;

    /// Lines that no tool of the fixtures prints, as many as put a reader to sleep.
    const FOREIGN: &str = "service: request 7 was served in 12 milliseconds\n";

    /// Reads with a named tool whose readers sleep until a line wakes them, and with the same one always awake.
    fn both(source: &MemorySource, name: &str) -> (Reading, Reading) {
        let hint = Hint { tool: Some(name.to_owned()), role: None };
        let tool = registry::named(name).unwrap();
        let compiled = Compiled::new(waits(&[tool], true));
        let read = |compiled| Attempt::new(&[tool], compiled, ChosenBecause::Command).read(source, &hint).unwrap();
        (read(Some(&compiled)), read(None))
    }

    /// Its line `  ok`, a group of tests, is taken for a test point of TAP by a reader that is always awake.
    const GROUP_LIKE_TAP: &str = "mocha/clean.stdout.txt";

    /// Returns the first two lines in which two readings differ.
    fn difference(left: &Reading, right: &Reading) -> String {
        let (left, right) = (format!("{left:#?}"), format!("{right:#?}"));
        format!("{:?}", left.lines().zip(right.lines()).find(|(left, right)| left != right))
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test reads real output from files")]
    fn a_named_tool_is_read_as_well_by_readers_that_sleep_in_between() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let mut differ = Vec::new();
        for entry in fs::read_dir(fixtures).unwrap() {
            let directory = entry.unwrap().path();
            let name = directory.file_name().unwrap().to_str().unwrap().to_owned();
            for file in fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
                if registry::named(&name).is_none()
                    || file.extension() != Some("txt".as_ref())
                    || file.ends_with(GROUP_LIKE_TAP)
                {
                    continue;
                }
                let bytes = fs::read(&file).unwrap();
                let foreign = FOREIGN.repeat(60);
                let spread = [foreign.as_bytes(), &bytes, foreign.as_bytes()].concat();
                for (how, bytes) in [("alone", bytes), ("between other lines", spread)] {
                    let sources = [MemorySource::stdout(bytes.clone()), MemorySource::new(Vec::new(), bytes)];
                    for source in sources {
                        let (asleep, awake) = both(&source, &name);
                        if asleep != awake {
                            differ.push(format!("{} {how}: {}", file.display(), difference(&asleep, &awake)));
                        }
                    }
                }
            }
        }
        assert!(differ.is_empty(), "{}: {differ:#?}", differ.len());
    }
}
