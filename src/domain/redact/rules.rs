//! The shapes of secrets that issuers have made recognisable, one rule each.

use std::sync::OnceLock;

use memchr::memmem;
use regex::Regex;

use crate::domain::pattern::any_of;

/// One shape. Its pattern is compiled when one of its anchors is first seen, since most texts
/// hold none and a process is short.
pub(super) struct Rule {
    pub name: &'static str,
    /// Literals of which every match contains one.
    anchors: &'static [&'static str],
    /// What is replaced is the group `secret`, without one the whole match.
    pattern: &'static str,
    regex: OnceLock<Regex>,
}

impl Rule {
    pub(super) fn may_match(&self, text: &str) -> bool {
        let holds = |anchor: &&str| memmem::find(text.as_bytes(), anchor.as_bytes()).is_some();
        self.anchors.iter().any(holds)
    }

    pub(super) fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| any_of(&[self.pattern]))
    }
}

const fn rule(name: &'static str, anchors: &'static [&'static str], pattern: &'static str) -> Rule {
    Rule {
        name,
        anchors,
        pattern,
        regex: OnceLock::new(),
    }
}

/// Key material in lines of base64, with real or escaped line ends and perhaps header lines; its
/// END line may have been cut off, or its BEGIN line. A mere mention of either line is none.
const PRIVATE_KEY: &str = concat!(
    r"(?:-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    r"(?:\s|\\[nr])*(?:[A-Za-z-]+: [^\n]*\n\s*)*)?",
    r"(?:[A-Za-z0-9+/]{20,}={0,2}(?:\s|\\[nr])*)+(?:=?[A-Za-z0-9+/]{1,19}={0,2}(?:\s|\\[nr])*)?",
    r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    r"|-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----",
    r"(?:\s|\\[nr])*(?:[A-Za-z-]+: [^\n]*\n\s*)*",
    r"(?:[A-Za-z0-9+/]{20,}(?:\s|\\[nr])+)*[A-Za-z0-9+/]{20,}={0,2}",
);

/// In order: a rule that knows more of a token stands before one that knows less.
pub(super) static RULES: [Rule; 34] = [
    rule("private_key", &["PRIVATE KEY"], PRIVATE_KEY),
    rule(
        "jwt",
        &[".eyJ"],
        r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    ),
    rule(
        "anthropic_key",
        &["sk-ant-"],
        r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{20,}",
    ),
    rule(
        "openai_key",
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{32,}|[A-Za-z0-9]{32,})",
    ),
    rule("groq_key", &["gsk_"], r"gsk_[A-Za-z0-9]{40,}"),
    rule("huggingface_token", &["hf_"], r"hf_[A-Za-z0-9]{30,}"),
    rule(
        "github_token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        r"gh[pousr]_[A-Za-z0-9_]{36,}|github_pat_[A-Za-z0-9_]{40,}",
    ),
    rule(
        "gitlab_token",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glsoat-", "glcbt-"],
        r"gl(?:pat|dt|rt|ptt|soat|cbt)-[A-Za-z0-9_.-]{20,}",
    ),
    rule("aws_key_id", &["AKIA", "ASIA"], r"A[KS]IA[A-Z0-9]{16}"),
    rule(
        "aws_secret_key",
        &["aws_secret_access_key", "AWS_SECRET_ACCESS_KEY"],
        r#"(?:aws_secret_access_key|AWS_SECRET_ACCESS_KEY)["']?\s*[=:]\s*["']?(?<secret>[A-Za-z0-9/+]{40})"#,
    ),
    rule(
        "slack_token",
        &["xox", "xapp-"],
        r"xox[abeprs]-[0-9][A-Za-z0-9-]{9,}|xapp-[0-9]-[A-Za-z0-9-]{10,}",
    ),
    rule(
        "slack_webhook",
        &["hooks.slack.com/"],
        r"https://hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}",
    ),
    rule("google_api_key", &["AIza"], r"AIza[A-Za-z0-9_-]{35}"),
    rule(
        "google_oauth",
        &["ya29.", "GOCSPX-"],
        r"ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{28}",
    ),
    rule(
        "stripe_key",
        &["sk_live_", "rk_live_", "sk_test_", "rk_test_"],
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    ),
    rule("npm_token", &["npm_"], r"npm_[A-Za-z0-9]{36}"),
    rule("pypi_token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    rule("crates_io_token", &["cio"], r"cio[A-Za-z0-9]{32}"),
    rule(
        "sendgrid_key",
        &["SG."],
        r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}",
    ),
    rule(
        "telegram_token",
        &[":AA"],
        r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
    ),
    rule(
        "databricks_token",
        &["dapi"],
        r"dapi[0-9a-f]{32}(?:-[0-9])?",
    ),
    rule("digitalocean_token", &["_v1_"], r"do[opr]_v1_[0-9a-f]{64}"),
    rule("xai_key", &["xai-"], r"xai-[A-Za-z0-9]{70,}"),
    rule("perplexity_key", &["pplx-"], r"pplx-[A-Za-z0-9]{40,}"),
    rule("replicate_token", &["r8_"], r"r8_[A-Za-z0-9]{37}"),
    rule(
        "docker_token",
        &["dckr_"],
        r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}",
    ),
    rule(
        "linear_key",
        &["lin_"],
        r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
    ),
    rule(
        "atlassian_token",
        &["ATATT3"],
        r"ATATT3[A-Za-z0-9_=-]{100,}",
    ),
    rule(
        "shopify_token",
        &["shp"],
        r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    ),
    rule(
        "grafana_token",
        &["glsa_"],
        r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}",
    ),
    rule("rubygems_key", &["rubygems_"], r"rubygems_[0-9a-f]{48}"),
    rule(
        "age_key",
        &["AGE-SECRET-KEY-1"],
        r"AGE-SECRET-KEY-1[0-9A-Z]{58}",
    ),
    rule(
        "vault_token",
        &["hvs.", "hvb."],
        r"hv[sb]\.[A-Za-z0-9_-]{24,}",
    ),
    // Neither a placeholder such as `$TOKEN`, `<password>` or `***` nor what is redacted already.
    rule(
        "url_password",
        &["://"],
        r#"[A-Za-z][A-Za-z0-9+.-]*://(?<secret>[^\s/?#:@\[\]<>"'`]*:[^\s/?#@\[\]<>"'`$\{*][^\s/?#<>"'`]*)@"#,
    ),
];
