//! Parses the end of a waiver or of a token.

use referee_model::time::Timestamp;

const HOUR_MS: u64 = 60 * 60 * 1_000;
const DAY_MS: u64 = 24 * HOUR_MS;

/// Parses a duration from now such as `12h`, `3d` or `2w`, a date (until its end in UTC), or a full time.
///
/// # Errors
/// Fails for any other text.
pub fn until(text: &str, now: Timestamp) -> Result<Timestamp, String> {
    let unit = |end: char| text.strip_suffix(end).and_then(|number| number.parse::<u64>().ok());
    let span = [('h', HOUR_MS), ('d', DAY_MS), ('w', 7 * DAY_MS)]
        .into_iter()
        .find_map(|(end, unit_ms)| unit(end)?.checked_mul(unit_ms));
    if let Some(span) = span {
        return Ok(now.plus_milliseconds(span));
    }
    let day = Timestamp::parse(&format!("{text}T00:00:00Z")).map(|day| day.plus_milliseconds(DAY_MS));
    day.or_else(|_| Timestamp::parse(text)).map_err(|_| {
        format!("--until {text}: a time from now such as 12h, 3d or 2w is needed, or a date such as 2026-12-31")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_from_now_dates_and_whole_times_are_read() {
        let now = Timestamp::parse("2026-11-22T06:00:00.000Z").unwrap();
        for (text, meant) in [
            ("12h", "2026-11-22T18:00:00.000Z"),
            ("3d", "2026-11-25T06:00:00.000Z"),
            ("2w", "2026-12-06T06:00:00.000Z"),
            ("2026-11-30", "2026-12-01T00:00:00.000Z"),
            ("2026-11-30T12:00:00+01:00", "2026-11-30T11:00:00.000Z"),
        ] {
            assert_eq!(until(text, now).unwrap().to_string(), meant, "{text}");
        }
        for junk in ["", "d", "3", "3 d", "-3d", "soon", "99999999999999999999d", "2026-13-01"] {
            assert!(until(junk, now).unwrap_err().contains("2026-12-31"), "{junk}");
        }
    }
}
