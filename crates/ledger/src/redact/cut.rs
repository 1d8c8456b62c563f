//! Applies redactions to a text.

/// Replaces every byte of a secret.
pub(super) const REPLACEMENT: u8 = b'*';

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) rule: String,
}

/// Redacts the cuts in a text and returns those that were applied: in order, overlapping ones merged under the
/// rule of the first, and without those that contain only replacements already.
pub(super) fn apply(text: &mut [u8], mut cuts: Vec<Cut>) -> Vec<Cut> {
    cuts.sort_by(|one, other| one.start.cmp(&other.start).then(other.end.cmp(&one.end)));
    let mut united: Vec<Cut> = Vec::new();
    for cut in cuts {
        match united.last_mut() {
            Some(last) if cut.start < last.end => last.end = last.end.max(cut.end),
            _ => united.push(cut),
        }
    }
    united.retain(|cut| text[cut.start..cut.end].iter().any(|&byte| byte != REPLACEMENT));
    for cut in &united {
        for byte in &mut text[cut.start..cut.end] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = REPLACEMENT;
            }
        }
    }
    united
}
