//! From a text to a place: what the text of a value or of a root names, before the disk is asked.

use rootwise::Reason;
use rootwise::path::uri;
use rootwise::path::{self, PathStyle, Refusal};
use rootwise::policy::{BarePaths, Format, NameFrom, NonFile, Relative, Source, SourceKind};

use super::history::History;
use super::peer::{self, RawRoot};
use super::values::{Lexed, Shown, Target};

pub fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|front| front.eq_ignore_ascii_case("file:"))
}

/// Whether a text is a URI with an authority, of any scheme.
fn is_other_uri(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(rest)
    })
}

/// Whether a text begins with a drive and a separator, however its colon is written.
pub fn starts_with_drive(text: &str) -> bool {
    let text = text.to_ascii_lowercase().replace("%3a", ":").replace('|', ":").replace('\\', "/");
    text.starts_with(|first: char| first.is_ascii_lowercase()) && text.get(1..3) == Some(":/")
}

fn reason(refusal: Refusal) -> Reason {
    match refusal {
        Refusal::NotFileUri => Reason::NotFileUri,
        Refusal::Relative | Refusal::NoDrive | Refusal::DriveRelative => Reason::Relative,
        _ => Reason::Invalid,
    }
}

impl History {
    pub fn style(&self) -> PathStyle {
        self.host().style
    }

    fn is_too_long(&self, text: &str) -> bool {
        text.len() > usize::try_from(self.policy.config().limits.value_bytes).unwrap()
    }

    pub fn has_separator(&self, text: &str) -> bool {
        text.contains('/') || (self.style() == PathStyle::Windows && text.contains('\\'))
    }

    /// Where the client's folder is found here, if the host says so.
    fn mapped(&self, text: &str) -> Option<String> {
        if self.is_elsewhere() {
            return None;
        }
        self.host().path_map.iter().find_map(|map| {
            let theirs = if is_file_uri(text) {
                uri::file_uri_to_path(text, map.from_style)
            } else {
                path::absolute(text, map.from_style)
            };
            let theirs = theirs.ok()?;
            if !path::is_inside(&map.from, &theirs, map.from_style) {
                return None;
            }
            let from = path::absolute(&map.from, map.from_style).ok()?;
            let rest = theirs.get(from.len()..)?.replace('\\', "/");
            path::join(&map.to, rest.trim_start_matches('/'), self.style())
                .or_else(|_| path::absolute(&map.to, self.style()))
                .ok()
        })
    }

    /// Reads a path or a `file:` URI.
    pub fn place(&self, text: &str, relative: Relative, from_client: bool) -> Result<String, Reason> {
        if self.is_too_long(text) {
            return Err(Reason::TooLong);
        }
        if uri::is_placeholder(text) {
            return Err(Reason::Placeholder);
        }
        if from_client && let Some(mapped) = self.mapped(text) {
            return Ok(mapped);
        }
        let style = if from_client { self.client_style(text) } else { self.style() };
        let here = !from_client || !self.is_elsewhere();
        if is_file_uri(text) {
            return uri::file_uri_to_path(text, style).map_err(|refusal| {
                if here && self.is_foreign_uri(text) { Reason::OtherSystem } else { reason(refusal) }
            });
        }
        if is_other_uri(text) {
            return Err(Reason::NotFileUri);
        }
        if here && self.is_foreign_path(text) {
            return Err(Reason::OtherSystem);
        }
        self.joined(text, relative, style, from_client)
    }

    /// Whether a URI that is refused here is one of the other system (rule 23).
    fn is_foreign_uri(&self, text: &str) -> bool {
        let rest = text.split_at(5).1;
        match self.style() {
            PathStyle::Posix => uri::file_uri_to_path(text, PathStyle::Windows).is_ok(),
            PathStyle::Windows => {
                !starts_with_drive(rest.trim_start_matches('/'))
                    && uri::file_uri_to_path(text, PathStyle::Posix).is_ok()
            }
        }
    }

