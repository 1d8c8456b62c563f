//! Normalizes messages: removes what varies between runs, such as numbers, hexadecimal digits, UUIDs, paths,
//! times, durations, addresses.

/// Returns a message with a placeholder for each part that varies between runs, and single spaces.
///
/// Digits within a name stay, so that `user1` and `user2` are two names. The first matching rule applies to a word:
///
/// | placeholder  | replaces                                                                                    |
/// |--------------|---------------------------------------------------------------------------------------------|
/// | `<path>`     | words that begin with `/`, `./`, `../`, `~/` or a drive, or have two slashes, or one before an extension; with a position after it |
/// | `<uuid>`     | 8-4-4-4-12 hexadecimal digits                                                               |
/// | `<time>`     | dates and times of day                                                                      |
/// | `<address>`  | four numbers with dots, `localhost` or `::1` with a port                                    |
/// | `<hex>`      | `0x…`, and eight or more hexadecimal digits with at least one digit and one letter          |
/// | `<duration>` | a number with a unit of time                                                                |
/// | `<n>`        | any other number                                                                            |
pub fn normalized(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for word in message.split_whitespace() {
        if !text.is_empty() {
            text.push(' ');
        }
        let (before, core, after) = unwrapped(word);
        text.push_str(before);
        match whole(core) {
            Some(sign) => text.push_str(sign),
            None => pieces(core, &mut text),
        }
        text.push_str(after);
    }
    join_durations(&text)
}

/// Splits off the punctuation around a word.
fn unwrapped(word: &str) -> (&str, &str, &str) {
    let is_wrapping = |sign: char| "'\"`()[]{}<>,;:.!?".contains(sign);
    // A dot or tilde may begin a path.
    let start = word.find(|sign| !is_wrapping(sign) || sign == '.').unwrap_or(word.len());
    let core = &word[start..];
    let end =
        core.rfind(|sign| !is_wrapping(sign)).map_or(0, |at| at + core[at..].chars().next().map_or(0, char::len_utf8));
    (&word[..start], &core[..end], &core[end..])
}

/// Returns the placeholder for a word that varies as a whole.
fn whole(word: &str) -> Option<&'static str> {
    if is_address(word) {
        Some("<address>")
    } else if is_path(word) {
        Some("<path>")
    } else if is_uuid(word) {
        Some("<uuid>")
    } else if is_time(word) {
        Some("<time>")
    } else {
        None
    }
}

fn is_path(word: &str) -> bool {
    let rooted =
        ["/", "./", "../", "~/", ".\\", "..\\"].iter().any(|root| word.starts_with(root) && word.len() > root.len());
    let has_drive = word.len() > 3
        && word.as_bytes()[0].is_ascii_alphabetic()
        && word.as_bytes()[1] == b':'
        && matches!(word.as_bytes()[2], b'/' | b'\\');
    let slashes = word.bytes().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    let last = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let has_extension = last
        .split_once('.')
        .is_some_and(|(stem, rest)| !stem.is_empty() && rest.starts_with(|first: char| first.is_ascii_alphabetic()));
    rooted || has_drive || slashes >= 2 || (slashes == 1 && has_extension)
}

