//! Decodes bytes as text, and detects its format.

/// Formats of a specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// YAML 1.2.
    Yaml,
}

/// Error for bytes that are not text.
pub(super) struct NotText {
    /// The text in displayable form; identical to the bytes up to `offset`.
    pub(super) text: String,
    /// Offset of the first invalid byte.
    pub(super) offset: usize,
    pub(super) message: String,
}

/// Decodes UTF-8, without a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<String, NotText> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let fault =
        |offset, message: String| Err(NotText { text: String::from_utf8_lossy(bytes).into_owned(), offset, message });
    if is_utf16(bytes) {
        return fault(0, "this is UTF-16, not UTF-8".to_owned());
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => match text.find('\0') {
            Some(offset) => fault(offset, format!("this is binary, not text: a zero byte at offset {offset}")),
            None => Ok(text.to_owned()),
        },
        Err(error) => {
            let offset = error.valid_up_to();
            let found = bytes.get(offset).copied().unwrap_or_default();
            let what = if bytes.contains(&0) { "this is binary, not text" } else { "this is not UTF-8" };
            fault(offset, format!("{what}: the byte 0x{found:02x} at offset {offset}"))
        }
    }
}

/// Returns whether bytes are UTF-16: by their byte order mark, or by zero bytes beside the first characters.
fn is_utf16(bytes: &[u8]) -> bool {
    let marked = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let zero = |index: usize| bytes.get(index) == Some(&0);
    let letter = |index: usize| bytes.get(index).is_some_and(|&byte| byte != 0);
    let little = letter(0) && zero(1) && letter(2) && zero(3);
    let big = zero(0) && letter(1) && zero(2) && letter(3);
    marked || little || big
}

/// Detects the format by content: a text that begins with an object whose first key is quoted, or with a
/// comment that only JSON has, is JSON. A YAML flow mapping begins with an unquoted word.
pub(super) fn format(text: &str) -> Format {
    let rest = text.trim_start();
    if rest.starts_with("//") || rest.starts_with("/*") {
        return Format::Json;
    }
    let Some(inner) = rest.strip_prefix(['{', '[']) else { return Format::Yaml };
    let inner = inner.trim_start();
    if inner.is_empty() || inner.starts_with(['"', '{', '[', '}', ']', '/']) { Format::Json } else { Format::Yaml }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_told_by_content() {
        for text in ["{\"a\": 1}", " \n{ }", "// c\n{}", "/* c */ {}", "{ // c\n \"a\": 1}", "{", "[{\"a\": 1}]"] {
            assert_eq!(format(text), Format::Json, "{text}");
        }
        for text in ["a: 1", "{ a: 1 }", "# c\n{\"a\": 1}", "---\n{}", "%YAML 1.2\n---\na: 1", "", "\"a\": 1", "- a"] {
            assert_eq!(format(text), Format::Yaml, "{text}");
        }
    }

    #[test]
    fn only_utf8_without_zero_bytes_is_text() {
        assert_eq!(decode(b"\xef\xbb\xbfa").ok(), Some("a".to_owned()));
        for (bytes, found) in [
            (&b"\xff\xfea\0"[..], "UTF-16"),
            (b"\xfe\xff\0a", "UTF-16"),
            (b"a\0b\0", "UTF-16"),
            (b"\0a\0b", "UTF-16"),
            (b"ab\0c", "zero byte at offset 2"),
            (b"\x7fELF\x02\xf0\0", "binary, not text: the byte 0xf0"),
            (b"a\xe9", "the byte 0xe9 at offset 1"),
        ] {
            let fault = decode(bytes).unwrap_err();
            assert!(fault.message.contains(found), "{bytes:?}: {}", fault.message);
        }
    }
}
