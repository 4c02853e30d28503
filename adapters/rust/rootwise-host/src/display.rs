//! Texts that are safe to show, to a person or a model.

use rootwise::path::display::display;

/// Characters of one value.
const VALUE_CHARS: usize = 1_024;

/// Values as safe text, as many as fit; the rest are counted.
#[must_use]
pub fn list_of(values: impl ExactSizeIterator<Item = String>, separator: &str, max_chars: usize) -> String {
    let count = values.len();
    let mut fitting: Vec<String> = Vec::new();
    let mut chars: usize = 0;
    for value in values {
        let text = display(&value, VALUE_CHARS);
        chars = chars.saturating_add(text.chars().count()).saturating_add(separator.len());
        if chars > max_chars && !fitting.is_empty() {
            break;
        }
        fitting.push(text);
    }
    let rest = count.saturating_sub(fitting.len());
    if rest > 0 {
        fitting.push(format!("and {rest} more"));
    }
    fitting.join(separator)
}
