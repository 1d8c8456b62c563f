//! Counted nouns and shortened lists.

use std::fmt::Display;

/// Formats a number with its noun: `1 action`, `2 actions`, `0 entries`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    if number == N::from(1) { format!("1 {noun}") } else { format!("{number} {}", plural(noun)) }
}

/// Returns the plural of a noun.
fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ => format!("{noun}s"),
    }
}

/// Formats a frequency: `once`, `3 times`.
pub fn times<N: Copy + Display + PartialEq + From<u8>>(number: N) -> String {
    if number == N::from(1) { "once".to_owned() } else { format!("{number} times") }
}

/// Formats the first `most` items and the number of further ones: `a, b and 4 more`.
pub fn list<T: Display>(things: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut things = things.into_iter();
    let first = first(&mut things, most, ", ");
    first + &more(things.count())
}

/// Formats the first `most` clauses and the number of further ones: `a is b; c is d; and 4 more`.
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

/// Formats the number of further items: ` and 4 more`. Empty for 0.
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
