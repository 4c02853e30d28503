//! Exports for hosts without glue; `bindings-wasm/PLAIN.md` is their manual.
#![allow(unsafe_code, reason = "texts cross as pointer and length")]

use std::cell::RefCell;
use std::collections::BTreeMap;

use rootwise::Resolver;
use rootwise::wire::Failure;
use rootwise_bindings as shared;

thread_local! {
    static MACHINES: RefCell<Machines> = const { RefCell::new(Machines { last: 0, open: BTreeMap::new() }) };
}

/// The resolvers of this instance; a handle is never used twice, so a stale one is an error and not another resolver.
struct Machines {
    last: u32,
    open: BTreeMap<u32, Resolver>,
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
#[unsafe(export_name = "alloc")]
extern "C" fn alloc(len: usize) -> *mut u8 {
    Box::into_raw(vec![0_u8; len].into_boxed_slice()).cast()
}

/// Takes back what `alloc` gave or a call returned.
#[unsafe(export_name = "free")]
extern "C" fn free(start: *mut u8, len: usize) {
    // SAFETY: the host gives back each block once, with its length.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(start, len)) });
}

/// Options in; `{"handle", "deadline", "project"}` out.
#[unsafe(export_name = "open")]
extern "C" fn open(options: *const u8, len: usize) -> u64 {
    give(
        Text(options, len)
            .read()
            .and_then(|options| shared::open(options).map_err(json))
            .map_or_else(|failure| failure, keep),
    )
}

/// Snapshot, options, time and id prefix in (an absent prefix has address 0); as `open` out.
#[unsafe(export_name = "restore")]
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
#[unsafe(export_name = "handle")]
extern "C" fn handle(handle: u32, event: *const u8, len: usize, now: f64) -> u64 {
    give(match Text(event, len).read() {
        Ok(event) => with(handle, |resolver| shared::handle_json(resolver, event, now)),
        Err(failure) => failure,
    })
}

/// The explanation out.
#[unsafe(export_name = "explain")]
extern "C" fn explain(handle: u32) -> u64 {
    give(with(handle, |resolver| shared::explain(resolver)))
}

/// The snapshot out.
#[unsafe(export_name = "snapshot")]
extern "C" fn snapshot(handle: u32) -> u64 {
    give(with(handle, |resolver| resolver.snapshot()))
}

/// Frees a resolver; an unknown handle is no error, so that closing twice does no harm.
#[unsafe(export_name = "close")]
extern "C" fn close(handle: u32) {
    MACHINES.with_borrow_mut(|machines| machines.open.remove(&handle));
}

/// A call of a pure function in, `{"value"}` out.
#[unsafe(export_name = "call")]
extern "C" fn call(arguments: *const u8, len: usize) -> u64 {
    give(Text(arguments, len).read().map_or_else(|failure| failure, shared::call))
}

fn json(failure: Failure) -> String {
    failure.to_json()
}

fn keep(resolver: Resolver) -> String {
    let view = shared::view(&resolver);
    MACHINES.with_borrow_mut(|machines| {
        let Some(handle) = machines.last.checked_add(1) else {
            let message = "this instance has used all its handles; create a new one";
            return Failure::new("no_handle", message).to_json();
        };
        machines.last = handle;
        machines.open.insert(handle, resolver);
        format!("{{\"handle\":{handle},{}", view.trim_start_matches('{'))
    })
}

fn with(handle: u32, then: impl FnOnce(&mut Resolver) -> String) -> String {
    MACHINES.with_borrow_mut(|machines| machines.open.get_mut(&handle).map_or_else(|| shared::closed().to_json(), then))
}

/// Address in the upper half, length in the lower.
fn give(text: String) -> u64 {
    let text = Box::leak(text.into_boxed_str());
    let (start, len) = (text.as_ptr().addr(), text.len());
    (start as u64) << 32 | len as u64
}
