//! A proxy between helper and server that knows where the messages of PostgreSQL's protocol end,
//! and cuts the connection at one of them.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    ToServer,
    ToClient,
}

/// Where the connection is cut.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    pub way: Way,
    /// The number of the message, from 0 on.
    pub message: usize,
    /// Whether its first half still gets through.
    pub half: bool,
}

pub struct Proxy {
    pub port: u16,
    cut: Arc<Mutex<Option<Cut>>>,
}

impl Proxy {
    /// Listens for as long as the test's process lives.
    pub fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cut = Arc::new(Mutex::new(None));
        let armed = cut.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(("127.0.0.1", server)));
                let server = server.unwrap();
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                for (way, from, to) in [
                    (Way::ToServer, &client, &server),
                    (Way::ToClient, &server, &client),
                ] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let armed = armed.clone();
                    thread::spawn(move || {
                        carry(way, &from, &to, &armed);
                        // Both ends see that the connection is gone.
                        let _ = from.shutdown(Shutdown::Both);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Proxy { port, cut }
    }

    /// Cuts the next connection there.
    pub fn arm(&self, cut: Cut) {
        *self.cut.lock().unwrap() = Some(cut);
    }

    /// Whether no connection was cut.
    pub fn disarm(&self) -> bool {
        self.cut.lock().unwrap().take().is_some()
    }
}

/// Carries messages until the connection ends, or is to be cut.
fn carry(way: Way, mut from: &TcpStream, mut to: &TcpStream, armed: &Mutex<Option<Cut>>) {
    for number in 0.. {
        // Only the first message to the server has no letter before its length.
        let letter = usize::from(way == Way::ToClient || number > 0);
        let mut head = vec![0; letter + 4];
        if from.read_exact(&mut head).is_err() {
            return;
        }
        let length = u32::from_be_bytes(head[letter..].try_into().unwrap()) as usize;
        let mut message = head;
        message.resize(letter + length, 0);
        if from.read_exact(&mut message[letter + 4..]).is_err() {
            return;
        }
        let mut cut = armed.lock().unwrap();
        if let Some(at) = cut.filter(|it| it.way == way && it.message == number) {
            *cut = None;
            if at.half {
                let _ = to.write_all(&message[..message.len() / 2]);
            }
            return;
        }
        drop(cut);
        if to.write_all(&message).is_err() {
            return;
        }
    }
}
