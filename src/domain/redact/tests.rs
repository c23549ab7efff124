//! Made-up secrets, put together here so that no scanner takes this file for a leak.

use proptest::prelude::*;

use super::*;

/// A run of made-up characters of a token.
fn run(length: usize) -> String {
    "a1B2c3D4e5F6g7H8".chars().cycle().take(length).collect()
}

fn hex(length: usize) -> String {
    "0123456789abcdef".chars().cycle().take(length).collect()
}

fn upper(length: usize) -> String {
    run(length).to_uppercase()
}

/// One secret or more for every rule.
fn samples() -> Vec<(&'static str, String)> {
    let line = run(64);
    let begin = |kind: &str| format!("-----BEGIN {kind}PRIVATE {}-----", "KEY");
    let end = |kind: &str| format!("-----END {kind}PRIVATE {}-----", "KEY");
    vec![
        (
            "private_key",
            format!("{}\n{line}\n{line}\nabc=\n{}", begin("RSA "), end("RSA ")),
        ),
        (
            "private_key",
            format!("{}\\n{line}\\nabc=\\n{}", begin(""), end("")),
        ),
        (
            "private_key",
            format!(
                "{}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,1\n\n{line}\n{}",
                begin("EC "),
                end("EC ")
            ),
        ),
        (
            "private_key",
            format!("{}\n{line}\n{line}", begin("OPENSSH ")),
        ),
        ("jwt", format!("eyJ{}.eyJ{}.{}", run(20), run(40), run(43))),
        (
            "anthropic_key",
            format!("sk-{}-api03-{}-{}AA", "ant", run(40), run(40)),
        ),
        ("openai_key", format!("sk-{}", run(48))),
        (
            "openai_key",
            format!("sk-{}-{}_{}", "proj", run(40), run(40)),
        ),
        ("groq_key", format!("gsk_{}", run(52))),
        ("huggingface_token", format!("hf_{}", run(34))),
        ("github_token", format!("ghp_{}", run(36))),
        ("github_token", format!("gho_{}", run(36))),
        ("github_token", format!("ghu_{}", run(36))),
        ("github_token", format!("ghs_{}", run(36))),
        ("github_token", format!("ghr_{}", run(76))),
        (
            "github_token",
            format!("github_{}_{}_{}", "pat", run(22), run(59)),
        ),
        ("gitlab_token", format!("glpat-{}", run(20))),
        ("aws_key_id", format!("AKIA{}", upper(16))),
        ("aws_key_id", format!("ASIA{}", upper(16))),
        (
            "slack_token",
            format!("xoxb-{}-{}-{}", "123456789012", "123456789012", run(24)),
        ),
        ("slack_token", format!("xapp-1-{}-{}", upper(11), hex(64))),
        (
            "slack_webhook",
            format!(
                "https://hooks.slack.{}/services/T{}/B{}/{}",
                "com",
                upper(8),
                upper(8),
                run(24)
            ),
        ),
        ("google_api_key", format!("AIza{}", run(35))),
        ("google_oauth", format!("ya29.{}", run(60))),
        ("google_oauth", format!("GOCSPX-{}", run(28))),
        ("stripe_key", format!("sk_{}_{}", "live", run(24))),
        ("stripe_key", format!("rk_{}_{}", "live", run(99))),
        ("npm_token", format!("npm_{}", run(36))),
        (
            "pypi_token",
            format!("pypi-{}{}", "AgEIcHlwaS5vcmc", run(120)),
        ),
        ("crates_io_token", format!("cio{}", run(32))),
        ("sendgrid_key", format!("SG.{}.{}", run(22), run(43))),
        ("telegram_token", format!("123456789:AA{}", run(33))),
        ("databricks_token", format!("dapi{}", hex(32))),
        ("digitalocean_token", format!("dop_v1_{}", hex(64))),
        ("xai_key", format!("xai-{}", run(80))),
        ("perplexity_key", format!("pplx-{}", run(48))),
        ("replicate_token", format!("r8_{}", run(37))),
        ("docker_token", format!("dckr_{}_{}", "pat", run(27))),
        ("linear_key", format!("lin_{}_{}", "api", run(40))),
        (
            "atlassian_token",
            format!("ATATT3{}={}", run(180), upper(8)),
        ),
        ("shopify_token", format!("shpat_{}", hex(32))),
        ("grafana_token", format!("glsa_{}_{}", run(32), hex(8))),
        ("rubygems_key", format!("rubygems_{}", hex(48))),
        ("age_key", format!("AGE-{}-KEY-1{}", "SECRET", upper(58))),
        ("vault_token", format!("hvs.{}", run(90))),
    ]
}

