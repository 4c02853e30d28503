//! The normal form of a remote's URL: every spelling of one repository has the same.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use url::Url;

/// The most bytes of a normal form.
const MOST: usize = 1024;

/// The place of a remote as `host/path`: without scheme, user, password, default port, query, fragment and `.git`. A path on a
/// disk is no remote.
pub(super) fn normal(url: &str) -> Option<String> {
    let (default_port, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (default_port(&scheme.to_ascii_lowercase())?, String::from(rest)),
        None => (SSH, scp_like(url)?),
    };
    // A name that is not ASCII has more than one spelling, and builds without its tables.
    if !rest.split('/').next().and_then(|place| place.rsplit('@').next()).unwrap_or_default().is_ascii() {
        return None;
    }
    // Read as a URL of the web, whose hosts are domains, and whose default port is none of the others'.
    let read = Url::parse(&format!("ftp://{rest}")).ok()?;
    let path = read.path().trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let port = read.port().filter(|port| *port != default_port);
    let port = port.map_or_else(String::new, |port| format!(":{port}"));
    let normal = format!("{}{port}/{path}", read.host_str()?);
    (!path.is_empty() && normal.len() <= MOST).then_some(normal)
}

const SSH: u16 = 22;

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "ssh" | "git+ssh" | "ssh+git" => Some(SSH),
        "https" => Some(443),
        "http" => Some(80),
        "git" => Some(9418),
        _ => None,
    }
}

/// `user@host:path`, which is no path: it has a colon before the first slash. A single letter before it is a drive. Brackets
/// hold an address with colons, or a host with its port.
fn scp_like(url: &str) -> Option<String> {
    let name = |place: &str| place.rsplit('@').next().unwrap_or_default().to_owned();
    let (place, path, host) = match url.split_once("]:") {
        Some((place, path)) => (place, path, name(place).strip_prefix('[').map(bracketed)?),
        None => url.split_once(':').map(|(place, path)| (place, path, name(place)))?,
    };
    let path = path.trim_start_matches('/');
    // `me:secret@host/path` lacks its scheme: what looks like a path holds a password.
    let is_remote = host.len() > 1 && !place.contains(['/', '\\']) && !path.starts_with(':') && !path.contains('@');
    is_remote.then(|| format!("{host}/{path}"))
}

fn bracketed(host: &str) -> String {
    if host.matches(':').count() > 1 { format!("[{host}]") } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn every_spelling_of_a_remote_is_the_same() {
        let spellings = [
            "https://github.com/acme/app.git",
            "https://github.com/acme/app",
            "https://GitHub.com/acme/app/",
            "https://user:secret@github.com:443/acme/app.git/",
            "http://github.com/acme/app.git?x=1#y",
            "git@github.com:acme/app.git",
            "github.com:/acme/app",
            "ssh://git@github.com/acme/app.git",
            "ssh://git@github.com:22/acme/app",
            "SSH://git@github.com/acme/app",
            "git+ssh://git@github.com/acme/app",
            "git://github.com:9418/acme/app.git",
        ];
        for spelling in spellings {
            assert_eq!(normal(spelling).as_deref(), Some("github.com/acme/app"), "{spelling}");
        }
        assert_eq!(normal("ssh://git@example.org:2222/a/b").as_deref(), Some("example.org:2222/a/b"));
        assert_eq!(normal("git@[example.org:2222]:a/b").as_deref(), Some("example.org:2222/a/b"));
        for spelling in ["https://u:p@[2001:DB8::1]/a", "ssh://[2001:db8:0::1]:22/a.git", "git@[2001:db8::1]:a.git/"] {
            assert_eq!(normal(spelling).as_deref(), Some("[2001:db8::1]/a"), "{spelling}");
        }
        assert_eq!(normal("https://token@example.org/a").as_deref(), Some("example.org/a"));
        assert_eq!(normal("https://me:p@ss:w/rd@example.org/a"), None, "a slash ends the host");
        assert_eq!(normal("https://example.org/a/B").as_deref(), Some("example.org/a/B"), "a path has a case");
    }

    #[test]
    fn a_path_and_what_is_no_url_are_no_remote() {
        let others = [
            "",
            "/srv/app.git",
            "../app",
            "./a:b",
            "C:\\work\\app",
            "C:/work/app",
            "file:///srv/app.git",
            "ext::sh -c x",
            "https://",
            "https://exämple.org/a",
            "https:///a",
            "git@github.com:",
            "https://github.com/",
            "://x/y",
            "ssh://[::1/x",
            "git@[::1]/x",
            "[::1]:",
            "me:secret@github.com/acme/app.git",
            "me@example.org:se/cret@github.com/acme/app.git",
            "https:me:secret@github.com/acme/app.git",
            "\\\\host\\share",
        ];
        for other in others {
            assert_eq!(normal(other), None, "{other}");
        }
        assert_eq!(normal(&["https://example.org/", &"a".repeat(2_000)].concat()), None);
    }
}
