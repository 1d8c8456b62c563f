//! Streams the elements of a list in a JSON document one by one, without holding the list in memory.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, SeqAccess, Visitor};

use crate::document::Cursor;

/// Deserializes a list element by element.
pub(crate) struct Each<T, F> {
    cursor: Cursor,
    take: F,
    element: PhantomData<T>,
}

/// Reads a list: `take` receives each element with its start and end offsets.
pub(crate) fn each<T, F: FnMut(T, u64, u64)>(cursor: &Cursor, take: F) -> Each<T, F> {
    Each { cursor: cursor.clone(), take, element: PhantomData }
}

/// Reads a list whose element positions are not needed.
pub(crate) fn elements<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
    mut take: impl FnMut(T),
) -> Result<(), D::Error> {
    each(&Cursor::default(), |element, _, _| take(element)).deserialize(deserializer)
}

impl<'de, T: Deserialize<'de>, F: FnMut(T, u64, u64)> DeserializeSeed<'de> for Each<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T, u64, u64)> Visitor<'de> for Each<T, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        loop {
            let start = self.cursor.offset();
            let Some(element) = list.next_element()? else { return Ok(()) };
            (self.take)(element, start, self.cursor.offset());
        }
    }
}
