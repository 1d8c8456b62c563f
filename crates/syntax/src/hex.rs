//! Hexadecimal encoding.

use data_encoding::HEXLOWER;

/// Encodes each byte as two lower-case digits.
pub fn encode(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}
