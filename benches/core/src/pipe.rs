//! The least that a program between a client and its server can do: it copies bytes in both directions.

use std::io::{Read, Write, stdin, stdout};
use std::process::{Command, Stdio};
use std::thread;

pub(crate) fn run(command: &[&str]) {
    let mut server =
        Command::new(command[0]).args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (to, from) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    thread::spawn(move || copy(stdin(), to));
    copy(from, stdout());
    server.wait().unwrap();
}

fn copy(mut from: impl Read, mut to: impl Write) {
    let mut buffer = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}