    /// Whether a path is an absolute one of the other system only (rule 23).
    pub fn is_foreign_path(&self, text: &str) -> bool {
        match self.style() {
            PathStyle::Posix => !text.starts_with('/') && path::is_absolute(text, PathStyle::Windows),
            PathStyle::Windows => text.starts_with('/') && !path::is_absolute(text, PathStyle::Windows),
        }
    }

    /// Reads a path; a URI is nothing else.
    fn path_place(&self, text: &str, relative: Relative, from_client: bool) -> Result<String, Reason> {
        if self.is_too_long(text) {
            return Err(Reason::TooLong);
        }
        if uri::is_placeholder(text) {
            return Err(Reason::Placeholder);
        }
        let style = if from_client { self.client_style(text) } else { self.style() };
        match self.mapped(text).filter(|_| from_client && !is_file_uri(text)) {
            Some(mapped) => Ok(mapped),
            None if (!from_client || !self.is_elsewhere()) && self.is_foreign_path(text) => Err(Reason::OtherSystem),
            None => self.joined(text, relative, style, from_client),
        }
    }

    fn joined(&self, text: &str, relative: Relative, style: PathStyle, from_client: bool) -> Result<String, Reason> {
        match path::absolute(text, style) {
            Err(Refusal::Relative) if relative == Relative::Cwd && (self.is_local() || !from_client) => {
                let cwd = self.host().cwd.as_deref().ok_or(Reason::Relative)?;
                path::join(cwd, text, self.style()).map_err(reason)
            }
            other => other.map_err(reason),
        }
    }

    /// The style in which a client spells: its own, where it is on another machine.
    pub fn client_style(&self, text: &str) -> PathStyle {
        if !self.is_elsewhere() {
            return self.style();
        }
        let path = if is_file_uri(text) { text.split_at(5).1.trim_start_matches('/') } else { text };
        let path = path.to_ascii_lowercase().replace("%3a", ":").replace('|', ":");
        let drive = path.starts_with(|first: char| first.is_ascii_lowercase()) && path.get(1..2) == Some(":");
        if drive || text.starts_with(r"\\") { PathStyle::Windows } else { PathStyle::Posix }
    }

    /// The target of a path. Only a client elsewhere spells in the other style, and no path is valid in both.
    pub fn target(&self, at: String) -> Result<Target, Reason> {
        let style = self.client_style(&at);
        let key = path::key(&at, style).map_err(reason)?;
        let name = path::basename(&at, style).unwrap_or_else(|| at.clone());
        Ok(Target {
            path: Some(at),
            key,
            name,
            root: None,
            real: None,
            on_client_machine: false,
            own_name: false,
            shown: Shown::Nothing,
            repository: None,
        })
    }

    pub fn named(name: &str) -> Target {
        let key = format!("name:{name}");
        Target {
            path: None,
            key,
            name: name.to_owned(),
            root: None,
            real: None,
            on_client_machine: false,
            own_name: false,
            shown: Shown::Nothing,
            repository: None,
        }
    }

    /// What one text of a source names.
    pub fn read_text(&self, source: &Source, text: &str) -> Result<Target, Reason> {
        let from_client =
            matches!(source.from, SourceKind::Meta | SourceKind::Argument | SourceKind::Header | SourceKind::Query);
        if source.format == Format::Any && !is_file_uri(text) && !self.has_separator(text) {
            if self.is_too_long(text) {
                return Err(Reason::TooLong);
            }
            if uri::is_placeholder(text) {
                return Err(Reason::Placeholder);
            }
            return Ok(Self::named(text));
        }
        let place = match source.format {
            Format::Path => self.path_place(text, source.relative, from_client),
            _ => self.place(text, source.relative, from_client),
        };
        let target = self.target(place?)?;
        Ok(Target { shown: if from_client { self.shown(text) } else { Shown::Nothing }, ..target })
    }

