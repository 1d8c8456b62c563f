//! The block between two markers that Referee writes on a page.

use super::View;
use super::entry::Entry;

/// Start of every marker, which stands alone on its line. A `<` in text of tools is always escaped.
const MARKER: &str = "<!-- referee:debt:";

/// End of a Markdown comment.
const MARKER_END: &str = "-->";

/// A page whose markers do not match, so that Referee's block cannot be determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenBlock {
    /// Line of the offending marker, 1-based.
    pub line: usize,
    pub problem: &'static str,
}

/// Position of the block in a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Byte offset of the start of the first marker's line.
    start: usize,
    /// Byte offset of the end of the last marker's line, without its line end.
    end: usize,
    /// Line of the first marker, 1-based.
    pub(super) first_line: usize,
    /// Line of the last marker, 1-based.
    pub(super) last_line: usize,
}

/// Returns the mark that ends the first line of an item.
pub(super) fn item_mark(id: &str) -> String {
    format!("{MARKER}item {id} {MARKER_END}")
}

/// Splits the first line of an item into its text and the item's id. None: the line carries no mark.
pub(super) fn split_item(line: &str) -> Option<(&str, &str)> {
    let (text, mark) = line.trim_end().rsplit_once(MARKER)?;
    let id = mark.strip_prefix("item ")?.strip_suffix(MARKER_END)?.trim();
    Some((text.trim_end(), id))
}

fn begin(view: View) -> String {
    let word = view.as_str();
    format!("{MARKER}begin {word} {MARKER_END}")
}

fn end(view: View) -> String {
    let word = view.as_str();
    format!("{MARKER}end {word} {MARKER_END}")
}

/// Returns the text of a block without items.
pub(super) fn nothing(view: View) -> &'static str {
    match view {
        View::Tasks => "No item of debt is in the sprint.",
        View::Report | View::Inventory => "There is no debt.",
    }
}

/// First line of every block.
pub(super) const NOTICE: &str = "<!-- Written by `referee debt export`; `referee debt export --check` says whether it still says what the register says. -->";

/// Formats the items of a page between its markers, without a line end after the last one.
pub(super) fn render(view: View, entries: &[Entry]) -> String {
    let mut lines = vec![begin(view), NOTICE.to_owned(), String::new()];
    let mut section: &[String] = &[];
    for entry in entries {
        let same = entry.section.iter().zip(section).take_while(|(one, other)| one == other).count();
        for heading in &entry.section[same..] {
            lines.extend([heading.clone(), String::new()]);
        }
        section = &entry.section;
        lines.push(format!("{}{} {}", entry.lead.as_text(), entry.title, item_mark(entry.id.as_str())));
        if matches!(entry.lead, super::entry::Lead::Heading(_)) {
            lines.push(String::new());
        }
        lines.extend(entry.lines.iter().map(|line| line.text.clone()));
        lines.push(String::new());
    }
    if entries.is_empty() {
        lines.extend([nothing(view).to_owned(), String::new()]);
    }
    lines.push(end(view));
    lines.join("\n")
}

/// Replaces the block of a page, or appends it where the page has none. Everything else stays as it is.
///
/// # Errors
/// Fails where the page's markers do not match: Referee's block cannot be determined then.
pub fn into_page(view: View, page: Option<&str>, block: &str) -> Result<String, BrokenBlock> {
    let Some(page) = page.filter(|page| !page.trim().is_empty()) else {
        return Ok(format!("# {}\n\n{block}\n", view.title()));
    };
    Ok(match find(view, page)? {
        Some(span) => format!("{}{block}{}", &page[..span.start], &page[span.end..]),
        None => format!("{}\n\n{block}\n", page.trim_end()),
    })
}

/// Finds the block of a page. None: the page has none.
pub(super) fn find(view: View, page: &str) -> Result<Option<Span>, BrokenBlock> {
    let (begin, end) = (begin(view), end(view));
    let broken = |line, problem| Err(BrokenBlock { line, problem });
    let mut open: Option<(usize, usize)> = None;
    let mut found: Option<Span> = None;
    let mut at = 0;
    for (index, whole) in page.split_inclusive('\n').enumerate() {
        let line = whole.trim_end_matches(['\n', '\r']);
        let number = index + 1;
        if line.trim() == begin {
            if open.is_some() || found.is_some() {
                return broken(number, "a second block begins here; a page has one");
            }
            open = Some((at, number));
        } else if line.trim() == end {
            let Some((start, first_line)) = open.take() else {
                return broken(number, "a block ends here that began nowhere");
            };
            found = Some(Span { start, end: at + line.len(), first_line, last_line: number });
        }
        at += whole.len();
    }
    match open {
        Some((_, line)) => broken(line, "the block that begins here has no end"),
        None => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "<!-- referee:debt:begin tasks -->\nours\n<!-- referee:debt:end tasks -->";

    #[test]
    fn a_block_takes_the_place_of_the_one_before_it_and_nothing_else() {
        let put = |page: Option<&str>| into_page(View::Tasks, page, BLOCK).unwrap();
        assert_eq!(put(None), format!("# Tasks\n\n{BLOCK}\n"));
        assert_eq!(put(Some(" \n")), format!("# Tasks\n\n{BLOCK}\n"));
        assert_eq!(put(Some("# Mine\n\ntext\n\n\n")), format!("# Mine\n\ntext\n\n{BLOCK}\n"));
        let (begin, end) = (begin(View::Tasks), end(View::Tasks));
        for (before, after) in [("", ""), ("# Mine\r\n\r\n", "\r\n\r\nmore\r\n"), ("text\n  ", "\nno line end")] {
            let page = format!("{before}{begin}\nold\n{end}{after}");
            let before = before.trim_end_matches(' ');
            assert_eq!(put(Some(&page)), format!("{before}{BLOCK}{after}"));
        }
        let once = put(Some("text"));
        assert_eq!(put(Some(&once)), once);
    }

    #[test]
    fn markers_that_do_not_fit_together_are_refused_with_their_line() {
        let (begin, end) = (begin(View::Tasks), end(View::Tasks));
        for (page, line, part) in [
            (format!("a\n{begin}\nb\n"), 2, "no end"),
            (format!("a\nb\n{end}\n"), 3, "began nowhere"),
            (format!("{begin}\n{begin}\n{end}\n"), 2, "second block"),
            (format!("{begin}\n{end}\n{begin}\n{end}\n"), 3, "second block"),
        ] {
            let broken = into_page(View::Tasks, Some(&page), BLOCK).unwrap_err();
            assert_eq!(broken.line, line, "{page}");
            assert!(broken.problem.contains(part), "{broken:?}");
        }
        // The block of another page is treated as ordinary text.
        let other = "<!-- referee:debt:begin report -->\n";
        assert!(into_page(View::Tasks, Some(other), BLOCK).unwrap().starts_with(other));
    }

    #[test]
    fn an_item_is_known_by_the_mark_at_the_end_of_its_line() {
        let line = format!("- [ ] **T031**: fix it {}", item_mark("DEBT-T001-001"));
        assert_eq!(split_item(&line), Some(("- [ ] **T031**: fix it", "DEBT-T001-001")));
        for none in
            ["- [ ] **T031**: fix it", "<!-- referee:debt:end tasks -->", "<!-- referee:debt:item DEBT-T001-001"]
        {
            assert_eq!(split_item(none), None, "{none}");
        }
    }
}
