//! Serialization of values that need a special form.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::number::Count;

/// Serializes a path as text, replacing what is not UTF-8.
pub(crate) fn lossy<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&path.to_string_lossy())
}

/// Serializes a number, limited to what every JSON parser represents exactly.
pub(crate) fn exact<S: Serializer>(number: &(impl Copy + Into<Option<u64>>), serializer: S) -> Result<S::Ok, S::Error> {
    (*number).into().map(Count::from).serialize(serializer)
}

/// Deserializes a map, rejecting duplicate keys.
pub(crate) fn distinct<'de, D, K, V>(deserializer: D) -> Result<BTreeMap<K, V>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de> + Ord + fmt::Debug,
    V: Deserialize<'de>,
{
    deserializer.deserialize_map(DistinctMap(PhantomData))
}

struct DistinctMap<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord + fmt::Debug, V: Deserialize<'de>> Visitor<'de> for DistinctMap<K, V> {
    type Value = BTreeMap<K, V>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut read = BTreeMap::new();
        while let Some(key) = map.next_key::<K>()? {
            if read.contains_key(&key) {
                return Err(A::Error::custom(format!("{key:?} appears twice")));
            }
            read.insert(key, map.next_value()?);
        }
        Ok(read)
    }
}
