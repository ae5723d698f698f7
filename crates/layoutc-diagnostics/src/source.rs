//! Source files and spans into them.
//!
//! A [`Span`] is a byte range of the *original* text of one file. Whatever the front end does to
//! a text before parsing preserves its length, so a span is valid for edits at every stage.

use std::path::{Path, PathBuf};

/// A file of a [`SourceSet`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u32);

impl FileId {
    /// Position of the file in its [`SourceSet`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A half-open byte range `start..end` of one file's original text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span `start..end` of `file`.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        debug_assert!(start <= end);
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The byte range, for slicing the text.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether `other` lies inside this span (same file).
    #[must_use]
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Whether the two spans share a byte.
    #[must_use]
    pub fn overlaps(self, other: Span) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }

    /// The empty span at the first byte.
    #[must_use]
    pub fn at_start(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// The empty span behind the last byte.
    #[must_use]
    pub fn at_end(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// The smallest span that holds both, which must be in one file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.file, other.file);
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A position for people: both numbers start at 1, the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One source file: its path as the user would name it, and its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: PathBuf,
    text: String,
    line_starts: Vec<u32>,
    view: Option<View>,
    is_model: bool,
}

/// How text stands in the file around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewKind {
    /// In string literals, with escapes.
    Literal,
    /// In raw string literals.
    Raw,
    /// As the argument of a macro that makes a string of it.
    Argument,
}

/// A file that is a part of another one, with the same offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct View {
    /// The file around it.
    pub of: FileId,
    /// How it stands there.
    pub kind: ViewKind,
}

impl SourceFile {
    /// A file with the given display path and text.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at as u32 + 1),
        );
        SourceFile { path: path.into(), text, line_starts, view: None, is_model: false }
    }

    /// A part of `around`: everything else in `text`, which is as long, is white space.
    #[must_use]
    pub fn part(around: &SourceFile, view: View, text: String) -> Self {
        debug_assert_eq!(around.text.len(), text.len());
        SourceFile {
            path: around.path.clone(),
            text,
            line_starts: around.line_starts.clone(),
            view: Some(view),
            is_model: false,
        }
    }

    /// A text of layoutc itself, which says what a library's header means: no file has it.
    #[must_use]
    pub fn model(name: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        SourceFile { is_model: true, ..SourceFile::new(name, text) }
    }

    /// Whether the text is that of a file on the disk, and no part of one.
    #[must_use]
    pub fn is_whole_file(&self) -> bool {
        self.view.is_none() && !self.is_model
    }

    /// What the file is a part of.
    #[must_use]
    pub fn view(&self) -> Option<View> {
        self.view
    }

    /// The path as the user would name it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The original text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> LineColumn {
        let line = self.line_starts.partition_point(|start| *start as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column =
            self.text.get(start..offset).map_or(offset - start, |text| text.chars().count());
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The byte range of the line that holds `offset`, without its line break.
    #[must_use]
    pub fn line_range(&self, offset: usize) -> std::ops::Range<usize> {
        let line = self.line_starts.partition_point(|start| *start as usize <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| *next as usize - 1);
        start..end
    }
}

/// All files of one program, in a fixed order.
#[derive(Clone, Debug, Default)]
pub struct SourceSet {
    files: Vec<SourceFile>,
}

impl SourceSet {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.index()]
    }

    /// All files with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(at, file)| (FileId(at as u32), file))
    }

    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The text that a span covers.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        &self.file(span.file).text()[span.range()]
    }

    /// `path:line:column` of the span's first byte.
    #[must_use]
    pub fn locate(&self, span: Span) -> String {
        let file = self.file(span.file);
        let at = file.line_column(span.start as usize);
        format!("{}:{}:{}", file.path().display(), at.line, at.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_start_at_one() {
        let file = SourceFile::new("a.cu", "ä b\nc\n");
        assert_eq!(file.line_column(0), LineColumn { line: 1, column: 1 });
        assert_eq!(file.line_column(3), LineColumn { line: 1, column: 3 });
        assert_eq!(file.line_column(5), LineColumn { line: 2, column: 1 });
        assert_eq!(file.line_column(7), LineColumn { line: 3, column: 1 });
        assert_eq!(file.line_range(5), 5..6);
    }
}
