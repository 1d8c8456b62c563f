//! Converts text to tokens in one pass.

use super::{Kind, Operator, RESERVED, Redirection, Script, Token, Way, Word};

mod word;

/// Maximum nesting of substitutions. A deeper one is treated as unterminated.
const DEEPEST: usize = 50;

/// Maximum length of an arithmetic command, in bytes: `((` without an end within it opens two groups.
const LONGEST_ARITHMETIC: usize = 300;

/// Longer operators precede their prefixes.
const OPERATORS: [(&str, Operator); 12] = [
    ("&&", Operator::And),
    ("||", Operator::Or),
    ("|&", Operator::Pipe),
    ("|", Operator::Pipe),
    (";;&", Operator::CaseEnd),
    (";;", Operator::CaseEnd),
    (";&", Operator::CaseEnd),
    (";", Operator::Next),
    ("\n", Operator::Next),
    ("&", Operator::Background),
    ("(", Operator::Open),
    (")", Operator::Close),
];

/// Longer operators precede their prefixes.
const REDIRECTIONS: [(&str, Way); 12] = [
    ("&>>", Way::Write),
    ("&>", Way::Write),
    ("<<<", Way::Text),
    ("<<-", Way::Text),
    ("<<", Way::Text),
    ("<&", Way::Descriptor),
    ("<>", Way::Write),
    ("<", Way::Read),
    (">>", Way::Write),
    (">&", Way::Write),
    (">|", Way::Write),
    (">", Way::Write),
];

pub fn lex(text: &str) -> Script {
    let mut lexer = Lexer::new(text, 0, 0);
    lexer.run(false);
    Script { tokens: lexer.tokens, is_whole: lexer.is_whole }
}

/// The construct that a `)` may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    Parenthesis,
    Case,
}

struct Lexer<'text> {
    text: &'text str,
    at: usize,
    /// Number of enclosing substitutions.
    depth: usize,
    tokens: Vec<Token>,
    is_whole: bool,
    open: Vec<Open>,
    /// Whether a command may begin here.
    begins: bool,
    /// Delimiters of the here-documents that begin on the next line, and whether these may be indented by tabs.
    texts: Vec<(Word, bool)>,
}

impl<'text> Lexer<'text> {
    fn new(text: &'text str, at: usize, depth: usize) -> Self {
        let (tokens, open, texts) = (Vec::new(), Vec::new(), Vec::new());
        Self { text, at, depth, tokens, is_whole: true, open, begins: true, texts }
    }

    fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    /// Reads everything up to the end or, in a substitution, up to the closing `)`.
    fn run(&mut self, is_nested: bool) {
        loop {
            let start = self.at;
            match self.peek() {
                None => {
                    self.is_whole &= !is_nested;
                    return;
                }
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.eat("\\\n") => {}
                Some('#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                Some(')') if is_nested && self.open.is_empty() => {
                    self.at += 1;
                    return;
                }
                Some(_) => {
                    let kind = self.piece();
                    self.tokens.extend(kind.map(|kind| Token { kind, place: start..self.at }));
                }
            }
        }
    }

    /// Reads one token. None: a redirection without a target.
    fn piece(&mut self) -> Option<Kind> {
        if let Some((length, operator, way)) = self.redirection() {
            self.at += length;
            return self.target(operator, way).map(Kind::Redirection);
        }
        if self.begins
            && let Some(compound) = self.compound()
        {
            self.begins = false;
            return Some(Kind::Word(compound));
        }
        if let Some((sign, operator)) = OPERATORS.iter().find(|(sign, _)| self.eat(sign)) {
            self.begins = true;
            if *sign == "\n" {
                self.skip_texts();
            }
            return Some(Kind::Operator(self.balanced(*operator)));
        }
        let word = self.word();
        self.begins = !word.is_quoted && !word.is_expanded && self.leads(&word.text);
        Some(Kind::Word(word))
    }

    /// Returns whether a command may begin after this unquoted word.
    fn leads(&mut self, text: &str) -> bool {
        let before = self.tokens.iter().rev().nth(1).and_then(|token| match &token.kind {
            Kind::Word(word) => Some(word.text.as_str()),
            _ => None,
        });
        match text {
            "in" => before == Some("case") && self.open.last() == Some(&Open::Case),
            "{" => self.begins || before == Some("function"),
            "case" if self.begins => {
                self.open.push(Open::Case);
                false
            }
            "esac" if self.begins => {
                self.open.pop_if(|open| *open == Open::Case);
                false
            }
            text => self.begins && RESERVED.contains(&text),
        }
    }

    /// Tracks the nesting of a parenthesis and returns its meaning.
    fn balanced(&mut self, operator: Operator) -> Operator {
        match operator {
            Operator::Open => self.open.push(Open::Parenthesis),
            Operator::Close if self.open.last() == Some(&Open::Case) => return Operator::Pattern,
            Operator::Close => {
                self.open.pop();
            }
            _ => {}
        }
        operator
    }

    /// Returns the redirection operator at this position, and its length including a descriptor number.
    fn redirection(&self) -> Option<(usize, &'static str, Way)> {
        let rest = self.rest();
        let sign = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let (operator, way) = REDIRECTIONS.iter().find(|(operator, _)| sign.starts_with(operator))?;
        let is_substitution = matches!(*operator, "<" | ">") && sign[1..].starts_with('(');
        let is_other = is_substitution || (operator.starts_with('&') && sign != rest);
        (!is_other).then_some((rest.len() - sign.len() + operator.len(), *operator, *way))
    }

    /// Reads the target of a redirection. None: there is none.
    fn target(&mut self, operator: &str, way: Way) -> Option<Redirection> {
        while self.eat(" ") || self.eat("\t") || self.eat("\\\n") {}
        let target = self.word();
        self.begins = false;
        if target == Word::default() {
            self.is_whole = false;
            return None;
        }
        let is_descriptor = target.text.bytes().all(|sign| sign.is_ascii_digit() || sign == b'-');
        let way = if operator == ">&" && is_descriptor { Way::Descriptor } else { way };
        if matches!(operator, "<<" | "<<-") {
            self.texts.push((target.clone(), operator == "<<-"));
        }
        Some(Redirection { way, target })
    }

    /// Skips the here-documents that begin here. As in bash, one without an end extends to the end of the text.
    fn skip_texts(&mut self) {
        for (end, is_indented) in std::mem::take(&mut self.texts) {
            let mut goes_on = false;
            while !self.rest().is_empty() {
                let line = self.rest().split_inclusive('\n').next().unwrap_or_default();
                self.at += line.len();
                let line = line.trim_end_matches('\n');
                let is_end = end.text == if is_indented { line.trim_start_matches('\t') } else { line };
                if is_end && !goes_on {
                    break;
                }
                let escapes = line.len() - line.trim_end_matches('\\').len();
                goes_on = escapes % 2 == 1 && !end.is_quoted;
            }
        }
    }
}