fn is_uuid(word: &str) -> bool {
    let lengths = word.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && word.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Matches dates such as `2026-11-22`, times such as `09:05:24.123` or `09:05`, and both with `T` between and a zone.
fn is_time(word: &str) -> bool {
    let is_zone = |text: &str| text.is_empty() || text == "Z" || text.starts_with(['+', '-']);
    let (date, clock) = match word.split_once('T') {
        Some((date, clock)) => (Some(date), Some(clock)),
        None if word.contains(':') => (None, Some(word)),
        None => (Some(word), None),
    };
    let is_date = |text: &str| {
        let parts: Vec<&str> = text.split(['-', '/']).collect();
        parts.len() == 3 && parts.iter().all(|part| is_number(part)) && parts.iter().any(|part| part.len() == 4)
    };
    let is_clock = |text: &str| {
        let end =
            text.find(|sign: char| !sign.is_ascii_digit() && !matches!(sign, ':' | '.' | ',')).unwrap_or(text.len());
        let (digits, zone) = text.split_at(end);
        let parts: Vec<&str> = digits.split(':').collect();
        let seconds = parts.last().map_or("", |last| last.split(['.', ',']).next().unwrap_or_default());
        (2..=3).contains(&parts.len())
            && parts[..parts.len() - 1].iter().all(|part| part.len() <= 2 && is_number(part))
            && seconds.len() == 2
            && is_number(seconds)
            && is_zone(zone)
    };
    date.is_none_or(is_date) && clock.is_none_or(is_clock)
}

/// Matches `127.0.0.1`, `127.0.0.1:3000`, `localhost:3000`, `::1:3000`.
fn is_address(word: &str) -> bool {
    let (host, port) = match word.rsplit_once(':') {
        Some((host, port)) if is_number(port) => (host, true),
        _ => (word, false),
    };
    let is_v4 = host.split('.').count() == 4 && host.split('.').all(|part| part.len() <= 3 && is_number(part));
    is_v4 || (port && matches!(host, "localhost" | "::1" | "[::1]" | "::" | "[::]"))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Replaces numbers and hexadecimal digits within a word.
fn pieces(word: &str, text: &mut String) {
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_inner = |sign: char| sign.is_alphanumeric() || sign == '_';
        if !is_inner(first) {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let mut end = rest.find(|sign| !is_inner(sign)).unwrap_or(rest.len());
        // A decimal number continues after its point.
        while is_number(&rest[..end]) && rest[end..].starts_with('.') {
            let more = &rest[end + 1..];
            let length = more.find(|sign| !is_inner(sign)).unwrap_or(more.len());
            if !more.starts_with(|sign: char| sign.is_ascii_digit()) {
                break;
            }
            end += 1 + length;
        }
        let (piece, after) = rest.split_at(end);
        match sign(piece) {
            Some(sign) => text.push_str(sign),
            None => text.push_str(piece),
        }
        rest = after;
    }
}

/// Returns the placeholder for a run of letters and digits. None: it is a name.
fn sign(piece: &str) -> Option<&'static str> {
    let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if piece.strip_prefix("0x").or_else(|| piece.strip_prefix("0X")).is_some_and(is_hex) {
        return Some("<hex>");
    }
    let has_both =
        piece.bytes().any(|byte| byte.is_ascii_digit()) && piece.bytes().any(|byte| byte.is_ascii_alphabetic());
    if piece.len() >= 8 && has_both && is_hex(piece) {
        return Some("<hex>");
    }
    let unit = piece.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.');
    match unit {
        _ if unit.len() == piece.len() => None,
        "" => Some("<n>"),
        _ if is_unit(unit) => Some("<duration>"),
        _ => None,
    }
}

fn is_unit(text: &str) -> bool {
    const UNITS: &[&str] = &[
        "ns",
        "us",
        "µs",
        "ms",
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "m",
        "min",
        "mins",
        "minute",
        "minutes",
        "h",
        "hour",
        "hours",
        "millisecond",
        "milliseconds",
    ];
    UNITS.contains(&text)
}

/// Joins a number and the unit in the next word to one duration.
fn join_durations(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        if !joined.is_empty() {
            joined.push(' ');
        }
        let bare =
            words.peek().map(|next| unwrapped(next)).filter(|(before, core, _)| before.is_empty() && is_unit(core));
        match (word.strip_suffix("<n>"), bare) {
            (Some(before), Some((_, _, after))) => {
                words.next();
                joined.push_str(before);
                joined.push_str("<duration>");
                joined.push_str(after);
            }
            _ => joined.push_str(word),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_changes_from_run_to_run_becomes_a_sign() {
        for (message, expected) in [
            ("Expected 404, received 200", "Expected <n>, received <n>"),
            ("timed out after 5000ms", "timed out after <duration>"),
            ("timed out after 5 000 ms.", "timed out after <n> <duration>."),
            ("took 1.25 s (limit 3 minutes)", "took <duration> (limit <duration>)"),
            ("Exceeded timeout of 5000 ms for a test", "Exceeded timeout of <duration> for a test"),
            ("cannot open '/tmp/x-91/a.json'", "cannot open '<path>'"),
            ("at src/a.ts:12:5", "at <path>"),
            ("in C:\\work\\a.cs", "in <path>"),
            ("see https://example.org/a/b?c=1", "see <path>"),
            ("GET http://localhost:3000/api/quotes", "GET <path>"),
            ("connect ECONNREFUSED 127.0.0.1:3000", "connect ECONNREFUSED <address>"),
            ("listening on localhost:41231", "listening on <address>"),
            ("id 123e4567-e89b-12d3-a456-426614174000 unknown", "id <uuid> unknown"),
            ("commit 3f2a9c1d at 0xDEADbeef", "commit <hex> at <hex>"),
            ("since 2026-11-22T09:05:24.123Z", "since <time>"),
            ("on 2026-11-22 at 09:05:24", "on <time> at <time>"),
            ("error TS2345: user1 is not user2", "error TS2345: user1 is not user2"),
            ("utf8 and sha256 and h2", "utf8 and sha256 and h2"),
            ("text/html or application/json and/or", "text/html or application/json and/or"),
            ("  many\n\tspaces  ", "many spaces"),
            ("x=12, y=[3.5]", "x=<n>, y=[<n>]"),
            ("v1.2.3", "v1.<n>"),
            ("", ""),
        ] {
            assert_eq!(normalized(message), expected, "{message}");
        }
    }

    proptest! {
        #[test]
        fn numbers_of_any_size_come_to_the_same(first in any::<u32>(), second in any::<u32>()) {
            let said = |number: u32| normalized(&format!("expected {number} items within {number}ms"));
            prop_assert_eq!(said(first), said(second));
        }

        #[test]
        fn any_text_is_taken(text in "\\PC*") {
            let once = normalized(&text);
            prop_assert!(!once.contains("  "));
        }
    }
}
