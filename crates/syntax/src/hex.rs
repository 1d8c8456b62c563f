//! Bytes as hexadecimal digits.

use data_encoding::HEXLOWER;

/// Returns two lower digits a byte.
pub fn encode(bytes: &[u8]) -> String {
    HEXLOWER.encode(bytes)
}
