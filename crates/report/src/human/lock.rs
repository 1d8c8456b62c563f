//! The answers of `referee lock` for people.

use std::io::{self, Write};

use crate::lock_report::Explained;
use referee_model::lock::{Lock, RuleSource};
use referee_model::run_context::protection::{Drift, KnownTest, Mode, Protection};
use referee_syntax::count::count;

use crate::human::protection::baseline;
use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Maximum number of lines of one sentence.
const LINES_MAX: usize = 6;

/// What to do about a blocking difference.
const REMEDY: &str =
    "put it back as it was; or, where the change is meant, let a person look at it and run `referee lock` again";

pub fn written(lock: &Lock, file: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let of = |mode: Mode| lock.files.iter().filter(|file| file.mode == mode).count() as u64;
    let text = format!(
        "locked {} in {file}: {} frozen, {} additive, {} under review",
        count(lock.files.len(), "protected file"),
        of(Mode::Frozen),
        of(Mode::Additive),
        of(Mode::Review)
    );
    page.paragraph(Line::new(), 0, Tone::Plain, &text, LINES_MAX)
}

/// Writes the differences from a baseline.
pub fn checked(
    protection: Option<&Protection>,
    blocks: &dyn Fn(&Drift) -> bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let Some(protection) = protection else {
        let text = "no referee.lock, so nothing is protected: run `referee lock` to write one, or compare with a commit by `--from`";
        return page.paragraph(Line::new(), 0, Tone::Warning, text, LINES_MAX);
    };
    for drift in &protection.drift {
        difference(drift, blocks(drift), &mut page)?;
    }
    notes_of(&protection.notes, &mut page)?;
    let blocking = protection.drift.iter().filter(|drift| blocks(drift)).count() as u64;
    let text = match (blocking, protection.drift.len()) {
        (0, 0) => format!("{} as {}", count(protection.files, "protected file"), baseline(&protection.baseline)),
        (0, listed) => {
            format!(
                "{} compared with {}: {listed} differ, none in a way that blocks",
                count(protection.files, "protected file"),
                baseline(&protection.baseline)
            )
        }
        (blocking, _) => {
            format!(
                "{} compared with {}: {blocking} differ in a way that blocks",
                count(protection.files, "protected file"),
                baseline(&protection.baseline)
            )
        }
    };
    page.paragraph(Line::new(), 0, Tone::Strong, &text, LINES_MAX)?;
    if blocking > 0 {
        page.paragraph(Line::new().then(Tone::Faint, "next "), 5, Tone::Plain, REMEDY, LINES_MAX)?;
    }
    Ok(())
}

/// Writes the changes that a new lock would accept.
pub fn accepted(
    is_first: bool,
    drift: &[Drift],
    forgotten: &[KnownTest],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    let all = drift.len() + forgotten.len();
    let text = match (is_first, all) {
        (true, _) => "nothing is locked yet: the lock would be the first one".to_owned(),
        (false, 0) => "nothing differs from the lock that there is".to_owned(),
        (false, 1) => "the lock would accept 1 difference:".to_owned(),
        (false, all) => format!("the lock would accept {all} differences:"),
    };
    page.paragraph(Line::new(), 0, Tone::Strong, &text, LINES_MAX)?;
    for drift in drift {
        let pointer = drift.pointer.as_deref().map(|pointer| format!("#{pointer}")).unwrap_or_default();
        let lead = Line::indented(2)
            .then(Tone::Faint, drift.mode.as_str())
            .padded_to(11)
            .then(Tone::Place, &format!("{}{pointer}", drift.path));
        page.paragraph(lead.then(Tone::Plain, ": "), 11, Tone::Plain, &drift.detail, LINES_MAX)?;
    }
    for test in forgotten {
        let text = format!("`{}` passed when it was locked, and is not known to pass now", test.name);
        let lead = Line::indented(2).then(Tone::Faint, "test").padded_to(11).then(Tone::Place, test.home.name());
        page.paragraph(lead.then(Tone::Plain, ": "), 11, Tone::Plain, &text, LINES_MAX)?;
    }
    Ok(())
}

/// Writes why files are protected, in more detail for a single file.
pub fn explained(
    files: &[Explained],
    notes: &[String],
    at_length: bool,
    blocks: &dyn Fn(&Drift) -> bool,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for file in files {
        let mode = file.mode.map_or("free", Mode::as_str);
        let values = if file.values.is_empty() { String::new() } else { format!(" ({})", file.values.join(", ")) };
        let lead = Line::new().then(Tone::Faint, mode).padded_to(9).then(Tone::Place, &file.path);
        page.paragraph(lead.then(Tone::Plain, ": "), 9, Tone::Plain, &format!("{}{values}", file.reason), LINES_MAX)?;
        for drift in &file.drift {
            difference(drift, blocks(drift), &mut page)?;
        }
        if at_length {
            at_length_of(file, blocks, &mut page)?;
        }
    }
    notes_of(notes, &mut page)
}

fn notes_of(notes: &[String], page: &mut Page<'_>) -> io::Result<()> {
    let note =
        |note: &String| page.paragraph(Line::new().then(Tone::Warning, "note: "), 6, Tone::Plain, note, LINES_MAX);
    notes.iter().try_for_each(note)
}

fn at_length_of(file: &Explained, blocks: &dyn Fn(&Drift) -> bool, page: &mut Page<'_>) -> io::Result<()> {
    let source = match file.source {
        Some(RuleSource::Fixed) => "no rule can lift this",
        Some(RuleSource::Declared) => "the specification says so, under `protect`",
        Some(RuleSource::Default) => "it is a default; the specification can say otherwise under `protect`",
        None => "nothing protects it",
    };
    let meaning = match file.mode {
        Some(Mode::Frozen) => "any change of it keeps every run from being judged (BLOCKED, exit code 3)",
        Some(Mode::Additive) => "it and its tests must stay; further ones are free, and edits are listed",
        Some(Mode::Review) => "changes of it are reported, and block nothing",
        None => "it may change",
    };
    for text in [source, meaning] {
        page.paragraph(Line::indented(9), 9, Tone::Faint, text, LINES_MAX)?;
    }
    if file.drift.iter().any(blocks) {
        page.paragraph(Line::new().then(Tone::Faint, "next").padded_to(9), 9, Tone::Plain, REMEDY, LINES_MAX)?;
    }
    Ok(())
}

fn difference(drift: &Drift, blocks: bool, page: &mut Page<'_>) -> io::Result<()> {
    let (sign, tone) = if blocks { (page.signs().bad, Tone::Bad) } else { (page.signs().bullet, Tone::Faint) };
    let pointer = drift.pointer.as_deref().map(|pointer| format!("#{pointer}")).unwrap_or_default();
    let lead = Line::indented(2)
        .then(tone, sign)
        .then(Tone::Plain, " ")
        .then(Tone::Place, &format!("{}{pointer}", drift.path));
    page.paragraph(lead.then(Tone::Plain, ": "), 4, Tone::Plain, &drift.sentence(), LINES_MAX)
}
