//! Colours of what is typed.

use nu_ansi_term::{Color, Style};
use reedline::{Highlighter, StyledText};

use super::keywords::is_keyword;
use super::lexer::{PieceKind, pieces};
use super::meta::is_command;

pub struct SqlColors;

impl Highlighter for SqlColors {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut styled = StyledText::new();
        if is_command(line) {
            styled.push((Style::new().fg(Color::Purple), line.to_owned()));
            return styled;
        }
        for piece in pieces(line) {
            let text = &line[piece.range];
            styled.push((style(piece.kind, text), text.to_owned()));
        }
        styled
    }
}

fn style(kind: PieceKind, text: &str) -> Style {
    match kind {
        PieceKind::Word if is_keyword(text) => Style::new().bold().fg(Color::Blue),
        PieceKind::Word if text.starts_with('$') => Style::new().fg(Color::Purple),
        PieceKind::Text => Style::new().fg(Color::Green),
        PieceKind::Number => Style::new().fg(Color::Cyan),
        PieceKind::Comment => Style::new().dimmed(),
        PieceKind::Word | PieceKind::QuotedName | PieceKind::Space | PieceKind::Symbol => Style::new(),
    }
}