    /// The texts a value stands for, best first.
    pub fn texts(&self, source: &Source, value: &str) -> Vec<String> {
        if source.format != Format::List {
            return vec![value.to_owned()];
        }
        if value.starts_with('[')
            && let Some(parts) = peer::elements(value)
        {
            let texts = parts.iter().filter_map(|part| peer::string(part));
            return texts.filter(|text| !text.trim().is_empty()).take(self.most_roots()).collect();
        }
        let windows = self.style() == PathStyle::Windows;
        let parts: Vec<&str> = value.split(|c| c == ',' || (windows && c == ';')).collect();
        let mut texts = vec![value.to_owned()];
        if parts.len() > 1 {
            let trimmed = parts.into_iter().map(str::trim);
            texts.extend(trimmed.filter(|part| !part.is_empty()).map(str::to_owned));
        }
        texts.truncate(self.most_roots());
        texts
    }

    /// What a root is, before the disk is asked.
    pub fn lex_root(&self, raw: &RawRoot) -> Lexed {
        let config = self.policy.config();
        let by_uri = config.roots.non_file == NonFile::NameOnly && !config.require_path && is_file_uri(&raw.uri);
        match self.lex_strictly(raw) {
            Lexed::Bad(Reason::Invalid | Reason::OtherSystem) if by_uri => Lexed::NonFile(raw.uri.clone()),
            lexed => lexed,
        }
    }

    /// The same where a URI that names no folder is no project.
    pub fn lex_strictly(&self, raw: &RawRoot) -> Lexed {
        let text = raw.uri.as_str();
        let bare = !is_file_uri(text);
        if self.is_too_long(text) {
            return Lexed::Bad(Reason::TooLong);
        }
        if uri::is_placeholder(text) {
            return Lexed::Bad(Reason::Placeholder);
        }
        let is_path = path::is_absolute(text, self.client_style(text)) || self.mapped(text).is_some();
        let is_foreign = !self.is_elsewhere() && self.is_foreign_path(text);
        if bare && !((is_path || is_foreign) && self.policy.config().roots.bare_paths == BarePaths::Repair) {
            return Lexed::NonFile(text.to_owned());
        }
        let read = self.place(text, Relative::Refuse, true).and_then(|at| self.target(at));
        match read {
            Ok(mut target) => {
                target.root = Some((raw.index, target.key.clone()));
                target.shown = self.shown(text);
                let own = raw.name.as_deref().filter(|name| !name.trim().is_empty());
                if let (NameFrom::RootName, Some(own)) = (self.policy.config().name_from, own) {
                    target.name = own.to_owned();
                    target.own_name = true;
                }
                Lexed::Place(target)
            }
            Err(reason) => Lexed::Bad(reason),
        }
    }

    /// The problem a list of roots shows for one of them: why it cannot be read, not what the place is.
    pub fn problem(&self, raw: &RawRoot) -> Option<Reason> {
        match self.lex_strictly(raw) {
            Lexed::Place(_) => None,
            Lexed::NonFile(_) => Some(Reason::NotFileUri),
            Lexed::Bad(reason) => Some(reason),
        }
    }

    /// A root of another scheme as a project without a path.
    pub fn name_only(&self, raw: &RawRoot) -> Target {
        let text = raw.uri.as_str();
        let own = raw
            .name
            .clone()
            .filter(|name| self.policy.config().name_from == NameFrom::RootName && !name.trim().is_empty());
        let segments = text.trim_end_matches('/').rsplit('/');
        Target {
            path: None,
            key: format!("uri:{text}"),
            name: own.unwrap_or_else(|| segments.take(1).collect()),
            root: Some((raw.index, format!("uri:{text}"))),
            real: None,
            on_client_machine: false,
            own_name: false,
            shown: Shown::Nothing,
            repository: None,
        }
    }
}
