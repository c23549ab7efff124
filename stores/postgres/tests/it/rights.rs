//! What a user may do with a ledger, by the program and past it with psql.

use serde_json::{Value, json};

use crate::support::helper::{Helper, append, begin, command, run, said};
use crate::support::server::{OWNER, Server, shared};

/// What the server's answer to a statement of this user begins with: the state of the error.
fn refusal(server: &Server, user: &str, sql: &str) -> String {
    let done = server.sql_as(user, sql);
    assert!(!done.status.success(), "{user} may: {sql}");
    let said = said(&done);
    let state = said
        .split("ERROR:  ")
        .nth(1)
        .unwrap_or_else(|| panic!("{said}"));
    state[..5].to_owned()
}

fn lease(act: &str, ledger: &str, more: &Value) -> Value {
    let mut request = json!({"verb": "lease", "act": act, "ledger": ledger, "goal": "g"});
    for (key, value) in more.as_object().unwrap() {
        request[key] = value.clone();
    }
    request
}

/// A server with a ledger of the writer's, and another writer, alice, who has one of her own.
fn with_alice() -> Option<Server> {
    let server = Server::start(&[])?;
    server.sql("CREATE ROLE alice LOGIN IN ROLE goal_writer");
    server.writer().create("others");
    server
        .writer()
        .add("others", "1", "{\"type\":\"goal_noted\",\"goalId\":\"g\"}");
    let mut alice = Helper::start(&server.url("alice"));
    alice.create("hers");
    assert_eq!(alice.add("hers", "1", "{}").code(), "ok");
    Some(server)
}

#[test]
fn a_writer_with_psql_can_end_no_ledger_and_read_none_of_others() {
    let Some(server) = with_alice() else { return };
    let mut writer = server.writer();
    let held = lease(
        "acquire",
        "others",
        &json!({"holder": "run", "ttlMs": 300_000}),
    );
    let token = writer.ask(held.clone()).last["token"].as_i64().unwrap();
    let line = "INSERT INTO goal_store.line (ledger, seq, ends, digest, bytes) SELECT ledger";
    for sql in [
        &format!("{line}, 2, 1000000654, NULL, '' FROM goal_store.ledger"),
        &format!("{line}, 0, 1, NULL, '' FROM goal_store.ledger"),
        &format!("{line}, 2, 3, 'abab', '{{\"type\":\"goal_paused\"}}' FROM goal_store.ledger"),
        "UPDATE goal_store.line SET bytes = ''",
        "DELETE FROM goal_store.line",
        "TRUNCATE goal_store.line",
        "UPDATE goal_store.lease SET holder = 'mallory', ends = now() + interval '10 years'",
        "DELETE FROM goal_store.lease",
        "DELETE FROM goal_store.ledger",
        "UPDATE goal_store.ledger SET name = 'x'",
        "INSERT INTO goal_store.member VALUES (1, 'alice', true, true)",
        "SELECT * FROM goal_store.ledger FOR UPDATE",
        "SELECT * FROM goal_store.lease FOR SHARE",
        "SELECT * FROM goal_store.mine FOR UPDATE",
        "BEGIN; LOCK goal_store.lease IN ACCESS SHARE MODE; COMMIT",
        "BEGIN; LOCK goal_store.event IN ROW SHARE MODE; COMMIT",
        "SELECT bytes FROM goal_store.line",
        "SELECT goal_store.lines('others', 0, 9)",
        "SELECT goal_store.tip('others')",
        "SELECT goal_store.begin_turn('others', 0, 9)",
        "SELECT goal_store.append('others', 40, ARRAY['x'::bytea], ARRAY[true], NULL, NULL)",
        "SELECT goal_store.acquire('others', 'g', 'run', 1000)",
        "SELECT goal_store.release('others', 'g', 1)",
        "SELECT goal_store.grant_right('others', 'alice', true)",
        "SELECT goal_store.revoke_right('others', 'writer')",
        "SELECT goal_store.permitted('hers', true)",
        "SELECT goal_store.term(1)",
    ] {
        assert_eq!(refusal(&server, "alice", sql), "42501", "{sql}");
    }
    for view in ["event", "goal", "mine"] {
        let column = if view == "mine" { "name" } else { "ledger" };
        let sql = format!("SELECT DISTINCT {column} FROM goal_store.{view}");
        let seen = server.sql_as("alice", &sql).stdout;
        let seen = String::from_utf8(seen).unwrap();
        assert!(!seen.contains("others"), "{view}: {seen}");
    }
    // The one who has a right goes on, at once.
    let begin = json!({"verb": "begin", "ledger": "others", "from": 0, "waitMs": 1000});
    let begun = writer.ask(begin);
    assert_eq!(
        writer.append(begun.end(), &[(Some("2"), "two")]).code(),
        "ok"
    );
    let renewed = writer.ask(lease(
        "renew",
        "others",
        &json!({"token": token, "ttlMs": 300_000}),
    ));
    assert_eq!(renewed.code(), "ok");
}

