//! Deserialization of JSON integers, including equal ones in another notation such as `3.0`.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Number;

/// Largest number up to which every integer has an exact floating-point value.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(super) fn deserialize<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: TryFrom<i64>,
{
    let Some(number) = Option::<Number>::deserialize(deserializer)? else { return Ok(None) };
    let whole = number.as_i64().or_else(|| number.as_f64().and_then(of_floating));
    let fits = whole.and_then(|whole| T::try_from(whole).ok());
    fits.map(Some).ok_or_else(|| D::Error::custom(format!("`{number}` is not a whole number that can be meant here")))
}

#[expect(clippy::cast_possible_truncation, reason = "it is whole, and small enough to be exact")]
fn of_floating(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Holder {
        #[serde(default, deserialize_with = "deserialize")]
        count: Option<u32>,
    }

    #[test]
    fn a_whole_number_is_read_however_it_is_written_and_no_other() {
        let count = |text: &str| serde_json::from_str::<Holder>(text).map(|holder| holder.count);
        assert_eq!(count(r#"{"count":3}"#).unwrap(), Some(3));
        assert_eq!(count(r#"{"count":3.0}"#).unwrap(), Some(3));
        assert_eq!(count(r#"{"count":3e2}"#).unwrap(), Some(300));
        assert_eq!(count(r#"{"count":null}"#).unwrap(), None);
        assert_eq!(count("{}").unwrap(), None);
        for wrong in ["3.5", "-1", "1e300", "4294967296", "\"3\"", "true", "[3]"] {
            assert!(count(&format!(r#"{{"count":{wrong}}}"#)).is_err(), "{wrong}");
        }
    }
}
