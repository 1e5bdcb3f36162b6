//! PUT and GET, by which drivers carry files between their machine and a stage. They are read from the text itself: the tokens of
//! the dialect take the `//` of `file://` for a comment.

mod scanner;

use crate::Failure;
use crate::bindings::{Bindings, bound_text};
use crate::command::{FileSource, FileTransfer, GetFiles, PutFiles};
use crate::source::SourceStatement;
use crate::stages::StageLocation;

use scanner::{Scanner, Word};

const PARALLEL_PUT: u64 = 4;
const PARALLEL_GET: u64 = 10;
const PARALLEL_MAX: u64 = 99;

/// As drivers know them.
const COMPRESSIONS: [&str; 8] = ["auto_detect", "none", "gzip", "bz2", "brotli", "zstd", "deflate", "raw_deflate"];

/// Whether the statement is PUT or GET.
pub fn is_file_transfer(text: &str) -> bool {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    verb(source.code()).is_some()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Put,
    Get,
}

fn verb(code: &str) -> Option<Verb> {
    let verbs = [("PUT", Verb::Put), ("GET", Verb::Get)];
    let (_, verb) =
        verbs.into_iter().find(|(word, _)| code.get(..3).is_some_and(|first| first.eq_ignore_ascii_case(word)))?;
    let next = code[3..].chars().next();
    next.is_none_or(|next| next.is_whitespace() || matches!(next, '\'' | '@' | '/' | '-' | '?' | ':' | ';'))
        .then_some(verb)
}

/// The command of a text that is PUT or GET.
pub(crate) fn read(source: &SourceStatement, bindings: Option<&Bindings>) -> Option<Result<FileTransfer, Failure>> {
    let verb = verb(source.code())?;
    let mut reader = Reader { scanner: Scanner::new(source, 3), bindings };
    Some(match verb {
        Verb::Put => reader.put(),
        Verb::Get => reader.get(),
    })
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    bindings: Option<&'a Bindings>,
}

impl Reader<'_> {
    fn put(&mut self) -> Result<FileTransfer, Failure> {
        let source = self.local_path()?;
        let (location, is_bound) = self.location()?;
        let mut put = PutFiles {
            source: if is_bound { FileSource::BesideBoundStage(source) } else { FileSource::Written(source) },
            location,
            parallel: PARALLEL_PUT,
            auto_compress: true,
            overwrite: false,
            source_compression: "auto_detect".to_owned(),
        };
        while let Some(option) = self.option()? {
            match option.name.as_str() {
                "PARALLEL" => put.parallel = option.number()?,
                "AUTO_COMPRESS" => put.auto_compress = option.truth()?,
                "OVERWRITE" => put.overwrite = option.truth()?,
                "SOURCE_COMPRESSION" => put.source_compression = option.compression()?,
                _ => return Err(option.unknown("PUT")),
            }
        }
        Ok(FileTransfer::Put(put))
    }

    fn get(&mut self) -> Result<FileTransfer, Failure> {
        let (location, _) = self.location()?;
        let target = self.local_path()?;
        let mut get = GetFiles { location, target, parallel: PARALLEL_GET, pattern: None };
        while let Some(option) = self.option()? {
            match option.name.as_str() {
                "PARALLEL" => get.parallel = option.number()?,
                "PATTERN" => get.pattern = Some(option.value),
                // The driver replaces files of its own accord; some programs ask for it all the same.
                "OVERWRITE" => drop(option.truth()?),
                _ => return Err(option.unknown("GET")),
            }
        }
        Ok(FileTransfer::Get(get))
    }

    /// What `file://` stands before.
    fn local_path(&mut self) -> Result<String, Failure> {
        const SCHEME: &str = "file://";
        self.scanner.skip_blanks();
        let path = match self.scanner.quoted()? {
            Some(text) => text,
            None => self.scanner.until(|next| next.is_whitespace() || matches!(next, '\'' | ';')).to_owned(),
        };
        let has_scheme = path.get(..SCHEME.len()).is_some_and(|first| first.eq_ignore_ascii_case(SCHEME));
        match has_scheme.then(|| path[SCHEME.len()..].to_owned()) {
            Some(path) if !path.is_empty() => Ok(path),
            _ => Err(Failure::invalid_value("a local file", &path, "write file://path")),
        }
    }

    /// A stage as it is written, quoted or bound; and whether it is bound.
    fn location(&mut self) -> Result<(StageLocation, bool), Failure> {
        self.scanner.skip_blanks();
        if let Some(placeholder) = self.scanner.placeholder() {
            let none = Bindings::default();
            let text = bound_text(self.bindings.unwrap_or(&none), &placeholder)?;
            return Ok((StageLocation::parse(&text)?, true));
        }
        let text = match self.scanner.quoted()? {
            Some(text) => text,
            None => self.scanner.outside_names(|next| next.is_whitespace() || next == ';').to_owned(),
        };
        if text.is_empty() {
            return Err(self.scanner.unexpected());
        }
        Ok((StageLocation::parse(&text)?, false))
    }

    /// The next `NAME = value`; commas may stand between them.
    fn option(&mut self) -> Result<Option<FileOption>, Failure> {
        self.scanner.skip_blanks();
        while self.scanner.eat(',') {
            self.scanner.skip_blanks();
        }
        if self.scanner.eat(';') {
            self.scanner.skip_blanks();
            return if self.scanner.is_at_end() { Ok(None) } else { Err(self.scanner.unexpected()) };
        }
        if self.scanner.is_at_end() {
            return Ok(None);
        }
        let Word(name) = self.scanner.word().ok_or_else(|| self.scanner.unexpected())?;
        self.scanner.skip_blanks();
        if !self.scanner.eat('=') {
            return Err(self.scanner.unexpected());
        }
        self.scanner.skip_blanks();
        let value = match self.scanner.quoted()? {
            Some(text) => text,
            None => self.scanner.word().map(|Word(text)| text).ok_or_else(|| self.scanner.unexpected())?,
        };
        Ok(Some(FileOption { name: name.to_ascii_uppercase(), value }))
    }
}

struct FileOption {
    name: String,
    value: String,
}

impl FileOption {
    fn number(&self) -> Result<u64, Failure> {
        let number = self.value.parse().ok().filter(|number| (1..=PARALLEL_MAX).contains(number));
        number.ok_or_else(|| {
            Failure::invalid_value(&self.name, &self.value, &format!("give a whole number from 1 to {PARALLEL_MAX}"))
        })
    }

    fn truth(&self) -> Result<bool, Failure> {
        match self.value.to_ascii_uppercase().as_str() {
            "TRUE" => Ok(true),
            "FALSE" => Ok(false),
            _ => Err(Failure::invalid_value(&self.name, &self.value, "give TRUE or FALSE")),
        }
    }

    fn compression(&self) -> Result<String, Failure> {
        let name = self.value.to_ascii_lowercase();
        match COMPRESSIONS.contains(&name.as_str()) {
            true => Ok(name),
            false => Err(Failure::invalid_value(&self.name, &self.value, &format!("give {}", COMPRESSIONS.join(", ")))),
        }
    }

    fn unknown(&self, verb: &str) -> Failure {
        Failure::unsupported(&format!("{verb} … {} = …", self.name))
    }
}

#[cfg(test)]
mod tests;
