//! Values whose serialized form is a text.

/// Implements the conversions that a type is serialized by: a text is parsed, and a value is written as it is displayed.
macro_rules! written_as_text {
    ($name:ident, $error:ty) => {
        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                Self::parse(text.as_str())
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.to_string()
            }
        }
    };
}

/// Implements the same for a struct that is nothing but a valid text, and gives access to the text.
macro_rules! holds_text {
    ($name:ident, $error:ty) => {
        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        written_as_text!($name, $error);
    };
}
