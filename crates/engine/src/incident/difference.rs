//! Line diff of two texts for people: changed lines with three lines of context.

use referee_model::limit;
use similar::{ChangeTag, TextDiff};

/// Number of context lines around a change.
const AROUND: usize = 3;

/// Compares two texts. Returns an empty text if they have the same lines.
pub(super) fn lines(before: &str, after: &str) -> String {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    if before != after && before.len().max(after.len()) > limit::DIFFERENCE_LINES {
        let all = |sign: char, lines: &[&str]| {
            lines.iter().map(|line| format!("{sign}{line}\n")).collect::<Vec<_>>().concat()
        };
        return all('-', &before) + &all('+', &after);
    }
    let compared = TextDiff::from_slices(&before, &after);
    let (mut shown, mut until) = (String::new(), 0);
    for group in compared.grouped_ops(AROUND) {
        if group.first().is_some_and(|first| first.old_range().start > until) {
            shown.push_str("@@\n");
        }
        for change in group.iter().flat_map(|part| compared.iter_changes(part)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            shown.push(sign);
            shown.push_str(change.value());
            shown.push('\n');
        }
        until = group.last().map_or(until, |last| last.old_range().end);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_with_three_around_them() {
        let before = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
        assert_eq!(lines(before, before), "");
        assert_eq!(lines(before, &before.replace("f\n", "F\n")), "@@\n c\n d\n e\n-f\n+F\n g\n h\n i\n");
        assert_eq!(lines("a\n", "a\nb\n"), " a\n+b\n");
        assert_eq!(lines("", "x\n"), "+x\n");
        assert_eq!(lines("a\nb\nc\n", ""), "-a\n-b\n-c\n");
        let twice = before.replace("a\n", "A\n").replace("k\n", "K\n");
        assert_eq!(lines(before, &twice), "-a\n+A\n b\n c\n d\n@@\n h\n i\n j\n-k\n+K\n");
    }

    #[test]
    fn more_lines_than_are_compared_are_told_as_a_whole() {
        let long = |word: &str| {
            let lines: Vec<String> = (0..=limit::DIFFERENCE_LINES).map(|line| format!("{word}{line}\n")).collect();
            lines.concat()
        };
        let shown = lines(&long("a"), &long("b"));
        assert!(shown.starts_with("-a0\n-a1\n") && shown.ends_with(&format!("+b{}\n", limit::DIFFERENCE_LINES)));
    }
}
