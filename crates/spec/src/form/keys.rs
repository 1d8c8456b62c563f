//! One declaration of known keys: fields for the check and the schema, members for the reading of a document.
//!
//! A key is spelled like its member, in camel case, unless the declaration says otherwise. A member that begins
//! with `_` has no effect. `also` are keys that are declared elsewhere, or internal keys that represent parts
//! of the short form for which the full form has no key: no document has those.

/// Returns the letters of a member's key, `exitCode` for `exit_code`, and how many there are.
pub const fn camel_case(member: &str) -> ([u8; 64], usize) {
    let member = member.as_bytes();
    let (mut key, mut at, mut length) = ([0; 64], 0, 0);
    while at < member.len() {
        if member[at] != b'_' {
            let is_inner = length > 0 && member[at - 1] == b'_';
            key[length] = if is_inner { member[at].to_ascii_uppercase() } else { member[at] };
            length += 1;
        }
        at += 1;
    }
    (key, length)
}

/// The key of a member.
macro_rules! key {
    ($member:ident) => {{
        const LETTERS: ([u8; 64], usize) = $crate::form::keys::camel_case(stringify!($member));
        const KEY: &str = match std::str::from_utf8(LETTERS.0.split_at(LETTERS.1).0) {
            Ok(key) => key,
            Err(_) => panic!("a member is spelt in ASCII"),
        };
        KEY
    }};
    ($member:ident $key:expr) => {
        $key
    };
}

/// Typed view of the values of a mapping.
macro_rules! view {
    ({ $($members:tt)* }) => {};
    ($view:ident { $($member:ident $($key:expr)?,)* }) => {
        #[doc = concat!("What stands under the keys of `", stringify!($view), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub struct $view<'a> {
            $(pub $member: referee_syntax::tree::Member<'a>,)*
        }

        impl<'a> $view<'a> {
            /// Looks up each key. All are absent if the node is not a mapping.
            pub fn of(node: impl Into<Option<&'a referee_syntax::tree::Node>>) -> Self {
                let node = node.into();
                Self {
                    $($member: {
                        const KEY: &str = $crate::form::keys::key!($member $($key)?);
                        referee_syntax::tree::Member::of(node, KEY)
                    },)*
                }
            }
        }
    };
}

/// A sentence from the lines of its comment.
macro_rules! sentence {
    ($($line:literal)+) => {
        concat!($($line),+).trim_ascii_start()
    };
}

/// A known key: its description is the comment, or an argument.
macro_rules! field {
    ([] $member:ident [$($key:tt)?] $make:ident($($argument:expr),*)) => {
        $make($crate::form::keys::key!($member $($key)?), $($argument),*)
    };
    ([$($line:literal)+] $member:ident [$($key:tt)?] $make:ident($($argument:expr),*)) => {
        $make($crate::form::keys::key!($member $($key)?), $crate::form::keys::sentence!($($line)+), $($argument),*)
    };
}

/// Known keys, with their view.
macro_rules! fields {
    (
        $visibility:vis $fields:ident: $view:ident {
            $($(#[doc = $line:literal])* $member:ident $(= $key:tt)?: $make:ident($($argument:expr),* $(,)?)),* $(,)?
        } $(also { $($also:ident: $also_key:expr),* })?
    ) => {
        $visibility static $fields: &[$crate::form::shape::Field] =
            &[$($crate::form::keys::field!([$($line)*] $member [$($key)?] $make($($argument),*))),*];

        $crate::form::keys::view!($view { $($member $($key)?,)* $($($also $also_key,)*)? });
    };
}

/// Treatment of other keys; by default they are refused.
macro_rules! others {
    () => {
        $crate::form::shape::Others::Refused
    };
    ($others:ident $($map:expr)?) => {
        $crate::form::shape::Others::$others$(($map))?
    };
}

/// A mapping with known keys, with its view. The comments are the descriptions in the JSON Schema.
macro_rules! object {
    (
        $(#[doc = $doc:literal])+
        $visibility:vis $shape:ident $(: $view:ident)? = $name:tt, $what:literal $(, $others:ident $(($map:expr))?)? {
            $($(#[doc = $line:literal])* $member:ident $(= $key:tt)?: $make:ident($($argument:expr),* $(,)?)),* $(,)?
        } $(also { $($also:ident: $also_key:expr),* })?
    ) => {
        $(#[doc = $doc])+
        $visibility static $shape: $crate::form::shape::Object = $crate::form::shape::Object {
            name: $name,
            what: $what,
            doc: $crate::form::keys::sentence!($($doc)+),
            fields: &[$($crate::form::keys::field!([$($line)*] $member [$($key)?] $make($($argument),*))),*],
            others: $crate::form::keys::others!($($others $($map)?)?),
        };

        $crate::form::keys::view!($($view)? { $($member $($key)?,)* $($($also $also_key,)*)? });
    };
}

/// A mapping of which one key selects the kind, with the view of the keys of all kinds.
macro_rules! variants {
    (
        $(#[doc = $doc:literal])+
        $visibility:vis $shape:ident: $view:ident = $name:literal, $what:literal {
            $($(#[doc = $tag_line:literal])* $tag:ident: $tag_make:ident($($tag_argument:expr),* $(,)?) => {
                $($(#[doc = $own_line:literal])* $own:ident: $own_make:ident($($own_argument:expr),* $(,)?)),* $(,)?
            })*
        } $(shared {
            $($(#[doc = $line:literal])* $shared:ident: $make:ident($($argument:expr),* $(,)?)),* $(,)?
        })? $(also { $($also:ident: $also_key:expr),* })?
    ) => {
        $(#[doc = $doc])+
        $visibility static $shape: $crate::form::shape::Variants = $crate::form::shape::Variants {
            name: $name,
            what: $what,
            doc: $crate::form::keys::sentence!($($doc)+),
            kinds: &[$($crate::form::shape::Kind {
                tag: $crate::form::keys::field!([$($tag_line)*] $tag [] $tag_make($($tag_argument),*)),
                fields: &[&[$($crate::form::keys::field!([$($own_line)*] $own [] $own_make($($own_argument),*))),*]],
            }),*],
            shared: &[$($($crate::form::keys::field!([$($line)*] $shared [] $make($($argument),*))),*)?],
        };

        $crate::form::keys::view!($view {
            $($tag, $($own,)*)*
            $($($shared,)*)?
            $($($also $also_key,)*)?
        });
    };
}

pub(crate) use {field, fields, key, object, others, sentence, variants, view};
