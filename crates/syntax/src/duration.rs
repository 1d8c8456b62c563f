//! Durations, in milliseconds.

/// Units as typed, in milliseconds.
const UNITS: [(&str, f64); 4] = [("ms", 1.0), ("s", 1_000.0), ("m", 60_000.0), ("h", 3_600_000.0)];

/// Formats a duration for people: `850 ms`, `3.2 s`, `2 min 05 s`, `5 min`, `1 h 02 min`. Never rounds up.
pub fn short(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) => format!("{milliseconds} ms"),
        (0, 0, seconds) => format!("{seconds}.{} s", milliseconds % 1000 / 100),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// Formats a duration exactly, for comparison with another one: `850 ms`, `10 s`, `10.05 s`.
pub fn exact(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    match (seconds, rest) {
        (0, _) => format!("{milliseconds} ms"),
        (_, 0) => format!("{seconds} s"),
        _ => format!("{seconds}.{} s", format!("{rest:03}").trim_end_matches('0')),
    }
}

/// Parses a number with a unit (`ms`, `s`, `m`, `h`), such as `90s` or `1.5h`, rounded to whole milliseconds.
/// None: not a duration.
pub fn parse(text: &str) -> Option<u64> {
    crate::size::with_unit(text, &UNITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        for (milliseconds, words) in [
            (0, "0 ms"),
            (850, "850 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (3_249, "3.2 s"),
            (59_999, "59.9 s"),
            (60_000, "1 min"),
            (125_400, "2 min 05 s"),
            (3_600_000, "1 h"),
            (3_720_000, "1 h 02 min"),
            (u64::MAX, "5124095576030 h 25 min"),
        ] {
            assert_eq!(short(milliseconds), words);
        }
    }

    #[test]
    fn exact_durations_lose_nothing() {
        for (milliseconds, text) in
            [(0, "0 ms"), (850, "850 ms"), (10_000, "10 s"), (10_050, "10.05 s"), (1_001, "1.001 s"), (90_000, "90 s")]
        {
            assert_eq!(exact(milliseconds), text);
        }
    }

    #[test]
    fn a_typed_duration_is_a_number_with_a_unit() {
        for (text, milliseconds) in [
            ("100ms", Some(100)),
            ("60s", Some(60_000)),
            ("0.5s", Some(500)),
            ("1.5h", Some(5_400_000)),
            ("5m", Some(300_000)),
            ("", None),
            ("5", None),
            ("s", None),
            (".s", None),
            ("-5s", None),
            ("5 s", None),
            ("5d", None),
            ("5mm", None),
            ("1.2.3s", None),
            ("١s", None),
        ] {
            assert_eq!(parse(text), milliseconds, "{text}");
        }
    }
}
