//! What `build` needs beside compilers: text into modules and back, hashes, and the C header.
#![forbid(unsafe_code)]

mod assemble;
mod header;
mod pack;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: stp-guest-tool assemble QUIET.wat IN.wat OUT.wasm | pack DIRECTORY [GUEST...] | header";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["assemble", quiet, from, to] => assemble::assemble(Path::new(quiet), Path::new(from), Path::new(to)),
        ["pack", directory, ref texts @ ..] => pack::pack(Path::new(directory), texts),
        ["header"] => {
            print!("{}", header::header());
            Ok(())
        }
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
