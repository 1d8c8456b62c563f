//! One-line signature of an incident as in the seed. It is not used for grouping: see [`super::grouping`].

use referee_model::limit::SIGNATURE_MESSAGE_CHARACTERS;

/// Returns class, step and message in one line: the non-empty parts, joined by ` | `, the message with single
/// spaces and cut to 180 characters (seed 3).
pub fn error_signature(class: &str, step: &str, message: &str) -> String {
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let message: String = message.chars().take(SIGNATURE_MESSAGE_CHARACTERS).collect();
    let parts = [class.trim(), step.trim(), message.trim_end()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_there_stand_in_one_line() {
        for (parts, signature) in [
            (
                ["transient", "amazon_download", "Network timeout during receipt download"],
                "transient | amazon_download | Network timeout during receipt download",
            ),
            (["unknown", "", "a\n  b\tc "], "unknown | a b c"),
            (["unknown", " ", ""], "unknown"),
            (["", "", ""], ""),
        ] {
            assert_eq!(error_signature(parts[0], parts[1], parts[2]), signature);
        }
        let long = error_signature("c", "s", &"ä".repeat(400));
        assert_eq!(long, format!("c | s | {}", "ä".repeat(180)));
    }
}
