//! Values of databases as JSON, without loss: what JSON readers would round is text, and bytes are marked.

use referee_syntax::base64;
use serde_json::{Value, json};

/// Digits that a double keeps whatever they are.
const DIGITS: usize = 15;

/// Greatest whole number up to which a double tells all numbers apart (2^53 - 1).
const WHOLE: u64 = (1 << 53) - 1;

/// Maximum nesting of JSON that is embedded, so that whoever reads the answer can read it.
const DEPTH: usize = 64;

/// Returns a whole number: a number, or text where JSON readers may round it.
pub(crate) fn whole(text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if number.unsigned_abs() <= WHOLE => number.into(),
        _ => text.into(),
    }
}

/// Returns a floating-point number: a number, or text where JSON has none, as for `NaN`.
pub(crate) fn floating(text: &str) -> Value {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => json!(number),
        _ => text.into(),
    }
}

/// Returns bytes, marked so that no text looks like them.
pub(crate) fn bytes(bytes: &[u8]) -> Value {
    json!({ "base64": base64::encode(bytes) })
}

/// Returns text; bytes that are not UTF-8 are bytes.
pub(crate) fn text(text: &[u8]) -> Value {
    std::str::from_utf8(text).map_or_else(|_| bytes(text), Into::into)
}

/// Returns JSON as itself, or as text where something of it would be lost: numbers of many digits, repeated keys.
pub(crate) fn embedded(text: &str) -> Value {
    let parsed = serde_json::from_str::<Value>(text).ok();
    let kept =
        parsed.filter(|value| depth(value) <= DEPTH && has_plain_numbers(text) && colons(text) == entries(value));
    kept.unwrap_or_else(|| text.into())
}

/// Returns a date with a time as RFC 3339 writes it; `zoned`: the offset is that of UTC, written as Z. What is no such
/// time, as `infinity` and years before Christ, stays as it is.
pub(crate) fn timestamp(text: &str, zoned: bool) -> Value {
    let Some((date, time)) = text.split_once(' ') else { return text.into() };
    let time = if zoned { time.strip_suffix("+00").unwrap_or(time) } else { time };
    let is_plain = |part: &str, separators: &[char]| {
        !part.is_empty() && part.chars().all(|one| one.is_ascii_digit() || separators.contains(&one))
    };
    if !is_plain(date, &['-']) || !is_plain(time, &[':', '.']) {
        return text.into();
    }
    format!("{date}T{time}{}", if zoned { "Z" } else { "" }).into()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(depth).max().unwrap_or(0),
        Value::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn entries(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(entries).sum(),
        Value::Object(map) => map.len() + map.values().map(entries).sum::<usize>(),
        _ => 0,
    }
}

/// Returns the text of JSON between its strings.
fn outside_strings(json: &str) -> impl Iterator<Item = char> {
    let (mut inside, mut escaped) = (false, false);
    json.chars().map(move |character| {
        let was_inside = inside;
        match character {
            '"' if !escaped => inside = !inside,
            '\\' if inside && !escaped => {
                escaped = true;
                return ' ';
            }
            _ => {}
        }
        escaped = false;
        if was_inside || character == '"' { ' ' } else { character }
    })
}

fn colons(json: &str) -> usize {
    outside_strings(json).filter(|character| *character == ':').count()
}

/// Whether a double keeps all numbers of a JSON text.
fn has_plain_numbers(json: &str) -> bool {
    let plain: String = outside_strings(json).collect();
    let is_number = |one: char| one.is_ascii_digit() || "+-.eE".contains(one);
    plain.split(|one| !is_number(one)).filter(|token| token.contains(|one: char| one.is_ascii_digit())).all(|token| {
        let (digits, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let count = digits.chars().filter(char::is_ascii_digit).count();
        count <= DIGITS && exponent.parse::<i32>().is_ok_and(|exponent| exponent.abs() <= 200)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_numbers_where_json_readers_keep_them() {
        for (text, expected) in [
            ("0", json!(0)),
            ("-7", json!(-7)),
            ("9007199254740991", json!(9_007_199_254_740_991_u64)),
            ("-9007199254740991", json!(-9_007_199_254_740_991_i64)),
            ("9007199254740992", json!("9007199254740992")),
            ("-9223372036854775808", json!("-9223372036854775808")),
            ("18446744073709551615", json!("18446744073709551615")),
            ("00042", json!(42)),
            ("", json!("")),
        ] {
            assert_eq!(whole(text), expected, "{text}");
        }
        for (text, expected) in [
            ("0.1", json!(0.1)),
            ("1e+300", json!(1e300)),
            ("-0", json!(-0.0)),
            ("NaN", json!("NaN")),
            ("-Infinity", json!("-Infinity")),
            ("1e999", json!("1e999")),
        ] {
            assert_eq!(floating(text), expected, "{text}");
        }
    }

    #[test]
    fn bytes_are_marked_and_text_is_text() {
        assert_eq!(bytes(b"\x00\xff"), json!({ "base64": "AP8=" }));
        assert_eq!(text("ü\0\n".as_bytes()), json!("ü\0\n"));
        assert_eq!(text(b"\xff"), json!({ "base64": "/w==" }));
    }

    #[test]
    fn times_are_written_as_rfc_3339_does() {
        for (text, zoned, expected) in [
            ("2024-02-29 12:30:45.123456+00", true, "2024-02-29T12:30:45.123456Z"),
            ("2024-02-29 12:30:45", true, "2024-02-29T12:30:45Z"),
            ("2024-02-29 12:30:45", false, "2024-02-29T12:30:45"),
            ("2024-02-29 12:30:45+05:30", true, "2024-02-29 12:30:45+05:30"),
            ("0044-03-15 12:00:00+00 BC", true, "0044-03-15 12:00:00+00 BC"),
            ("infinity", true, "infinity"),
            ("2024-02-29", false, "2024-02-29"),
        ] {
            assert_eq!(timestamp(text, zoned), json!(expected), "{text}");
        }
    }

    #[test]
    fn json_is_itself_unless_something_of_it_would_be_lost() {
        for text in [
            r#"{"a": [1, 2.5, -3e2, null, true], "b": {"c": "x:y \" 12345678901234567890"}}"#,
            r#""text""#,
            "[]",
            r#"{"\\": ":"}"#,
        ] {
            assert_eq!(embedded(text), serde_json::from_str::<Value>(text).unwrap(), "{text}");
        }
        let deep = format!("{}{}", "[".repeat(DEPTH + 1), "]".repeat(DEPTH + 1));
        for text in [r#"{"a": 1, "a": 2}"#, "12345678901234567890", "[0.1234567890123456]", "1e308", "{", deep.as_str()]
        {
            assert_eq!(embedded(text), json!(text), "{text}");
        }
    }
}
