//! TLS with certificates of the test's own: what each sslmode accepts.

use std::process::Command;

use crate::support::helper::Helper;
use crate::support::server::{Server, as_postgres};

/// Makes a certificate that signs, and one for `localhost` that it signed.
const CERTIFICATES: &str = r#"
set -e
cd "$1"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=other -keyout other.key -out other.pem
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
printf 'subjectAltName=DNS:localhost' > names
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
  -extfile names -out server.pem
"#;

#[test]
fn each_sslmode_checks_what_it_says() {
    let Some(server) = Server::start(&[]) else {
        return;
    };
    if Command::new("openssl").arg("version").output().is_err() {
        eprintln!("SKIPPED: TLS: there is no openssl to make certificates");
        return;
    }
    let dir = server.data.parent().unwrap();
    let made = as_postgres("sh")
        .args(["-c", CERTIFICATES, "sh"])
        .arg(dir)
        .output()
        .unwrap();
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    for (name, file) in [("cert", "server.pem"), ("key", "server.key")] {
        let path = dir.join(file).display().to_string();
        server.append("postgresql.conf", &format!("ssl_{name}_file = '{path}'\n"));
    }
    server.append("postgresql.conf", "ssl = on\n");
    server.sql("ALTER ROLE writer PASSWORD 'secret'");
    // Only those who use TLS and know the password.
    let pg_hba = "hostssl all writer 127.0.0.1/32 scram-sha-256\n\
                  hostnossl all writer 127.0.0.1/32 reject\nhost all all 127.0.0.1/32 trust\n";
    std::fs::write(server.data.join("pg_hba.conf"), pg_hba).unwrap();
    server.down();
    server.up();
    server.sql("SELECT goal_store.create_ledger('tls')");
    server.let_in("writer", "tls", true);

    let (ca, other) = (dir.join("ca.pem"), dir.join("other.pem"));
    let (ca, other) = (ca.display().to_string(), other.display().to_string());
    for (host, mode, root, works) in [
        ("localhost", "verify-full", Some(&ca), true),
        ("127.0.0.1", "verify-full", Some(&ca), false),
        ("localhost", "verify-full", Some(&other), false),
        ("localhost", "verify-full", None, false),
        ("127.0.0.1", "verify-ca", Some(&ca), true),
        ("127.0.0.1", "verify-ca", Some(&other), false),
        ("127.0.0.1", "require", None, true),
        ("127.0.0.1", "require", Some(&other), false),
        ("127.0.0.1", "prefer", None, true),
        ("127.0.0.1", "disable", None, false),
    ] {
        let port = server.port;
        let mut url = format!(
            "host={host} hostaddr=127.0.0.1 port={port} user=writer password=secret \
             dbname=postgres sslmode={mode}"
        );
        if let Some(root) = root {
            url.push_str(&format!(" sslrootcert={root}"));
        }
        let answer = Helper::start(&url).read("tls");
        assert_eq!(
            answer.code() == "ok",
            works,
            "{host} {mode} {root:?}: {answer:?}"
        );
        assert!(works || answer.code() == "unreachable", "{answer:?}");
    }
}
