//! Makes names safe to show, to a person or a model.
//!
//! The result is not an identity: different names may come out the same or look the same.

use alloc::string::String;

/// Returns text as one bounded line without characters that hide, reorder or break it.
///
/// Control, bidirectional, default-ignorable and tag characters, noncharacters and the blank
/// braille pattern are dropped, runs of whitespace become one space, the ends are trimmed. Longer
/// text ends with `…` within the bound. What the words say is not filtered: text from a peer stays
/// untrusted.
///
/// ```
/// use rootwise::path::display::display;
///
/// assert_eq!(display("my\n  app\u{202e}", 80), "my app");
/// assert_eq!(display("a long name", 6), "a lon…");
/// ```
pub fn display(text: &str, max_chars: usize) -> String {
    if text.len() <= max_chars && is_already_shown(text) {
        return text.into();
    }
    let mut line = String::new();
    let mut room = max_chars;
    for word in text.split(char::is_whitespace) {
        let mut shown = word.chars().filter(|c| !is_hidden(*c)).peekable();
        if shown.peek().is_none() {
            continue;
        }
        let gap = (!line.is_empty()).then_some(' ');
        for c in gap.into_iter().chain(shown) {
            let Some(left) = room.checked_sub(1) else {
                return cut(line);
            };
            room = left;
            line.push(c);
        }
    }
    line
}

/// Whether a text needs no change: printable ASCII with single spaces inside.
fn is_already_shown(text: &str) -> bool {
    let mut after_space = true;
    for byte in text.bytes() {
        let space = byte == b' ';
        if space && after_space || !space && !byte.is_ascii_graphic() {
            return false;
        }
        after_space = space;
    }
    !after_space
}

/// Gives up the last character for `…`, and a space before it.
fn cut(mut line: String) -> String {
    if line.pop().is_some() {
        line.truncate(line.trim_end().len());
        line.push('…');
    }
    line
}

fn is_hidden(c: char) -> bool {
    let noncharacter = matches!(u32::from(c) & 0xFFFF, 0xFFFE | 0xFFFF) || matches!(c, '\u{FDD0}'..='\u{FDEF}');
    c.is_control() || noncharacter || is_ignorable(c)
}

/// Holds Unicode's Default_Ignorable_Code_Point, which covers the bidirectional controls and tags,
/// the interlinear annotation marks, and the blank braille pattern.
fn is_ignorable(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'..='\u{1160}'
            | '\u{17B4}'..='\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1BCA0}'..='\u{1BCA3}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}
