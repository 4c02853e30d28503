//! Exports for hosts without glue; `bindings-wasm/PLAIN.md` is their manual.
#![allow(unsafe_code, reason = "texts cross as pointer and length")]

use std::cell::RefCell;
use std::collections::BTreeMap;

use rootwise::wire::{Failure, Machine};
use rootwise_bindings as shared;

thread_local! {
    static MACHINES: RefCell<Machines> = const { RefCell::new(Machines { last: 0, open: BTreeMap::new() }) };
}

/// The machines of this instance; a handle is never used twice, so a stale one is an error and not another machine.
struct Machines {
    last: u32,
    open: BTreeMap<u32, Machine>,
}

/// A text of the host's: where it starts and how many bytes it has.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text(*const u8, usize);

impl Text {
    fn read<'a>(self) -> Result<&'a str, String> {
        if self.1 == 0 {
            return Ok("");
        }
        // SAFETY: the host wrote `len` bytes at an address that `alloc` gave and keeps them during the call.
        let bytes = unsafe { std::slice::from_raw_parts(self.0, self.1) };
        std::str::from_utf8(bytes).map_err(|_| Failure::new("bad_text", "a text is not UTF-8").to_json())
    }
}

/// Gives room for `len` bytes.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "alloc"))]
extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Takes back what `alloc` gave or a call returned.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "free"))]
extern "C" fn free(start: *mut u8, len: usize) {
    // SAFETY: the host gives back each block once, with its length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) });
}

/// Options in; `{"handle", "deadline", …}` out.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "open"))]
extern "C" fn open(options: *const u8, len: usize) -> u64 {
    give(
        Text(options, len)
            .read()
            .and_then(|options| shared::open(options).map_err(json))
            .map_or_else(|failure| failure, keep),
    )
}

/// Snapshot, options, time and id prefix in (an absent prefix has address 0); as `open` out.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "restore"))]
extern "C" fn restore(
    snapshot: *const u8,
    snapshot_len: usize,
    options: *const u8,
    options_len: usize,
    now: f64,
    prefix: *const u8,
    prefix_len: usize,
) -> u64 {
    let restored = || {
        let prefix = if prefix.is_null() { None } else { Some(Text(prefix, prefix_len).read()?) };
        let (snapshot, options) = (Text(snapshot, snapshot_len).read()?, Text(options, options_len).read()?);
        shared::restore(snapshot, options, now, prefix).map_err(json)
    };
    give(restored().map_or_else(|failure| failure, keep))
}

/// An event and the time in; actions out.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "handle"))]
extern "C" fn handle(handle: u32, event: *const u8, len: usize, now: f64) -> u64 {
    give(match Text(event, len).read() {
        Ok(event) => with(handle, |machine| shared::handle_json(machine, event, now)),
        Err(failure) => failure,
    })
}

/// The explanation out; of an endpoint, that of this session, else the session is 0.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "explain"))]
extern "C" fn explain(handle: u32, session: u32) -> u64 {
    give(with(handle, |machine| machine.explain_json(session)))
}

/// The snapshot out; the session as for `explain`.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "snapshot"))]
extern "C" fn snapshot(handle: u32, session: u32) -> u64 {
    give(with(handle, |machine| machine.snapshot_json(session)))
}

/// Frees a machine; an unknown handle is no error, so that closing twice does no harm.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "close"))]
extern "C" fn close(handle: u32) {
    MACHINES.with_borrow_mut(|machines| machines.open.remove(&handle));
}

/// A call of a pure function in, `{"value"}` out.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "call"))]
extern "C" fn call(arguments: *const u8, len: usize) -> u64 {
    give(Text(arguments, len).read().map_or_else(|failure| failure, shared::call))
}

fn json(failure: Failure) -> String {
    failure.to_json()
}

fn keep(machine: Machine) -> String {
    let view = machine.view_json();
    MACHINES.with_borrow_mut(|machines| {
        let Some(handle) = machines.last.checked_add(1) else {
            let message = "this instance has used all its handles; create a new one";
            return Failure::new("no_handle", message).to_json();
        };
        machines.last = handle;
        machines.open.insert(handle, machine);
        format!("{{\"handle\":{handle},{}", view.trim_start_matches('{'))
    })
}

fn with(handle: u32, then: impl FnOnce(&mut Machine) -> String) -> String {
    MACHINES.with_borrow_mut(|machines| machines.open.get_mut(&handle).map_or_else(|| shared::closed().to_json(), then))
}

/// Address in the upper half, length in the lower.
fn give(text: String) -> u64 {
    let text = Box::leak(text.into_boxed_str());
    let (start, len) = (text.as_ptr().expose_provenance(), text.len());
    (start as u64) << 32 | len as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes a text as a host does: in room of its own, which it gives back.
    fn given<T>(text: &str, then: impl FnOnce(*const u8, usize) -> T) -> T {
        let room = alloc(text.len());
        // SAFETY: the room has as many bytes as the text.
        unsafe { room.copy_from_nonoverlapping(text.as_ptr(), text.len()) };
        let result = then(room, text.len());
        free(room, text.len());
        result
    }

    /// Takes a text as a host does, and frees it.
    fn taken(place: u64) -> String {
        let (start, len) = ((place >> 32) as usize, (place & 0xFFFF_FFFF) as usize);
        let start: *mut u8 = std::ptr::with_exposed_provenance_mut(start);
        let text = Text(start, len).read().map(ToOwned::to_owned);
        free(start, len);
        text.unwrap_or_default()
    }

    #[test]
    fn a_connection_from_open_to_close() {
        let options = r#"{"host":{"style":"posix"}}"#;
        assert!(taken(given(options, |start, len| open(start, len))).starts_with(r#"{"handle":1,"#));
        let event = r#"{"type":"rootsListed","result":{"roots":[{"uri":"file:///a"}]}}"#;
        assert!(taken(given(event, |start, len| handle(1, start, len, 0.0))).contains("probe"));
        assert!(taken(explain(1, 0)).contains("file:///a"));
        let saved = taken(snapshot(1, 0));
        close(1);
        close(1);
        assert!(taken(snapshot(1, 0)).contains("used_after_close"));
        let restored = given(&saved, |saved, saved_len| {
            given(options, |options, options_len| {
                given("other-", |prefix, len| restore(saved, saved_len, options, options_len, 0.0, prefix, len))
            })
        });
        assert!(taken(restored).starts_with(r#"{"handle":2,"#));
        close(2);
    }

    #[test]
    fn empty_and_bad_texts_are_errors() {
        assert!(taken(open(std::ptr::null(), 0)).contains("bad_options"));
        assert!(taken(call([0xff].as_ptr(), 1)).contains("bad_text"));
        let call_of = r#"{"projectId":{"key":"/a"}}"#;
        assert!(taken(given(call_of, |start, len| call(start, len))).starts_with(r#"{"value":"#));
    }
}
