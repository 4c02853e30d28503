//! Turns the compiled module into a module and its JavaScript glue, like the `wasm-bindgen` command would.
//!
//! Used as a library, wasm-bindgen has the version of the lock file, which must be that of the module.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(folder), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: rootwise-wasm-build <module.wasm> <folder for the output>");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    let made = bindgen.no_modules(true).and_then(|bindgen| {
        // The types are generated from the core; the ones made here would only say `string`.
        bindgen.typescript(false).remove_name_section(true).remove_producers_section(true);
        bindgen.input_path(module).generate(folder)
    });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wasm-bindgen: {error:#}");
            ExitCode::FAILURE
        }
    }
}
