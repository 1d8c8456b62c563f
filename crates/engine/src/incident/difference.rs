//! How two texts differ, line by line, as people read it: changed lines with three around them.

use referee_model::limit;

/// Lines around a change that are shown.
const AROUND: usize = 3;

/// One line of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'text> {
    /// It is in both.
    Same(&'text str),
    /// It is in the first alone.
    Gone(&'text str),
    /// It is in the second alone.
    New(&'text str),
}

/// Compares two texts. Empty: they have the same lines.
pub(super) fn lines(before: &str, after: &str) -> String {
    let before: Vec<&str> = before.lines().collect();
    let after: Vec<&str> = after.lines().collect();
    let (compared, mut shown) = (compare(&before, &after), String::new());
    let is_change = |line: &Line<'_>| !matches!(line, Line::Same(_));
    let mut is_left_out = false;
    for (place, line) in compared.iter().enumerate() {
        let around = place.saturating_sub(AROUND)..compared.len().min(place + AROUND + 1);
        if !compared.get(around).is_some_and(|around| around.iter().any(is_change)) {
            is_left_out = true;
            continue;
        }
        if std::mem::take(&mut is_left_out) {
            shown.push_str("@@\n");
        }
        let (sign, text) = match line {
            Line::Same(text) => (' ', text),
            Line::Gone(text) => ('-', text),
            Line::New(text) => ('+', text),
        };
        shown.push(sign);
        shown.push_str(text);
        shown.push('\n');
    }
    shown
}

fn compare<'text>(before: &[&'text str], after: &[&'text str]) -> Vec<Line<'text>> {
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (head, before) = before.split_at(start);
    let after = after.get(start..).unwrap_or_default();
    let end = before.iter().rev().zip(after.iter().rev()).take_while(|(one, other)| one == other).count();
    let (before, tail) = before.split_at(before.len() - end);
    let after = after.get(..after.len() - end).unwrap_or_default();
    let same = |lines: &[&'text str]| lines.iter().map(|line| Line::Same(line)).collect::<Vec<_>>();
    [same(head), between(before, after), same(tail)].concat()
}

/// Compares what lies between the lines that both begin and end with, by the longest common run of lines.
fn between<'text>(before: &[&'text str], after: &[&'text str]) -> Vec<Line<'text>> {
    if before.len() > limit::DIFFERENCE_LINES || after.len() > limit::DIFFERENCE_LINES {
        let gone = before.iter().map(|line| Line::Gone(line));
        return gone.chain(after.iter().map(|line| Line::New(line))).collect();
    }
    let lengths = common(before, after);
    let length = |one: usize, other: usize| lengths.get(one).and_then(|row| row.get(other)).copied().unwrap_or(0);
    let (mut one, mut other, mut compared) = (0, 0, Vec::new());
    loop {
        match (before.get(one), after.get(other)) {
            (None, None) => return compared,
            (Some(left), Some(right)) if left == right => {
                compared.push(Line::Same(left));
                one += 1;
                other += 1;
            }
            (Some(left), right) if right.is_none() || length(one + 1, other) >= length(one, other + 1) => {
                compared.push(Line::Gone(left));
                one += 1;
            }
            (_, Some(right)) => {
                compared.push(Line::New(right));
                other += 1;
            }
            (Some(left), None) => {
                compared.push(Line::Gone(left));
                one += 1;
            }
        }
    }
}

/// How many lines two texts have in common in the same order, from each pair of places on.
fn common(before: &[&str], after: &[&str]) -> Vec<Vec<u16>> {
    let mut rows = vec![vec![0_u16; after.len() + 1]];
    for left in before.iter().rev() {
        let below = rows.last().cloned().unwrap_or_default();
        let mut row = vec![0_u16; after.len() + 1];
        for (place, right) in after.iter().enumerate().rev() {
            let at = |row: &[u16], place: usize| row.get(place).copied().unwrap_or(0);
            let best = if left == right {
                at(&below, place + 1).saturating_add(1)
            } else {
                at(&below, place).max(at(&row, place + 1))
            };
            if let Some(cell) = row.get_mut(place) {
                *cell = best;
            }
        }
        rows.push(row);
    }
    rows.reverse();
    rows
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn either_text_can_be_read_out_of_a_comparison(
            before in proptest::collection::vec("[ab]", 0..12),
            after in proptest::collection::vec("[ab]", 0..12),
        ) {
            let before: Vec<&str> = before.iter().map(String::as_str).collect();
            let after: Vec<&str> = after.iter().map(String::as_str).collect();
            let compared = compare(&before, &after);
            let first: Vec<&str> = compared.iter().filter_map(|line| match line {
                Line::Same(text) | Line::Gone(text) => Some(*text),
                Line::New(_) => None,
            }).collect();
            let second: Vec<&str> = compared.iter().filter_map(|line| match line {
                Line::Same(text) | Line::New(text) => Some(*text),
                Line::Gone(_) => None,
            }).collect();
            prop_assert_eq!(first, before);
            prop_assert_eq!(second, after);
        }
    }
}
