//! Numbers with their nouns, and the first of many.

use std::fmt::Display;

/// Returns a number with its noun: `1 action`, `2 actions`, `0 entries`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// Returns the noun as it stands behind another number than one.
fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    }
}

/// Returns how often: `once`, `3 times`.
pub fn times<N: Copy + Display + PartialEq + From<u8>>(number: N) -> String {
    if number == N::from(1) { "once".to_owned() } else { format!("{number} times") }
}

/// Returns the first of several things and how many more there are: `a, b and 4 more`.
pub fn list<T: Display>(things: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut things = things.into_iter();
    let first = first(&mut things, most, ", ");
    first + &more(things.count())
}

/// Returns the first of several clauses and how many more there are: `a is b; c is d; and 4 more`.
pub fn clauses<T: Display>(clauses: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut clauses = clauses.into_iter();
    let first = first(&mut clauses, most, "; ");
    match more(clauses.count()) {
        rest if rest.is_empty() => first,
        rest => format!("{first};{rest}"),
    }
}

fn first<T: Display>(things: &mut impl Iterator<Item = T>, most: usize, between: &str) -> String {
    things.take(most).map(|thing| thing.to_string()).collect::<Vec<_>>().join(between)
}

/// Returns ` and 4 more`, to stand behind what is listed. Empty: that is all.
pub fn more<N: Copy + Display + PartialEq + From<u8>>(rest: N) -> String {
    if rest == N::from(0) { String::new() } else { format!(" and {rest} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!([0, 1, 2].map(|number| count(number, "test")), ["0 tests", "1 test", "2 tests"]);
        assert_eq!([count(2_u64, "dependency"), count(2_usize, "key")], ["2 dependencies", "2 keys"]);
        assert_eq!([0, 1, 2].map(times::<u64>), ["0 times", "once", "2 times"]);
    }

    #[test]
    fn the_first_are_listed_and_the_rest_is_counted() {
        assert_eq!([list(["a", "b"], 2), list(["a", "b", "c"], 1)], ["a, b", "a and 2 more"]);
        assert_eq!([clauses(["a", "b"], 2), clauses(["a", "b", "c"], 2)], ["a; b", "a; b; and 1 more"]);
        assert_eq!(list([""; 0], 2), "");
    }
}
