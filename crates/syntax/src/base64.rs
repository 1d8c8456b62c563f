//! Base64 encoding and decoding.

use std::borrow::Cow;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};

/// Encodes bytes in the standard alphabet with padding.
pub fn encode(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

/// Encodes bytes in the standard alphabet without padding.
pub fn encode_unpadded(bytes: &[u8]) -> String {
    BASE64_NOPAD.encode(bytes)
}

/// Encodes bytes in the URL-safe alphabet without padding.
pub fn encode_for_url(bytes: &[u8]) -> String {
    BASE64URL_NOPAD.encode(bytes)
}

/// Decodes the standard or the URL-safe alphabet, with or without padding. None: not valid base64.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let padding = text.bytes().rev().take_while(|byte| *byte == b'=').count();
    if padding > 2 || (padding > 0 && !text.len().is_multiple_of(4)) {
        return None;
    }
    let digits = &text[..text.len() - padding];
    let is_for_addresses = digits.contains(['-', '_']) && !digits.contains(['+', '/']);
    // Secrets use the standard alphabet and are not copied.
    let digits = if is_for_addresses { Cow::Owned(digits.replace('-', "+").replace('_', "/")) } else { digits.into() };
    BASE64_NOPAD.decode(digits.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_are_read_with_and_without_padding() {
        assert_eq!((encode(b"\xfb\xff"), encode_unpadded(b"\xfb\xff")), ("+/8=".to_owned(), "+/8".to_owned()));
        assert_eq!(encode_for_url(b"\xfb\xff"), "-_8");
        for text in ["+/8=", "+/8", "-_8=", "-_8"] {
            assert_eq!(decode(text), Some(b"\xfb\xff".to_vec()), "{text}");
        }
        for junk in ["+_8", "+/8==", "a", "====", "a b", "ä"] {
            assert_eq!(decode(junk), None, "{junk}");
        }
    }
}
