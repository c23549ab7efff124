//! Tokens of services for teams, mail, payment and so on.

use crate::domain::redact::check::random;
use crate::domain::redact::format::{Format, alone, formats};

pub(super) const FORMATS: &[Format] = formats! {
    slack_token "Slack" "https://docs.slack.dev/authentication/tokens"
        Start 15 ["xoxa-" "xoxb-" "xoxc-" "xoxe-" "xoxe.xox" "xoxp-" "xoxr-" "xoxs-" "xapp-"]
        r"xox[abceprs]-[0-9][A-Za-z0-9-]{9,}|xoxe\.xox[bp]-[0-9]-[A-Za-z0-9-]{20,}|xapp-[0-9]-[A-Za-z0-9-]{10,}";
        yes ["xoxb-{d12}-{d13}-{a24}" "xoxp-{d11}-{d12}-{d13}-{h32}" "xoxa-2-{d12}-{d13}-{h32}" "xoxr-{d12}-{a40}" "xoxs-{d12}-{d13}-{h32}" "xoxe-1-{a140}" "xoxe.xoxp-1-Mi0{a160}" "xapp-1-A{u10}-{d13}-{h64}" "xoxc-{d12}-{d12}-{d12}-{h64}"];
        no ["xoxo-hugs-and-kisses-for-everyone" "xoxo-1-hugs" "xoxb-your-token"];

    slack_token "Slack, cookie of a browser" "https://github.com/wee-slack/wee-slack#get-a-session-token"
        Start 45 ["xoxd-"] r"xoxd-[A-Za-z0-9%+/=_-]{40,}", random;
        yes ["xoxd-{a80}%2B{a60}%3D"];
        no ["xoxd-{a9}" "xoxd-your-cookie-from-the-browser-goes-right-here"];

    slack_webhook "Slack, webhooks" "https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"
        Start 45 ["hooks.slack.com/"] r"hooks\.slack\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9/_-]{20,})";
        yes ["https://hooks.slack.com/services/‹T{u10}/B{u10}/{a24}›" "https://hooks.slack.com/workflows/‹T{u10}/A{u10}/{d18}/{a24}›" "https://hooks.slack.com/triggers/‹T{u10}/{d12}/{h32}›"];
        no ["https://hooks.slack.com/services/T0/B0" "see hooks.slack.com/help"];

    discord_token "Discord, bots" "https://discord.com/developers/docs/reference#authentication"
        Within 58 [".C" ".D" ".E" ".F" ".G" ".H" ".I" ".X" ".Y" ".Z" ".a"]
        alone!(r"[MNO][A-Za-z0-9_-]{22,27}\.[CDEFGHIXYZa][A-Za-z0-9_-]{5}\.[A-Za-z0-9_-]{27,40}"), random;
        yes ["M{a25}.G{a5}.{w37}a" "N{a23}.X{a5}.{w26}a" "M{a23}.C{a5}.{a27}" "M{a23}.D{a5}.{a27}" "M{a23}.E{a5}.{a27}" "M{a23}.F{a5}.{a27}" "M{a23}.H{a5}.{a27}" "M{a23}.I{a5}.{a27}" "M{a23}.Y{a5}.{a27}" "M{a23}.Z{a5}.{a27}" "M{a23}.a{a5}.{a27}"];
        no ["M{a25}.G{a5}.{a9}" "Module.Generic.Configuration" "Many-words-joined-by-dots.Gather.into-a-name-of-forty-letters"];

    discord_webhook "Discord, webhooks" "https://discord.com/developers/docs/resources/webhook"
        Start 100 ["discord.com/api/" "discordapp.com/api/"]
        r"discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks/[0-9]{17,20}/(?<secret>[A-Za-z0-9_-]{60,})";
        yes ["https://discord.com/api/webhooks/{d19}/‹{w68}›" "https://discordapp.com/api/v10/webhooks/{d18}/‹{w68}›"];
        no ["https://discord.com/api/webhooks/{d19}/{a9}" "https://discord.com/api/webhooks/ID/TOKEN"];

    telegram_token "Telegram, bots" "https://core.telegram.org/bots/features#botfather"
        Within 44 [":AA"] alone!(r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}");
        yes ["{d10}:AA{w32}a" "{d9}:AA{w32}a"];
        no ["10:30:AA" "12345678:AA" "{d9}:AA{a9}"];

    twilio_key "Twilio" "https://www.twilio.com/docs/iam/api-keys"
        Alone 34 ["SK"] r"SK[0-9a-f]{32}";
        yes ["SK{h32}"];
        no ["TASK{h32}" "SK{h20}"];

    twilio_token "Twilio, token of an account" "https://www.twilio.com/docs/iam/api/authtoken"
        Start 67 ["AC"] r"AC[0-9a-f]{32}:(?<secret>[0-9a-f]{32})";
        yes ["curl -u AC{h32}:‹{h32}›"];
        no ["AC{h32}" "AC{h32}:token"];

    sendgrid_key "SendGrid" "https://www.twilio.com/docs/sendgrid/ui/account-and-settings/api-keys"
        Alone 52 ["SG."] r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}";
        yes ["SG.{w22}.{w42}a"];
        no ["SG.1.2" "SG.{a22}.{a9}"];

    mailgun_key "Mailgun" "https://documentation.mailgun.com/docs/mailgun/api-reference/mg-auth"
        Alone 36 ["key-"] r"key-[0-9a-f]{32}";
        yes ["key-{h32}"];
        no ["key-{h20}" "monkey-{h32}"];

    mailchimp_key "Mailchimp" "https://mailchimp.com/developer/marketing/guides/quick-start/"
        Alone 36 after 32 ["-us"] r"[0-9a-f]{32}-us[0-9]{1,2}";
        yes ["{h32}-us12" "{h32}-us4"];
        no ["{h20}-us12" "{h32}-user" "eu-us12"];

    stripe_key "Stripe" "https://docs.stripe.com/keys"
        Start 24 ["sk_live_" "rk_live_" "sk_test_" "rk_test_"] r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}";
        yes ["sk_live_{a24}" "rk_live_{a99}" "sk_test_{a24}" "rk_test_{a24}"];
        no ["pk_live_{a24}" "sk_live_{a9}" "task_test_name"];

    stripe_webhook_secret "Stripe, webhooks" "https://docs.stripe.com/webhooks/signature"
        Start 38 ["whsec_"] r"whsec_[A-Za-z0-9+/=]{32,}", random;
        yes ["whsec_{a32}" "whsec_{b44}="];
        no ["whsec_{a9}" "whsec_configurationconfigurationconfiguration"];

    square_token "Square" "https://developer.squareup.com/docs/build-basics/access-tokens"
        Start 29 ["sq0atp-" "sq0csp-" "sq0idp-"] r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}";
        yes ["sq0atp-{w22}" "sq0csp-{w43}" "sq0idp-{w22}"];
        no ["sq0atp-{a9}" "sq0idp-"];

    square_token "Square, access tokens" "https://developer.squareup.com/docs/build-basics/access-tokens"
        Alone 64 ["EAAA"] r"EAAA[A-Za-z0-9_-]{60}", random;
        yes ["EAAA{w59}a"];
        no ["EAAA{a20}" "EAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"];

    facebook_token "Facebook" "https://developers.facebook.com/docs/facebook-login/guides/access-tokens"
        Alone 104 ["EAA"] r"EAA[A-Z][A-Za-z0-9]{100,}", random;
        yes ["EAAC{a120}" "EAAG{a180}"];
        no ["EAAC{a20}" "EAAX"];

    dropbox_token "Dropbox" "https://developers.dropbox.com/oauth-guide"
        Alone 103 ["sl."] r"sl\.(?:[a-z]\.)?[A-Za-z0-9_-]{100,}", random;
        yes ["sl.u.AF{w130}a" "sl.{w135}a"];
        no ["sl.u.{a20}" "ssl.{a120}"];

    newrelic_key "New Relic" "https://docs.newrelic.com/docs/apis/intro-apis/new-relic-api-keys/"
        Start 31 ["NRAK-" "NRII-" "NRAA-" "NRBR-"] r"NR(?:AK|II|AA|BR)-[A-Za-z0-9_-]{26,}";
        yes ["NRAK-{u27}" "NRII-{w32}" "NRAA-{h27}" "NRBR-{h27}"];
        no ["NRAK-{u9}" "NRII-"];

    sentry_token "Sentry" "https://docs.sentry.io/account/auth-tokens/"
        Start 67 ["sntrys_" "sntryu_"] r"sntry[su]_[A-Za-z0-9+/=_-]{60,}";
        yes ["sntrys_{b120}" "sntryu_{h64}"];
        no ["sntrys_{a20}" "sntryu_"];

    notion_token "Notion" "https://developers.notion.com/page/changelog"
        Start 44 ["ntn_"] r"ntn_[A-Za-z0-9]{40,}", random;
        yes ["ntn_{a46}"];
        no ["ntn_{a20}" "ntn_configurationconfigurationconfigurationconfiguration"];

    notion_token "Notion before 2024" "https://developers.notion.com/page/changelog"
        Alone 50 ["secret_"] r"secret_[A-Za-z0-9]{43}", random;
        yes ["secret_{a43}"];
        no ["secret_{a20}" "secret_configurationconfigurationconfigurationconf"];

    airtable_token "Airtable" "https://airtable.com/developers/web/guides/personal-access-tokens"
        Alone 82 ["pat"] r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}";
        yes ["pat{a14}.{h64}"];
        no ["pat{a14}.{h20}" "spat{a14}.{h64}"];

    figma_token "Figma" "https://developers.figma.com/docs/rest-api/authentication/"
        Start 41 ["figd_" "figu_" "figo_"] r"fig[duo]_[A-Za-z0-9_-]{36,}", random;
        yes ["figd_{w40}" "figu_{w40}" "figo_{w40}"];
        no ["figd_{a9}" "figu_a_long_name_of_a_figure_in_the_documentation"];

    shopify_token "Shopify" "https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens"
        Start 38 ["shpat_" "shpca_" "shppa_" "shpss_"] r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}";
        yes ["shpat_{h32}" "shpca_{h32}" "shppa_{h32}" "shpss_{h32}"];
        no ["shpat_" "shpss_{h9}"];

    grafana_token "Grafana" "https://grafana.com/docs/grafana/latest/administration/service-accounts/"
        Start 46 ["glsa_"] r"glsa_[A-Za-z0-9]{32}_[0-9A-Fa-f]{8}";
        yes ["glsa_{a32}_{h8}"];
        no ["glsa_{a20}" "glsa_x"];

    grafana_token "Grafana Cloud" "https://grafana.com/docs/grafana-cloud/account-management/authentication-and-permissions/access-policies/"
        Start 64 ["glc_"] r"glc_[A-Za-z0-9+/=_-]{60,}", random;
        yes ["glc_{a100}" "glc_{b120}=="];
        no ["glc_{a20}" "glc_a_long_name_of_a_function_that_goes_on_and_on_for_ever_and_a_day"];
};