#[test]
fn every_sample_is_replaced_whatever_stands_around_it() {
    for (name, secret) in samples() {
        for (before, after) in [
            ("", ""),
            ("key=", "\n"),
            ("see \"", "\", then"),
            ("a\\n", "\\n"),
            ("`", "`."),
            ("über ", " ändern"),
        ] {
            let text = format!("{before}{secret}{after}");
            let redacted = redact(&text);
            assert_eq!(
                redacted.text,
                format!("{before}[redacted:{name}]{after}"),
                "{name}"
            );
            assert_eq!(redacted.found, [name]);
        }
    }
}

#[test]
fn every_rule_compiles_and_has_a_sample() {
    let mut sampled: Vec<_> = samples().iter().map(|(name, _)| *name).collect();
    sampled.extend(["aws_secret_key", "url_password"]);
    for rule in &RULES {
        rule.regex();
        assert!(sampled.contains(&rule.name), "{}", rule.name);
    }
}

#[test]
fn names_and_hosts_around_a_secret_stay() {
    let secret = run(40);
    for (text, expected) in [
        (
            format!(
                "the end:\n{}\nab==\n-----END PRIVATE {}-----",
                run(64),
                "KEY"
            ),
            "the end:\n[redacted:private_key]",
        ),
        (
            format!("aws_{}_access_key = \"{secret}\"", "secret"),
            "aws_secret_access_key = \"[redacted:aws_secret_key]\"",
        ),
        (
            format!("postgres://app:{}@db.example.org:5432/x?y=1", "hunter2"),
            "postgres://[redacted:url_password]@db.example.org:5432/x?y=1",
        ),
        (
            format!("redis://:{}@cache and more", "p@ss:w#rd".replace('#', "o")),
            "redis://[redacted:url_password]@cache and more",
        ),
        (
            format!("https://x-access-token:ghp_{}@github.com/a/b", run(36)),
            "https://x-access-token:[redacted:github_token]@github.com/a/b",
        ),
    ] {
        assert_eq!(redact(&text).text, expected);
    }
}

#[test]
fn several_secrets_are_all_found_and_named_once_in_order() {
    let token = format!("npm_{}", run(36));
    let text = format!("{token} {token} AKIA{} {token}", upper(16));
    let redacted = redact(&text);
    assert_eq!(redacted.found, ["aws_key_id", "npm_token"]);
    assert_eq!(
        redacted.text,
        "[redacted:npm_token] [redacted:npm_token] [redacted:aws_key_id] [redacted:npm_token]"
    );
}

#[test]
fn ordinary_text_is_borrowed_unchanged() {
    for text in [
        "",
        "7328cc5e0c8a1f4b9d2e6a7c3b5d8f1e2a4c6b80",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "123e4567-e89b-12d3-a456-426614174000",
        "mr5cf6ch-akrg4u",
        "dGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZw==",
        "eyJhbGciOiJIUzI1NiJ9",
        "https://example.org:8080/a@b?c=d:e@f",
        "https://example.org?mail=me:you@example.org",
        "ssh://git@github.com/a/b.git and git@github.com:a/b.git",
        "https://$USER:$TOKEN@host, https://u:${TOKEN}@host, https://u:<password>@host, a://b:***@c",
        "use sk-learn and sk-learn-contrib-extensions-for-everything",
        "task-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "task-ant-colony-optimisation-rewrite-01-for-the-scheduler",
        "desk-proj-a-long-branch-name-that-goes-on-and-on-for-ever",
        "npm_config_registry npm_lifecycle_event npm_package_json",
        "hf_hub_download(repo_id) and hf_transfer",
        "MAKIAVELLI AKIA ASIAN",
        "xoxo-hugs-and-kisses-for-everyone",
        "pypi-publish-workflow-with-trusted-publishing-and-attestations",
        "the line -----BEGIN PRIVATE KEY----- must not occur, nor -----END PRIVATE KEY-----",
        "the format r8_unorm, a linear lin_api_client, shpat_ and the rubygems_api_key setting",
        "precious cargo; SG.1.2; 10:30:AA; dapi; hvs.",
    ] {
        let redacted = redact(text);
        assert_eq!(redacted.found, [""; 0], "{text}");
        assert!(matches!(redacted.text, Cow::Borrowed(same) if same == text));
    }
}

proptest! {
    #[test]
    fn redacting_twice_finds_nothing_more(
        picks in prop::collection::vec((0usize..64, 0usize..9, any::<bool>()), 0..6),
    ) {
        let samples = samples();
        let mut text = String::new();
        for (sample, joint, cut) in picks {
            let secret = &samples[sample % samples.len()].1;
            let end = if cut { secret.len() / 2 } else { secret.len() };
            text.push_str(&secret[..end]);
            text.push_str(["", " ", "-", "_", "\\n", "a", "://u:", "@", "."][joint]);
        }
        let once = redact(&text);
        let twice = redact(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert!(twice.found.is_empty(), "{:?} in {:?}", twice.found, once.text);
    }
}
