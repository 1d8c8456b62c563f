//! Hexadecimal encoding.

use data_encoding::HEXLOWER;

/// Encodes each byte as two lower-case digits.
pub fn encode(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}

/// Decodes pairs of lower-case digits. None: it is something else.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    HEXLOWER.decode(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_can_be_decoded_and_nothing_else() {
        assert_eq!(decode(&encode(b"\x00\xff")), Some(b"\x00\xff".to_vec()));
        assert_eq!(decode("00ff0a"), Some(vec![0, 255, 10]));
        for junk in ["0", "0g", "00f", "FF", " 00", "+1", "é1"] {
            assert_eq!(decode(junk), None, "{junk}");
        }
    }
}
