//! Enums whose values are words: each value stands next to its word, and nowhere else.

/// Declares enums. Each value is followed by the word that documents, messages or commands have for it. `ALL` has the values
/// in their order, `as_str` returns the word of a value, and `parse` the value of a word.
///
/// ```
/// referee_model::words! {
///     /// How a list is sorted.
///     #[derive(Debug, Clone, Copy, PartialEq, Eq)]
///     pub enum Order {
///         /// The least comes first.
///         Ascending = "asc",
///         /// The greatest comes first.
///         Descending = "desc",
///     }
/// }
///
/// assert_eq!(Order::ALL, [Order::Ascending, Order::Descending]);
/// assert_eq!(Order::Descending.as_str(), "desc");
/// assert_eq!(Order::parse("asc"), Some(Order::Ascending));
/// assert_eq!(Order::parse("Ascending"), None);
/// ```
#[macro_export]
macro_rules! words {
    ($(
        $(#[$($attribute:tt)*])*
        pub enum $name:ident {
            $($(#[$($of_value:tt)*])* $value:ident = $word:literal,)*
        }
    )+) => {$(
        $(#[$($attribute)*])*
        pub enum $name {
            $($(#[$($of_value)*])* $value,)*
        }

        impl $name {
            /// All values.
            pub const ALL: [Self; [$($word),*].len()] = [$(Self::$value),*];

            /// Returns the word for the value.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }

            /// Returns the value with this word. None: there is no such value.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.as_str() == text)
            }
        }
    )+};
}

/// Declares an enum as [`document_words!`] does, whose `meaning` returns the sentence in the comment on a value.
macro_rules! words_with_meanings {
    (
        $(#[$($attribute:tt)*])*
        pub enum $name:ident {
            $($(#[doc = $doc:literal])* $value:ident = $word:literal,)*
        }
    ) => {
        document_words! {
            $(#[$($attribute)*])*
            pub enum $name {
                $($(#[doc = $doc])* $value = $word,)*
            }
        }

        impl $name {
            /// Returns the meaning, the same sentence as in the documentation of the value.
            pub fn meaning(self) -> &'static str {
                let sentence = match self {
                    $(Self::$value => concat!($($doc),*),)*
                };
                sentence.trim_ascii_start()
            }
        }
    };
}

/// Declares enums as [`words!`] does, which derive `Serialize`, `Deserialize` or both: the words are their serialized form.
#[macro_export]
macro_rules! document_words {
    ($(
        $(#[$($attribute:tt)*])*
        pub enum $name:ident {
            $($(#[$($of_value:tt)*])* $value:ident = $word:literal,)*
        }
    )+) => {
        $crate::words! {$(
            $(#[$($attribute)*])*
            pub enum $name {
                $($(#[$($of_value)*])* #[serde(rename = $word)] $value = $word,)*
            }
        )+}
    };
}
