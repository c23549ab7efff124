//! How well secrets are found, measured: made-up ones of every rule in the places where secrets
//! turn up, and real text that should hold none. `docs/reliability.md` has the figures.

use std::collections::BTreeMap;
use std::fs;

use camino::Utf8Path;
use fastrand::Rng;
use goal_ledger::internals::domain::redact::redact;

use crate::corpus;

/// How often each shape is made anew in each place.
const FILLS: usize = 5;

/// A rule and the shape of a token that it shall know. `{a36}` is 36 made-up characters of one
/// kind (see [`alphabet`]), so nothing here looks like a secret. `‹›` enclose the secret where it
/// is not the whole.
const SHAPES: &[(&str, &str)] = &[
    (
        "private_key",
        "-----BEGIN {k1}-----\n{b64}\n{b64}\n{b30}=\n-----END {k1}-----",
    ),
    (
        "private_key",
        "-----BEGIN RSA {k1}-----\n{b64}\n{b64}\n{b10}==\n-----END RSA {k1}-----",
    ),
    (
        "private_key",
        "-----BEGIN EC {k1}-----\\n{b64}\\n{b40}\\n-----END EC {k1}-----",
    ),
    (
        "private_key",
        "-----BEGIN OPENSSH {k1}-----\r\n{b70}\r\n{b70}\r\n-----END OPENSSH {k1}-----",
    ),
    (
        "private_key",
        "-----BEGIN ENCRYPTED {k1}-----\n{b64}\n{b64}",
    ),
    (
        "private_key",
        "-----BEGIN PGP {k1} BLOCK-----\nVersion: x 2\n\n{b64}\n{b64}\n=abcd\n-----END PGP {k1} BLOCK-----",
    ),
    ("jwt", "eyJ{w33}.eyJ{w80}.{w43}"),
    ("jwt", "eyJ{w17}.eyJ{w200}.{w342}"),
    ("anthropic_key", "sk-ant-api03-{w93}AA"),
    ("anthropic_key", "sk-ant-oat01-{w93}AA"),
    ("anthropic_key", "sk-ant-admin01-{w93}AA"),
    ("openai_key", "sk-{a48}"),
    ("openai_key", "sk-proj-{w156}"),
    ("openai_key", "sk-svcacct-{w74}"),
    ("openai_key", "sk-admin-{w74}"),
    ("openai_key", "sk-or-v1-{h64}"),
    ("groq_key", "gsk_{a52}"),
    ("huggingface_token", "hf_{a34}"),
    ("github_token", "ghp_{a36}"),
    ("github_token", "gho_{a36}"),
    ("github_token", "ghu_{a36}"),
    ("github_token", "ghs_{a36}"),
    ("github_token", "ghr_{a76}"),
    ("github_token", "github_pat_{a22}_{a59}"),
    ("gitlab_token", "glpat-{a20}"),
    ("gitlab_token", "glpat-{a27}.01.{h9}"),
    ("gitlab_token", "gldt-{a20}"),
    ("gitlab_token", "glrt-{a20}"),
    ("gitlab_token", "glptt-{h40}"),
    ("gitlab_token", "glsoat-{a20}"),
    ("gitlab_token", "glcbt-64_{a20}"),
    ("aws_key_id", "AKIA{u16}"),
    ("aws_key_id", "ASIA{u16}"),
    ("aws_secret_key", "aws_secret_access_key = ‹{b40}›"),
    ("aws_secret_key", "AWS_SECRET_ACCESS_KEY=‹{b40}›"),
    ("aws_secret_key", "\"aws_secret_access_key\": \"‹{b40}›\""),
    ("slack_token", "xoxb-{d12}-{d13}-{a24}"),
    ("slack_token", "xoxp-{d11}-{d12}-{d13}-{h32}"),
    ("slack_token", "xoxe-1-{a140}"),
    ("slack_token", "xapp-1-A{u10}-{d13}-{h64}"),
    (
        "slack_webhook",
        "https://hooks.slack.com/services/‹T{u10}/B{u10}/{a24}›",
    ),
    (
        "slack_webhook",
        "https://hooks.slack.com/workflows/‹T{u10}/A{u10}/{d18}/{a24}›",
    ),
    ("google_api_key", "AIza{w35}"),
    ("google_oauth", "ya29.{w120}"),
    ("google_oauth", "GOCSPX-{w28}"),
    ("stripe_key", "sk_live_{a24}"),
    ("stripe_key", "rk_live_{a99}"),
    ("stripe_key", "sk_test_{a24}"),
    ("npm_token", "npm_{a36}"),
    ("pypi_token", "pypi-AgEIcHlwaS5vcmc{w150}"),
    ("crates_io_token", "cio{a32}"),
    ("sendgrid_key", "SG.{w22}.{w43}"),
    ("telegram_token", "{d10}:AA{w33}"),
    ("telegram_token", "{d9}:AA{w33}"),
    ("databricks_token", "dapi{h32}"),
    ("databricks_token", "dapi{h32}-2"),
    ("digitalocean_token", "dop_v1_{h64}"),
    ("digitalocean_token", "doo_v1_{h64}"),
    ("xai_key", "xai-{a80}"),
    ("perplexity_key", "pplx-{a48}"),
    ("replicate_token", "r8_{a37}"),
    ("docker_token", "dckr_pat_{w27}"),
    ("docker_token", "dckr_oat_{w32}"),
    ("linear_key", "lin_api_{a40}"),
    ("linear_key", "lin_oauth_{h64}"),
    ("atlassian_token", "ATATT3{w180}={u8}"),
    ("shopify_token", "shpat_{h32}"),
    ("shopify_token", "shpss_{h32}"),
    ("grafana_token", "glsa_{a32}_{h8}"),
    ("rubygems_key", "rubygems_{h48}"),
    ("age_key", "AGE-SECRET-KEY-1{u58}"),
    ("vault_token", "hvs.{w90}"),
    ("vault_token", "hvb.{w138}"),
    (
        "url_password",
        "postgres://‹{a8}:{a20}›@db.example.org:5432/x",
    ),
    (
        "url_password",
        "https://‹{a8}:{w40}›@git.example.org/a/b.git",
    ),
    ("url_password", "redis://‹:{a30}›@cache:6379"),
    (
        "url_password",
        "mongodb+srv://‹{a8}:{a12}%40{a8}›@c.example.net/?w=1",
    ),
];

