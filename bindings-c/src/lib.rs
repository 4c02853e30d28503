//! The machines as a C library; `include/rootwise.h` is its manual.
//!
//! A panic must not cross into C, so every entry is guarded.
#![allow(unsafe_code, reason = "texts and machines cross as pointers")]

use rootwise::wire::Failure;
use rootwise_bindings::closed;
use rootwise_bindings::guarded::{self, Machine};

/// A text that the caller owns.
#[repr(C)]
struct Text {
    ptr: *mut u8,
    len: usize,
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_open(options: *const u8, len: usize, machine: *mut *mut Machine) -> Text {
    keep(machine, read(options, len).and_then(Machine::open))
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_restore(
    snapshot: *const u8,
    snapshot_len: usize,
    options: *const u8,
    options_len: usize,
    now: f64,
    prefix: *const u8,
    prefix_len: usize,
    machine: *mut *mut Machine,
) -> Text {
    let restored = || {
        let prefix = if prefix.is_null() { None } else { Some(read(prefix, prefix_len)?) };
        Machine::restore(read(snapshot, snapshot_len)?, read(options, options_len)?, now, prefix)
    };
    keep(machine, restored())
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_handle(machine: *mut Machine, event: *const u8, len: usize, now: f64) -> Text {
    give(match read(event, len) {
        Ok(event) => with(machine, |machine| machine.handle(event, now)),
        Err(failure) => failure,
    })
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_explain(machine: *mut Machine, session: u32) -> Text {
    give(with(machine, |machine| machine.explain(session)))
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_snapshot(machine: *mut Machine, session: u32) -> Text {
    give(with(machine, |machine| machine.snapshot(session)))
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_close(machine: *mut Machine) {
    if !machine.is_null() {
        // SAFETY: it came from `keep`, and the caller closes it once.
        drop(unsafe { Box::from_raw(machine) });
    }
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_call(arguments: *const u8, len: usize) -> Text {
    give(read(arguments, len).map_or_else(|failure| failure, guarded::call))
}

#[unsafe(no_mangle)]
extern "C" fn rootwise_text_free(text: Text) {
    if !text.ptr.is_null() {
        // SAFETY: it came from `give`, and the caller frees it once.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text.ptr, text.len)) });
    }
}

fn read<'a>(start: *const u8, len: usize) -> Result<&'a str, String> {
    if len == 0 {
        return Ok("");
    }
    if start.is_null() || isize::try_from(len).is_err() {
        return Err(Failure::new("bad_text", "a text is a null pointer, or longer than memory").to_json());
    }
    // SAFETY: the caller keeps `len` bytes there during the call.
    let bytes = unsafe { std::slice::from_raw_parts(start, len) };
    std::str::from_utf8(bytes).map_err(|_| Failure::new("bad_text", "a text is not UTF-8").to_json())
}

fn keep(place: *mut *mut Machine, made: Result<Machine, String>) -> Text {
    if place.is_null() {
        return give(Failure::new("no_handle", "the pointer for the machine is null").to_json());
    }
    let (machine, said) = match made {
        Ok(mut machine) => {
            let view = machine.view();
            (Box::into_raw(Box::new(machine)), view)
        }
        Err(failure) => (std::ptr::null_mut(), failure),
    };
    // SAFETY: the caller gave a place for one pointer.
    unsafe { place.write(machine) };
    give(said)
}

fn with(machine: *mut Machine, then: impl FnOnce(&mut Machine) -> String) -> String {
    // SAFETY: it came from `keep`, is not closed, and only one thread uses it at a time.
    unsafe { machine.as_mut() }.map_or_else(|| closed().to_json(), then)
}

fn give(text: String) -> Text {
    let text = Box::leak(text.into_boxed_str());
    Text { ptr: text.as_mut_ptr(), len: text.len() }
}

/// Every entry with pointers, as a C program calls it; `cargo miri test -p rootwise-c` checks the unsafe lines.
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    /// A text as C has it, with every byte read before it is freed.
    fn taken(text: Text) -> String {
        // SAFETY: the library gave it just now.
        let copy = unsafe { std::slice::from_raw_parts(text.ptr, text.len) }.to_vec();
        rootwise_text_free(text);
        String::from_utf8(copy).unwrap()
    }

    fn opened() -> *mut Machine {
        let options = r#"{"host":{"style":"posix"}}"#;
        let mut machine = std::ptr::null_mut();
        assert!(taken(rootwise_open(options.as_ptr(), options.len(), &raw mut machine)).contains("eventBytes"));
        machine
    }

    #[test]
    fn a_connection_from_open_to_close() {
        let machine = opened();
        let event = r#"{"type":"rootsListed","result":{"roots":[{"uri":"file:///a"}]}}"#;
        assert!(taken(rootwise_handle(machine, event.as_ptr(), event.len(), 0.0)).contains("probe"));
        assert!(taken(rootwise_explain(machine, 0)).contains("file:///a"));
        let snapshot = taken(rootwise_snapshot(machine, 0));
        rootwise_close(machine);

        let options = r#"{"host":{"style":"posix"}}"#;
        let (mut restored, prefix) = (std::ptr::null_mut(), "other-");
        let view = rootwise_restore(
            snapshot.as_ptr(),
            snapshot.len(),
            options.as_ptr(),
            options.len(),
            0.0,
            prefix.as_ptr(),
            prefix.len(),
            &raw mut restored,
        );
        assert!(taken(view).contains("deadline"));
        rootwise_close(restored);
    }

    #[test]
    fn null_pointers_and_bad_texts_are_errors() {
        let (nothing, nobody) = (std::ptr::null(), std::ptr::null_mut::<Machine>());
        let mut place = std::ptr::null_mut();
        assert!(taken(rootwise_open(nothing, 5, &raw mut place)).contains("bad_text"));
        assert!(place.is_null());
        assert!(taken(rootwise_open(nothing, 0, nobody.cast())).contains("no_handle"));
        assert!(taken(rootwise_handle(nobody, b"{}".as_ptr(), 2, 0.0)).contains("used_after_close"));
        assert!(taken(rootwise_call([0xff].as_ptr(), 1)).contains("bad_text"));
        rootwise_close(nobody);
        rootwise_text_free(Text { ptr: std::ptr::null_mut(), len: 0 });
    }
}
