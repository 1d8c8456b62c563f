//! Sizes, in bytes.

/// Units as typed, in bytes.
const UNITS: [(&str, f64); 9] = [
    ("B", 1.0),
    ("KB", 1e3),
    ("MB", 1e6),
    ("GB", 1e9),
    ("TB", 1e12),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// Formats a size for people: `850 B`, `1.2 kB`, `3.4 GB`.
pub fn short(bytes: u64) -> String {
    let units = ["kB", "MB", "GB", "TB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let (mut tenths, mut unit) = (bytes / 100, 0);
    while tenths >= 10_000 && unit + 1 < units.len() {
        (tenths, unit) = (tenths / 1_000, unit + 1);
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, units[unit])
}

/// Parses a number with a unit, such as `2GiB` or `1.5 MB`, rounded to whole bytes. None: not a size.
pub fn parse(text: &str) -> Option<u64> {
    with_unit(&text.replacen(' ', "", 1), &UNITS)
}

/// Parses a number directly followed by a unit, rounded to a whole number.
pub(crate) fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<u64> {
    let digits = text.find(|character: char| !character.is_ascii_digit() && character != '.')?;
    let (number, unit) = text.split_at(digits);
    let (_, factor) = units.iter().find(|(name, _)| *name == unit)?;
    let value = number.parse::<f64>().ok()? * factor;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it has no sign, and a cast saturates")]
    Some(value.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_sizes_have_a_unit_and_may_have_a_fraction() {
        for (text, expected) in [
            ("2GiB", Some(2 << 30)),
            ("1.5 MiB", Some(3 << 19)),
            ("100MB", Some(100_000_000)),
            ("10B", Some(10)),
            ("1TiB", Some(1 << 40)),
            ("100", None),
            ("1g", None),
            ("MiB", None),
            ("1.2.3MiB", None),
            ("-1MiB", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }

    #[test]
    fn sizes_read_as_people_say_them() {
        for (bytes, words) in
            [(0, "0 B"), (999, "999 B"), (1_250, "1.2 kB"), (3_400_000_000, "3.4 GB"), (u64::MAX, "18446744.0 TB")]
        {
            assert_eq!(short(bytes), words);
        }
    }
}
