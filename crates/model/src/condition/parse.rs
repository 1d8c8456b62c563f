//! Parser for conditions.
//!
//! Grammar, from the weakest binding to the strongest:
//!
//! ```text
//! or         = and { "||" and }
//! and        = comparison { "&&" comparison }
//! comparison = unary [ ("===" | "!==" | "==" | "!=" | ">" | ">=" | "<" | "<=") unary ]
//! unary      = "!" unary | postfix
//! postfix    = primary { ".includes(" or ")" | "." name | "[" (digits | text) "]" }
//! primary    = number | text | "true" | "false" | "null" | "undefined" | "(" or ")" | "Array.isArray(" or ")" | subject
//! subject    = SCOPE "." digits | SCOPE "[" (digits | text) "]" | field | tool
//! ```
//!
//! A name without a scope is a field of the last step. A name that no action has as a field, followed by a
//! field, is a tool.

use super::scan::{Scanner, begins_name, continues_name, is_reserved};
use super::{Comparison, Expression, Field, Literal, PathStep, Subject, SyntaxError, fields};
use crate::id::ActionId;
use crate::limit::{CONDITION_BYTES, CONDITION_DEPTH};

/// Maximum nesting depth of expressions. Greater than [`CONDITION_DEPTH`], because each `&&` in `a && b && c`
/// nests, too.
const EXPRESSIONS_DEEP: usize = 256;

/// Parses a condition.
///
/// # Errors
/// Fails if the text does not follow the grammar, is longer than [`CONDITION_BYTES`], or is nested deeper than
/// [`CONDITION_DEPTH`].
pub fn parse(text: &str) -> Result<Expression, SyntaxError> {
    if text.len() > CONDITION_BYTES {
        let message = format!("a condition has at most {CONDITION_BYTES} bytes, and this one {}", text.len());
        return Err(SyntaxError { offset: 0, message });
    }
    let mut parser = Parser { scanner: Scanner::new(text), nested: 0 };
    let node = parser.or()?;
    parser.scanner.skip_space();
    match parser.scanner.peek() {
        None => Ok(node.expression),
        Some(_) => Err(parser.unknown_operator()),
    }
}

#[derive(Debug)]
struct Parser<'a> {
    scanner: Scanner<'a>,
    /// Current nesting depth of the expressions that are being parsed.
    nested: usize,
}

/// An expression with its nesting depth.
#[derive(Debug)]
struct Node {
    expression: Expression,
    depth: usize,
}

impl Node {
    fn leaf(expression: Expression) -> Self {
        Self { expression, depth: 1 }
    }
}