/// Where secrets turn up; `@` is the secret.
const PLACES: &[&str] = &[
    "@",
    "export TOKEN=@",
    "TOKEN=\"@\"\nOTHER=1",
    "{\"token\": \"@\", \"n\": 1}",
    "{\\\"token\\\":\\\"@\\\"}",
    "curl -H 'Authorization: Bearer @' https://api.example.org",
    "Use `@` for now.",
    "It failed with @.",
    "(see @), then",
    "https://example.org/x?token=@&page=2",
    "first\\n@\\nthird",
    "Schlüssel für Überprüfung→@←",
];

/// What no longer has its issuer's shape.
const DISGUISES: &[fn(&str) -> String] = &[
    |secret| format!("token{secret}"),
    |secret| secret.chars().rev().collect(),
    |secret| secret.bytes().map(|byte| format!("{byte:02x}")).collect(),
];

fn alphabet(kind: char) -> &'static str {
    match kind {
        'a' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'w' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        'b' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        'u' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'h' => "0123456789abcdef",
        'd' => "123456789",
        other => panic!("no alphabet {other}"),
    }
}

/// One secret of this shape.
fn fill(shape: &str, rng: &mut Rng) -> String {
    let mut made = String::new();
    let mut rest = shape;
    while let Some((before, after)) = rest.split_once('{') {
        let (what, after) = after.split_once('}').unwrap();
        let (kind, count) = what.split_at(1);
        made.push_str(before);
        if kind == "k" {
            made.push_str(&["PRIVATE", "KEY"].join(" "));
        } else {
            let letters = alphabet(kind.chars().next().unwrap()).as_bytes();
            let letter = |_| char::from(letters[rng.usize(..letters.len())]);
            made.extend((0..count.parse::<usize>().unwrap()).map(letter));
        }
        rest = after;
    }
    made + rest
}

