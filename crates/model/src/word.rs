//! Enums whose values are words: each value stands next to its word, and nowhere else.

/// Declares enums. Each value is followed by the word that documents, messages or commands have for it.
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

/// Declares enums as `words!` does, which derive `Serialize`, `Deserialize` or both: the words are their serialized form.
macro_rules! document_words {
    ($(
        $(#[$($attribute:tt)*])*
        pub enum $name:ident {
            $($(#[$($of_value:tt)*])* $value:ident = $word:literal,)*
        }
    )+) => {
        words! {$(
            $(#[$($attribute)*])*
            pub enum $name {
                $($(#[$($of_value)*])* #[serde(rename = $word)] $value = $word,)*
            }
        )+}
    };
}