impl<'a> Parser<'a> {
    fn or(&mut self) -> Result<Node, SyntaxError> {
        let mut left = self.and()?;
        while self.take("||") {
            let right = self.and()?;
            left = self.pair(left, right, Expression::Or)?;
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Node, SyntaxError> {
        let mut left = self.comparison()?;
        while self.take("&&") {
            let right = self.comparison()?;
            left = self.pair(left, right, Expression::And)?;
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Node, SyntaxError> {
        let left = self.unary()?;
        let Some(operator) = self.operator() else { return Ok(left) };
        let right = self.unary()?;
        let after = self.scanner.clone();
        if self.operator().is_some() {
            return Err(after.error_here(
                "comparisons cannot be chained: join them by `&&`, or put parentheses around the first one",
            ));
        }
        self.pair(left, right, |left, right| Expression::Compare { left, operator, right })
    }

    fn operator(&mut self) -> Option<Comparison> {
        // Longer operators come before those that are their prefixes.
        let operators = [
            ("===", Comparison::Equal),
            ("!==", Comparison::NotEqual),
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<=", Comparison::LessOrEqual),
            (">", Comparison::Greater),
            ("<", Comparison::Less),
        ];
        let rest = self.scanner.rest();
        if rest.starts_with(">>") || rest.starts_with("<<") {
            return None;
        }
        operators.into_iter().find_map(|(text, operator)| self.take(text).then_some(operator))
    }

    fn unary(&mut self) -> Result<Node, SyntaxError> {
        self.scanner.skip_space();
        if !self.take("!") {
            return self.postfix();
        }
        let inner = self.deeper(Self::unary)?;
        self.around(inner, |inner| Expression::Not(Box::new(inner)))
    }

    fn postfix(&mut self) -> Result<Node, SyntaxError> {
        let mut node = self.primary()?;
        loop {
            self.scanner.skip_space();
            let before = self.scanner.clone();
            if self.scanner.rest().starts_with("...") {
                return Err(self.unknown_operator());
            } else if self.take(".") {
                self.scanner.skip_space();
                let Some(name) = self.scanner.name() else {
                    return Err(self.scanner.error_here("the name of a field is expected after `.`"));
                };
                self.scanner.skip_space();
                if self.scanner.peek() == Some('(') {
                    node = self.includes(node, name, &before)?;
                } else {
                    push(&mut node, PathStep::Key(name.to_owned()), &before)?;
                }
            } else if self.take("[") {
                let step = self.index()?;
                push(&mut node, step, &before)?;
            } else {
                return Ok(node);
            }
        }
    }

    /// Parses `(part)` after `whole.includes`.
    fn includes(&mut self, whole: Node, name: &str, before: &Scanner<'_>) -> Result<Node, SyntaxError> {
        if name != "includes" {
            let known = "only `.includes(…)` and `Array.isArray(…)` can be called";
            return Err(before.error_here(format!("`.{name}(…)` is not known: {known}")));
        }
        let part = self.argument()?;
        self.pair(whole, part, |whole, part| Expression::Includes { whole, part })
    }

    /// Parses one value in parentheses.
    fn argument(&mut self) -> Result<Node, SyntaxError> {
        self.scanner.take("(");
        self.scanner.skip_space();
        if self.scanner.peek() == Some(')') {
            return Err(self.scanner.error_here("a value is expected between the parentheses"));
        }
        let node = self.deeper(Self::or)?;
        if self.scanner.peek() == Some(',') {
            return Err(self.scanner.error_here("one value is expected between the parentheses, not several"));
        }
        self.close(')')?;
        Ok(node)
    }

    /// Parses `0]` or `'key']`.
    fn index(&mut self) -> Result<PathStep, SyntaxError> {
        self.scanner.skip_space();
        let step = match self.scanner.peek() {
            Some(quote @ ('\'' | '"')) => PathStep::Key(self.scanner.quoted(quote)?),
            Some(digit) if digit.is_ascii_digit() => {
                let before = self.scanner.clone();
                let digits = self.scanner.take_while(|next| next.is_ascii_digit());
                let index = digits.parse().map_err(|_| before.error_here("this index is too large"))?;
                PathStep::Index(index)
            }
            _ => return Err(self.scanner.error_here("digits or a text in quotes are expected after `[`")),
        };
        self.scanner.skip_space();
        self.close(']')?;
        Ok(step)
    }

    fn primary(&mut self) -> Result<Node, SyntaxError> {
        self.scanner.skip_space();
        if self.scanner.number_comes() {
            return Ok(Node::leaf(Expression::Literal(Literal::Number(self.scanner.number()?))));
        }
        match self.scanner.peek() {
            Some(quote @ ('\'' | '"')) => {
                Ok(Node::leaf(Expression::Literal(Literal::Text(self.scanner.quoted(quote)?))))
            }
            Some('(') => self.argument(),
            Some(first) if begins_name(first) => self.named(),
            _ => Err(self.no_value()),
        }
    }

    /// Parses an expression that begins with a name.
    fn named(&mut self) -> Result<Node, SyntaxError> {
        let before = self.scanner.clone();
        let name = self.first_name();
        let literal = match name {
            "true" => Literal::Boolean(true),
            "false" => Literal::Boolean(false),
            "null" => Literal::Null,
            "undefined" => Literal::Undefined,
            "Array" => return self.is_array(&before),
            name if is_reserved(name) => {
                return Err(before.error_here(format!("`{name}` is not supported in conditions")));
            }
            name if is_scope(name) => {
                let id = self.action(name, &before)?;
                return Ok(Node::leaf(Expression::Field(Field { of: Subject::Action(id), path: Vec::new() })));
            }
            name => {
                let path = vec![PathStep::Key(name.to_owned())];
                return Ok(Node::leaf(Expression::Field(Field { of: Subject::LastStep, path })));
            }
        };
        Ok(Node::leaf(Expression::Literal(literal)))
    }

    /// Consumes the next name. The name of a tool may contain hyphens if a field follows
    /// (`golangci-lint.errorCount`).
    fn first_name(&mut self) -> &'a str {
        let start = self.scanner.offset();
        let name = self.scanner.name().unwrap_or_default();
        if fields::is_field(name) || is_scope(name) || is_reserved(name) {
            return name;
        }
        let mut longer = self.scanner.clone();
        while longer.take("-") {
            if longer.take_while(continues_name).is_empty() {
                return name;
            }
        }
        let end = longer.clone();
        let field_follows = if longer.take(".") {
            longer.name().is_some() && !longer.rest().trim_start().starts_with('(')
        } else {
            longer.take("[") && longer.rest().trim_start().starts_with(['\'', '"'])
        };
        if field_follows {
            self.scanner = end;
        }
        self.scanner.since(start)
    }

    /// Parses the number of an action: `.4`, `[4]`, `['4']`.
    fn action(&mut self, scope: &str, before: &Scanner<'_>) -> Result<ActionId, SyntaxError> {
        self.scanner.skip_space();
        let number = if self.scanner.take(".") {
            self.scanner.skip_space();
            let digits = self.scanner.take_while(|next| next.is_ascii_digit());
            if digits.is_empty() || self.scanner.peek().is_some_and(continues_name) {
                let message = format!("the number of an action is expected after `{scope}.`, as in `{scope}.1`");
                return Err(self.scanner.error_here(message));
            }
            digits.to_owned()
        } else if self.scanner.take("[") {
            match self.index()? {
                PathStep::Key(number) => number,
                PathStep::Index(number) => number.to_string(),
            }
        } else {
            let message = format!("`{scope}` needs the number of an action, as in `{scope}.1`");
            return Err(before.error_here(message));
        };
        ActionId::parse(format!("{scope}.{number}")).map_err(|error| before.error_here(error.to_string()))
    }

    fn is_array(&mut self, before: &Scanner<'_>) -> Result<Node, SyntaxError> {
        let mut rest = self.scanner.clone();
        for expected in [".", "isArray", "("] {
            rest.skip_space();
            if expected == "(" {
                self.scanner = rest.clone();
            }
            if !rest.take(expected) {
                return Err(before.error_here("of `Array` only `Array.isArray(…)` is known"));
            }
        }
        let inner = self.argument()?;
        self.around(inner, |inner| Expression::IsArray(Box::new(inner)))
    }

    /// Consumes the expected text if it comes next, after white space.
    fn take(&mut self, expected: &str) -> bool {
        self.scanner.skip_space();
        self.scanner.take(expected)
    }

    fn close(&mut self, bracket: char) -> Result<(), SyntaxError> {
        self.scanner.skip_space();
        match self.scanner.peek() {
            Some(next) if next == bracket => {
                self.scanner.take(bracket.encode_utf8(&mut [0; 4]));
                Ok(())
            }
            None => Err(self.scanner.error_here(format!("`{bracket}` is missing at the end"))),
            Some(_) => {
                let SyntaxError { offset, message } = self.unknown_operator();
                Err(SyntaxError { offset, message: format!("{message}; `{bracket}` is missing before it") })
            }
        }
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<Node, SyntaxError>) -> Result<Node, SyntaxError> {
        if self.nested == CONDITION_DEPTH {
            return Err(self.scanner.error_here(format!("a condition is nested at most {CONDITION_DEPTH} deep")));
        }
        self.nested += 1;
        let node = read(self);
        self.nested -= 1;
        node
    }

    fn pair(
        &self,
        left: Node,
        right: Node,
        make: impl Fn(Box<Expression>, Box<Expression>) -> Expression,
    ) -> Result<Node, SyntaxError> {
        let depth = self.one_more(left.depth.max(right.depth))?;
        Ok(Node { expression: make(Box::new(left.expression), Box::new(right.expression)), depth })
    }

    fn around(&self, inner: Node, make: impl Fn(Expression) -> Expression) -> Result<Node, SyntaxError> {
        let depth = self.one_more(inner.depth)?;
        Ok(Node { expression: make(inner.expression), depth })
    }

    fn one_more(&self, depth: usize) -> Result<usize, SyntaxError> {
        if depth < EXPRESSIONS_DEEP {
            return Ok(depth + 1);
        }
        Err(self.scanner.error_here(format!(
            "a condition joins at most {EXPRESSIONS_DEEP} parts in a row: write several conditions"
        )))
    }

    /// Returns the error for a text that cannot begin a value.
    fn no_value(&self) -> SyntaxError {
        let rest = self.scanner.rest();
        let Some(next) = rest.chars().next() else {
            return self.scanner.error_here("a value is missing at the end");
        };
        self.scanner.error_here(match next {
            '/' if rest.starts_with("//") || rest.starts_with("/*") => {
                "comments are not known in conditions".to_owned()
            }
            '/' => "regular expressions are not known in conditions: look for a text by `.includes(…)`".to_owned(),
            '`' => "template texts are not known in conditions: write the text in `'` or `\"`".to_owned(),
            '[' | '{' => format!("lists and objects cannot be written in conditions, and `{next}` begins one"),
            '+' | '-' | '*' | '%' | '~' => format!("arithmetic is not supported in conditions, and this is `{next}`"),
            _ => format!("a value is expected here, not `{next}`"),
        })
    }

    /// Returns the error for a text that can neither end a condition nor join it to another.
    fn unknown_operator(&self) -> SyntaxError {
        let rest = self.scanner.rest();
        let Some(next) = rest.chars().next() else {
            return self.scanner.error_here("the condition ends too early");
        };
        let starts = |texts: &[&str]| texts.iter().any(|text| rest.starts_with(text));
        self.scanner.error_here(match next {
            '/' if starts(&["//", "/*"]) => "comments are not known in conditions".to_owned(),
            '=' if starts(&["=>"]) => "functions are not known in conditions".to_owned(),
            '=' => "assignments are not known in conditions: compare by `===`".to_owned(),
            '?' if starts(&["?."]) => {
                "`?.` is not supported in conditions: write `.`, a field that is not there is unknown".into()
            }
            '?' => "`?` is not supported in conditions: join conditions by `&&` and `||`".to_owned(),
            '+' | '-' | '*' | '/' | '%' => format!("arithmetic is not supported in conditions, and this is `{next}`"),
            '&' | '|' | '^' | '<' | '>' => {
                format!("`{next}` on bits is not supported in conditions: join them by `&&` and `||`")
            }
            '(' => "only `.includes(…)` and `Array.isArray(…)` can be called in conditions".to_owned(),
            '`' => "template texts are not known in conditions: write the text in `'` or `\"`".to_owned(),
            ',' | ';' => format!("one condition ends before `{next}`: write each by itself"),
            first if begins_name(first) => {
                let end = rest.find(|character| !continues_name(character)).unwrap_or(rest.len());
                let instead = match rest[..end].to_ascii_lowercase().as_str() {
                    "and" => ": write `&&`",
                    "or" => ": write `||`",
                    "is" | "equals" | "eq" => ": write `===`",
                    _ => "",
                };
                format!("`{}` is not known here{instead}; `&&`, `||` or a comparison is expected", &rest[..end])
            }
            _ => format!("`{next}` is not known here; `&&`, `||` or a comparison is expected"),
        })
    }
}

/// Returns whether a name is the scope of action ids, such as `STEP` or `T001`.
fn is_scope(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// Appends a step to the path of a value. A name that no action has as a field is then taken as the name of a tool.
fn push(node: &mut Node, step: PathStep, before: &Scanner<'_>) -> Result<(), SyntaxError> {
    let Expression::Field(Field { of, path }) = &mut node.expression else {
        return Err(before.error_here("only actions, tools and their values have fields"));
    };
    if let (Subject::LastStep, [PathStep::Key(name)], PathStep::Key(_)) = (&*of, path.as_slice(), &step)
        && !fields::is_field(name)
    {
        *of = Subject::Tool(name.clone());
        path.clear();
    }
    path.push(step);
    Ok(())
}
