//! Text of tools as markup, in which nothing is obeyed, and lists of it.

use std::fmt;
use std::io::{self, Write};

use referee_model::limit::EXCERPT_BYTES;
use referee_syntax::count::count;
use referee_syntax::cut;

use crate::untrusted;

/// Maximum number of sentences of one list; all are counted.
const SENTENCES: usize = 100;

/// Maximum length of a text of several lines, in bytes: more than each part of an excerpt, however it was decoded.
const BLOCK_BYTES: usize = 4 * EXCERPT_BYTES;

/// Writes a list of sentences. An empty one is left out.
pub(super) fn write_sentences<T: AsRef<str>>(sentences: &[T], out: &mut dyn Write) -> io::Result<()> {
    if sentences.is_empty() {
        return Ok(());
    }
    writeln!(out, "<ul>")?;
    for sentence in sentences.iter().take(SENTENCES) {
        writeln!(out, "<li>{}</li>", Text(sentence.as_ref()))?;
    }
    writeln!(out, "</ul>")?;
    let rest = sentences.len().saturating_sub(SENTENCES);
    if rest > 0 {
        writeln!(out, r#"<p class="muted">… and {rest} more</p>"#)?;
    }
    Ok(())
}

/// Writes how many things are not shown, and the evidence file that has them. Nothing, if all are shown.
pub(super) fn write_rest(rest: u64, noun: &str, file: &str, out: &mut dyn Write) -> io::Result<()> {
    if rest == 0 {
        return Ok(());
    }
    let (rest, file) = (count(rest, noun), Text(file));
    writeln!(out, r#"<p class="muted">… {rest} not shown here: see <code>{file}</code></p>"#)
}

/// A text as one harmless line of HTML.
pub(super) struct Text<'t>(pub(super) &'t str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&untrusted::html(&untrusted::line(self.0)))?;
        formatter.write_str(if untrusted::is_cut(self.0) { "…" } else { "" })
    }
}

/// A text as harmless HTML of several lines. A carriage return ends a line too, so that no text hides another.
pub(super) struct Lines<'t>(pub(super) &'t str);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = cut::head(self.0, BLOCK_BYTES);
        let text = shown.replace("\r\n", "\n");
        for (index, line) in text.trim_end().split(['\n', '\r']).enumerate() {
            formatter.write_str(if index > 0 { "\n" } else { "" })?;
            write!(formatter, "{}", Text(line))?;
        }
        formatter.write_str(if shown.len() < self.0.len() { "\n…" } else { "" })
    }
}
