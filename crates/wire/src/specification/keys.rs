//! One declaration of known keys: fields for the check and the schema, members for whoever reads a document.
//!
//! A member that begins with `_` has no effect. `also` are keys that are declared elsewhere, or by which the short form
//! becomes the full form where that has no word: no document has those.

/// What stands under the keys of a mapping.
macro_rules! view {
    ($view:ident { $($member:ident: $key:expr,)* }) => {
        #[doc = concat!("What stands under the keys of `", stringify!($view), "`.")]
        #[expect(missing_docs, reason = "the fields say what each key is about")]
        #[derive(Debug, Clone, Copy)]
        pub struct $view<'a> {
            $(pub $member: referee_syntax::tree::Member<'a>,)*
        }

        impl<'a> $view<'a> {
            /// Looks up each key. In what is no mapping there is none.
            pub fn of(node: impl Into<Option<&'a referee_syntax::tree::Node>>) -> Self {
                let node = node.into();
                Self {
                    $($member: {
                        static KEY: &str = $key;
                        referee_syntax::tree::Member::of(node, KEY)
                    },)*
                }
            }
        }
    };
}

/// Known keys, and their view.
macro_rules! fields {
    ($fields:ident: $view:ident {
        fields: &[$($member:ident: $field:expr),* $(,)?],
        $(also: &[$($also:ident: $key:expr),* $(,)?],)?
    }) => {
        static $fields: &[$crate::specification::shape::Field] = &[$($field),*];

        $crate::specification::keys::view!($view { $($member: $field.name,)* $($($also: $key,)*)? });
    };
}

/// A mapping with known keys, and its view.
macro_rules! object {
    ($visibility:vis $shape:ident: $view:ident {
        name: $name:expr,
        what: $what:expr,
        doc: $doc:expr,
        fields: &[$($member:ident: $field:expr),* $(,)?],
        $(also: &[$($also:ident: $key:expr),* $(,)?],)?
        others: $others:expr,
    }) => {
        #[doc = $doc]
        $visibility static $shape: $crate::specification::shape::Object = $crate::specification::shape::Object {
            name: $name,
            what: $what,
            doc: $doc,
            fields: &[$($field),*],
            others: $others,
        };

        $crate::specification::keys::view!($view { $($member: $field.name,)* $($($also: $key,)*)? });
    };
}

/// A mapping of which one key says what kind it is, with the view of the keys of all kinds.
macro_rules! variants {
    ($visibility:vis $shape:ident: $view:ident {
        name: $name:expr,
        what: $what:expr,
        doc: $doc:expr,
        kinds: &[$($tag:ident: $tag_field:expr => [$($own:ident: $own_field:expr),* $(,)?]),* $(,)?],
        shared: &[$($shared:ident: $shared_field:expr),* $(,)?],
        $(also: &[$($also:ident: $key:expr),* $(,)?],)?
    }) => {
        $visibility static $shape: $crate::specification::shape::Variants = $crate::specification::shape::Variants {
            name: $name,
            what: $what,
            doc: $doc,
            kinds: &[$($crate::specification::shape::Kind { tag: $tag_field, fields: &[&[$($own_field),*]] }),*],
            shared: &[$($shared_field),*],
        };

        $crate::specification::keys::view!($view {
            $($tag: $tag_field.name, $($own: $own_field.name,)*)*
            $($shared: $shared_field.name,)*
            $($($also: $key,)*)?
        });
    };
}

pub(crate) use {fields, object, variants, view};
