//! A diagnostic as plain data.

use crate::{Code, Span};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Something worth knowing; nothing is wrong.
    Note,
    /// The program stays correct, but something was not done.
    Warning,
    /// The request cannot be carried out; nothing is written.
    Error,
}

/// A message on a span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub message: String,
}

/// One message to the user: a code, a sentence, and where to look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The registered code.
    pub code: Code,
    /// One lowercase sentence without a final stop.
    pub message: String,
    /// The smallest span that shows the reason, if there is one.
    pub primary: Option<Label>,
    /// The flow that led there, in order.
    pub secondary: Vec<Label>,
    /// What to change.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without labels.
    #[must_use]
    pub fn new(severity: Severity, code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: None,
        }
    }

    /// A warning.
    #[must_use]
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// An error.
    #[must_use]
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Sets the primary label.
    #[must_use]
    pub fn at(mut self, span: Span, message: impl Into<String>) -> Self {
        self.primary = Some(Label { span, message: message.into() });
        self
    }

    /// Appends a secondary label.
    #[must_use]
    pub fn with(mut self, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { span, message: message.into() });
        self
    }

    /// Sets the advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