#[test]
fn the_server_says_where_a_line_stands_and_for_how_long_a_lease_lasts() {
    let Some(server) = with_alice() else { return };
    let append = |behind: u64, line: &str, once: bool| {
        format!(
            "SELECT goal_store.append('hers', {behind}, ARRAY[{line}::bytea], ARRAY[{once}], NULL, NULL)"
        )
    };
    let mut alice = Helper::start(&server.url("alice"));
    for (sql, state) in [
        (append(1_000_000, "'x'", true), "GL002"),
        (append(0, "'x'", true), "GL002"),
        // The line that is there is that line under every name.
        (append(3, "'{}'", true), "23505"),
        (append(3, "E'a\\nb'", true), "22023"),
        (append(3, "'\\xff'", true), "22021"),
        (append(3, "'\\x00ff'", true), "22021"),
        (append(3, "repeat('x', 9000000)", true), "22023"),
        (append(3, "NULL", true), "22023"),
        (
            "SELECT goal_store.append('hers', 3, ARRAY['x'::bytea], ARRAY[true, true], NULL, NULL)"
                .to_owned(),
            "22023",
        ),
        (
            "SELECT goal_store.append('hers', 3, ARRAY['x'::bytea], ARRAY[true], 'g', 1)"
                .to_owned(),
            "GL003",
        ),
        (
            "SELECT goal_store.acquire('hers', 'g', 'mallory', 315360000000)".to_owned(),
            "22023",
        ),
        (
            "SELECT goal_store.acquire('hers', 'g', 'mallory', -1)".to_owned(),
            "22023",
        ),
        ("SELECT goal_store.create_ledger('a b')".to_owned(), "22023"),
    ] {
        assert_eq!(refusal(&server, "alice", &sql), state, "{sql}");
    }
    assert_eq!(alice.read("hers").lines(), ["{}"]);
    // A NUL is a character like others.
    let done = server.sql_as("alice", &append(3, "'\\x610062'", true));
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(alice.read("hers").lines(), ["{}", "a\0b"]);
    // Past the views of a turn, the rows are what the protocol says.
    let rows = server.sql(
        "SELECT seq, ends FROM goal_store.line JOIN goal_store.ledger USING (ledger) \
                           WHERE name = 'hers' ORDER BY seq",
    );
    assert_eq!(rows, "1|3\n2|7");
}

/// Two users of one ledger: neither can pass for the other.
#[test]
fn a_lease_is_the_users_who_acquired_it() {
    let Some(server) = with_alice() else { return };
    server.let_in("alice", "others", true);
    let (mut writer, mut alice) = (server.writer(), Helper::start(&server.url("alice")));
    let acquire = lease(
        "acquire",
        "others",
        &json!({"holder": "run", "ttlMs": 300_000}),
    );
    let token = writer.ask(acquire.clone()).last["token"].as_i64().unwrap();
    let held = alice.ask(acquire);
    assert_eq!(held.code(), "held");
    assert_eq!(held.last["error"]["holder"], "run (writer)");
    let more = json!({"token": token, "ttlMs": 1000});
    for act in ["renew", "release"] {
        assert_eq!(alice.ask(lease(act, "others", &more)).code(), "fenced");
    }
    let end = alice.begin("others", 0).end();
    let mut under = append(end, &[(None, "as the run")]);
    under["lease"] = json!({"goal": "g", "token": token});
    assert_eq!(alice.ask(under).code(), "fenced");
    assert_eq!(writer.ask(lease("renew", "others", &more)).code(), "ok");
}

