//! Sets of bytes.

use regex_syntax::hir::{Class, Hir, HirKind};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    First,
    Last,
}

/// A set of bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Bytes([u64; 4]);

impl Bytes {
    pub(super) fn all() -> Self {
        Self([u64::MAX; 4])
    }

    #[inline]
    pub(super) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] & (1 << (byte % 64)) != 0
    }

    pub(super) fn add(&mut self, from: u8, to: u8) {
        for byte in from..=to {
            self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }

    /// Returns whether a byte is in both sets.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(word, other)| word & other != 0)
    }

    /// Returns the only byte of the set, if it has just one.
    pub(super) fn only(&self) -> Option<u8> {
        let is_one = self.0.iter().map(|word| word.count_ones()).sum::<u32>() == 1;
        (0..=u8::MAX).find(|byte| is_one && self.has(*byte))
    }

    /// Returns the only byte that is not in the set, if there is just one.
    pub(super) fn all_but(&self) -> Option<u8> {
        Self(self.0.map(|word| !word)).only()
    }

    /// Adds the bytes that a part can begin or end with. Returns whether the part can match nothing, so that its
    /// neighbor's bytes count too.
    pub(super) fn take(&mut self, hir: &Hir, side: Side) -> bool {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => return true,
            HirKind::Literal(literal) => {
                let end = if side == Side::First { literal.0.first() } else { literal.0.last() };
                end.inspect(|byte| self.add(**byte, **byte));
            }
            HirKind::Class(Class::Bytes(class)) => {
                class.iter().for_each(|range| self.add(range.start(), range.end()));
            }
            HirKind::Class(Class::Unicode(class)) => {
                class.iter().for_each(|range| self.add_characters(range.start(), range.end(), side));
            }
            HirKind::Repetition(repetition) => return self.take(&repetition.sub, side) || repetition.min == 0,
            HirKind::Capture(capture) => return self.take(&capture.sub, side),
            HirKind::Concat(parts) if side == Side::First => return parts.iter().all(|part| self.take(part, side)),
            HirKind::Concat(parts) => return parts.iter().rev().all(|part| self.take(part, side)),
            HirKind::Alternation(parts) => {
                let mut is_empty = false;
                for part in parts {
                    is_empty |= self.take(part, side);
                }
                return is_empty;
            }
        }
        false
    }

    fn add_characters(&mut self, from: char, to: char, side: Side) {
        let first = |character: char| character.encode_utf8(&mut [0; 4]).as_bytes()[0];
        if side == Side::First {
            return self.add(first(from), first(to));
        }
        if from.is_ascii() {
            self.add(first(from), if to.is_ascii() { first(to) } else { 0x7f });
        }
        if !to.is_ascii() {
            self.add(0x80, 0xbf);
        }
    }
}