/// The text with the secret in it, and the secret alone.
fn place(secret: &str, place: &str) -> (String, String) {
    let whole = secret.replace(['‹', '›'], "");
    let alone = secret
        .split_once('‹')
        .and_then(|(_, rest)| rest.split_once('›'));
    let alone = alone.map_or(whole.clone(), |(alone, _)| alone.to_owned());
    (place.replace('@', &whole), alone)
}

/// Whether nothing of the secret is left that helps: no eight characters of it in a row.
fn gone(secret: &str, text: &str) -> bool {
    let mut windows = secret.as_bytes().windows(8);
    !windows.any(|window| text.contains(&*String::from_utf8_lossy(window)))
}

#[test]
fn every_made_up_secret_is_found_in_every_place() {
    let mut rng = Rng::with_seed(1);
    let mut figures: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut missed = Vec::new();
    for (rule, shape) in SHAPES {
        for at in PLACES {
            for _ in 0..FILLS {
                let (text, secret) = place(&fill(shape, &mut rng), at);
                let redacted = redact(&text);
                let left = redacted.text.replace(rule, "");
                let found = redacted.found.contains(rule) && gone(&secret, &left);
                let figure = figures.entry(rule).or_default();
                figure[usize::from(!found)] += 1;
                if !found {
                    missed.push(format!("{rule} {shape:?} at {at:?}: {:?}", redacted.found));
                }
            }
        }
    }
    for (rule, [found, missed]) in &figures {
        eprintln!("redaction: {rule}: {found} of {}", found + missed);
    }
    missed.dedup();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The limit is where `SECURITY.md` says: a filter for shapes finds nothing else.
#[test]
fn a_secret_that_lost_its_shape_is_not_found() {
    let mut rng = Rng::with_seed(2);
    let whole = SHAPES
        .iter()
        .filter(|(_, shape)| !shape.contains(['‹', '\n', '\\']));
    for (_, shape) in whole {
        let secret = fill(shape, &mut rng);
        for disguise in DISGUISES {
            let text = disguise(&secret);
            assert_eq!(redact(&text).found, [""; 0], "{shape}");
        }
    }
}

/// Every hit in text that nobody meant to hold secrets, by place and rule, never by content.
#[test]
fn real_text_is_left_alone() {
    let Some(corpus) = corpus::place() else {
        return;
    };
    let (mut files, mut bytes, mut hits) = (0, 0, Vec::new());
    look(&corpus, &mut |path, text| {
        files += 1;
        bytes += text.len();
        for (number, line) in text.lines().enumerate() {
            for rule in redact(line).found {
                hits.push(format!("{}:{}: {rule}", path.as_str(), number + 1));
            }
        }
        // What spans lines is found in the whole only.
        let known = hits.iter().any(|hit| hit.starts_with(path.as_str()));
        if !known {
            let found = redact(text).found.into_iter();
            hits.extend(found.map(|rule| format!("{path}: {rule}")));
        }
    });
    eprintln!(
        "redaction: {files} files, {bytes} bytes, {} hits",
        hits.len()
    );
    for hit in &hits {
        eprintln!("redaction: {hit}");
    }
    assert!(files > 0, "nothing to read in {corpus}");
}

/// Every text file below a directory.
fn look(dir: &Utf8Path, seen: &mut impl FnMut(&Utf8Path, &str)) {
    for entry in dir.read_dir_utf8().unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            look(entry.path(), seen);
        } else if kind.is_file()
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            seen(entry.path(), &text);
        }
    }
}