#[test]
fn a_right_to_a_ledger_is_given_and_taken() {
    let Some(server) = with_alice() else { return };
    server.sql("CREATE ROLE team; GRANT team TO reader");
    let (mut alice, mut reader) = (
        Helper::start(&server.url("alice")),
        Helper::start(&server.url("reader")),
    );
    let refused = alice.read("others");
    assert_eq!(refused.code(), "refused");
    let message = refused.last["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("goal-store-postgres grant others alice"),
        "{message}"
    );
    assert_eq!(alice.ask(begin("others", 0)).code(), "refused");
    let listed = alice.ask(json!({"verb": "ledgers"}));
    assert_eq!(listed.data.len(), 1, "{listed:?}");

    // Whoever made a ledger, or owns the database, gives and takes.
    let url = server.url("writer");
    assert!(run(&url, &["grant", "others", "alice", "--read"]).contains("may read others"));
    assert_eq!(alice.read("others").lines().len(), 1);
    assert_eq!(alice.ask(begin("others", 0)).code(), "refused");
    assert!(run(&server.url(OWNER), &["grant", "others", "alice"]).contains("read and write"));
    assert_eq!(alice.add("others", "2", "two").code(), "ok");
    // Who has been given a right gives none.
    let url_of_alice = server.url("alice");
    let done = command(&url_of_alice)
        .args(["grant", "others", "reader"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(77), "{}", said(&done));
    // A turn that is under way ends with the right.
    let end = alice.begin("others", 0).end();
    run(&url, &["revoke", "others", "alice"]);
    assert_eq!(alice.append(end, &[(Some("3"), "three")]).code(), "refused");
    assert_eq!(alice.read("others").code(), "refused");
    assert!(run(&url, &["revoke", "others", "alice"]).contains("had no right"));

    // A group's right is that of each who is in it. Who only reads cannot be let write by it.
    run(&url, &["grant", "others", "team"]);
    assert_eq!(reader.read("others").lines(), alice_sees(&server));
    assert_eq!(reader.ask(begin("others", 0)).code(), "refused");
    let nobody = command(&url)
        .args(["grant", "others", "nobody"])
        .output()
        .unwrap();
    assert!(said(&nobody).contains("there is no user or group nobody"));
    let mut stranger = Helper::start(&server.url("stranger"));
    assert_eq!(stranger.read("others").code(), "refused");
}

/// The lines of `others`, as its owner reads them.
fn alice_sees(server: &Server) -> Vec<String> {
    let read = server.writer().read("others");
    read.lines().into_iter().map(str::to_owned).collect()
}

/// Whoever takes a turn by hand and goes away loses it.
#[test]
fn a_turn_that_is_taken_by_hand_is_bounded() {
    let Some(server) = shared() else { return };
    server.writer().create("rights/bounded");
    let sql = "BEGIN; SELECT goal_store.begin_turn('rights/bounded', 0, 1); \
               SHOW idle_in_transaction_session_timeout; COMMIT";
    let shown = server.sql_as("writer", sql).stdout;
    assert_eq!(String::from_utf8(shown).unwrap().trim(), "30s");
}

#[test]
fn tables_of_the_first_version_are_migrated() {
    let Some(server) = Server::empty(&[]) else {
        return;
    };
    let first = include_str!("../../migrations/1_ledgers.sql");
    server.sql(&format!(
        "CREATE SCHEMA goal_store; CREATE TABLE goal_store.migration \
         (version int PRIMARY KEY, at timestamptz NOT NULL DEFAULT now()); {first}; \
         INSERT INTO goal_store.migration VALUES (1); \
         CREATE ROLE goal_reader; CREATE ROLE goal_writer; \
         GRANT USAGE ON SCHEMA goal_store TO goal_reader, goal_writer; \
         GRANT SELECT ON ALL TABLES IN SCHEMA goal_store TO goal_reader, goal_writer; \
         GRANT INSERT ON goal_store.ledger, goal_store.line TO goal_writer; \
         GRANT UPDATE (turn) ON goal_store.ledger TO goal_writer; \
         GRANT INSERT, UPDATE ON goal_store.lease TO goal_writer; \
         CREATE ROLE writer LOGIN IN ROLE goal_writer; CREATE ROLE reader LOGIN IN ROLE goal_reader; \
         INSERT INTO goal_store.ledger (name) VALUES ('old'); \
         INSERT INTO goal_store.line (ledger, seq, ends, id, bytes) VALUES \
         (1, 1, 3, 'aa', '{{}}'), (1, 2, 6, 'false', '{{}}'), (1, 3, 9, NULL, '{{}}'); \
         INSERT INTO goal_store.lease VALUES (1, 'g', 7, 'a run', now() + interval '1 hour')"
    ));
    let mut writer = server.writer();
    assert_eq!(writer.read("old").code(), "failed");
    assert!(run(&server.url(OWNER), &["migrate"]).contains("version 2 now"));
    // What the first version gave is gone with its tables.
    assert_eq!(
        refusal(
            &server,
            "writer",
            "UPDATE goal_store.ledger SET turn = false"
        ),
        "42501"
    );
    assert_eq!(
        refusal(&server, "writer", "SELECT FROM goal_store.lease"),
        "42501"
    );
    run(&server.url(OWNER), &["roles"]);
    // The ledger stays everybody's until somebody revokes it.
    assert_eq!(writer.read("old").lines(), ["{}", "{}", "{}"]);
    let mut reader = Helper::start(&server.url("reader"));
    assert_eq!(reader.read("old").end(), 9);
    assert_eq!(writer.add("old", "x", "{}").code(), "duplicate");
    assert_eq!(writer.add("old", "y", "new").code(), "ok");
    let acquire = lease("acquire", "old", &json!({"holder": "b", "ttlMs": 1000}));
    assert!(writer.ask(acquire).last["token"].as_i64().unwrap() > 7);
    run(&server.url(OWNER), &["revoke", "old", "goal_writer"]);
    assert_eq!(writer.read("old").code(), "refused");
}
