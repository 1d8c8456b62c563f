//! Equality of JSON values as people see it.

use serde_json::{Number, Value};

/// Returns whether two values are equal; `1` and `1.0` are.
pub(crate) fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => is_same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_there =
                |(name, value): (&String, &Value)| other.get(name).is_some_and(|there| is_same(value, there));
            one.len() == other.len() && one.iter().all(is_there)
        }
        _ => one == other,
    }
}

fn is_same_number(one: &Number, other: &Number) -> bool {
    let whole = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.as_f64() == other.as_f64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_equal_however_they_are_written() {
        for (one, other, expected) in [
            (json!(1), json!(1.0), true),
            (json!({"a": [1, {"b": 2}]}), json!({"a": [1.0, {"b": 2}]}), true),
            (json!(u64::MAX), json!(u64::MAX - 1), false),
            (json!("1"), json!(1), false),
            (json!({"a": 1}), json!({"a": 1, "b": 2}), false),
            (json!([1]), json!([1, 1]), false),
        ] {
            assert_eq!(is_same(&one, &other), expected, "{one} {other}");
        }
    }
}
