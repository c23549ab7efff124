//! Keys of those who run models.

use crate::domain::redact::check::random;
use crate::domain::redact::format::{Format, formats};

pub(super) const FORMATS: &[Format] = formats! {
    anthropic_key "Anthropic" "https://docs.claude.com/en/api/overview"
        Start 34 ["sk-ant-"] r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{20,}", random;
        yes ["sk-ant-api03-{w93}AA" "sk-ant-oat01-{w93}AA" "sk-ant-ort01-{w93}AA" "sk-ant-admin01-{w93}AA" "sk-ant-sid01-{w93}AA"];
        no ["task-ant-colony-optimisation-rewrite-01-for-the-scheduler" "sk-ant-api03-{w9}"];

    openai_key "OpenAI, OpenRouter" "https://platform.openai.com/docs/api-reference/authentication"
        Start 37 ["sk-proj-" "sk-svcacct-" "sk-admin-" "sk-None-" "sk-or-v1-"]
        r"sk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{32,}", random;
        yes ["sk-proj-{w74}T3BlbkFJ{w74}" "sk-proj-{w156}" "sk-svcacct-{w74}" "sk-admin-{w74}" "sk-None-{a48}" "sk-or-v1-{h64}"];
        no ["desk-proj-a-long-branch-name-that-goes-on-and-on-for-ever" "sk-proj-{w9}"];

    openai_key "OpenAI, of any kind" "https://platform.openai.com/docs/api-reference/authentication"
        Within 27 ["T3BlbkFJ"] r"sk-[A-Za-z0-9_-]*T3BlbkFJ[A-Za-z0-9_-]{16,}";
        yes ["sk-{a20}T3BlbkFJ{a20}" "sk-user-{w40}T3BlbkFJ{w40}"];
        no ["T3BlbkFJ" "sk-T3BlbkFJ{a9}"];

    openai_key "OpenAI without a kind, DeepSeek and others" "https://api-docs.deepseek.com"
        Alone 35 ["sk-"] r"sk-[A-Za-z0-9]{32,}", random;
        yes ["sk-{a48}" "sk-{h32}"];
        no [".sk-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" "task-{h40}" "use sk-learn and sk-learn-contrib-extensions-for-everything"];

    groq_key "Groq" "https://console.groq.com/docs/quickstart"
        Start 44 ["gsk_"] r"gsk_[A-Za-z0-9]{40,}";
        yes ["gsk_{a52}"];
        no ["gsk_{a20}" "gsk_window_set_default_icon_name_from_resource"];

    huggingface_token "Hugging Face" "https://huggingface.co/docs/hub/security-tokens"
        Alone 33 ["hf_" "api_org_"] r"(?:hf|api_org)_[A-Za-z0-9]{30,}", random;
        yes ["hf_{a34}" "api_org_{a34}"];
        no ["hf_configurationconfigurationconfiguration" "hf_hub_download(repo_id) and hf_transfer" "xhf_{a34}"];

    xai_key "xAI" "https://docs.x.ai/docs/tutorial"
        Start 74 ["xai-"] r"xai-[A-Za-z0-9]{70,}";
        yes ["xai-{a80}"];
        no ["xai-{a20}" "maxai-grok-client"];

    perplexity_key "Perplexity" "https://docs.perplexity.ai/getting-started/quickstart"
        Start 45 ["pplx-"] r"pplx-[A-Za-z0-9]{40,}";
        yes ["pplx-{a48}"];
        no ["pplx-7b-online" "pplx-{a20}"];

    replicate_token "Replicate" "https://replicate.com/docs/topics/security/api-tokens"
        Alone 40 ["r8_"] r"r8_[A-Za-z0-9]{37}";
        yes ["r8_{a37}"];
        no ["the format r8_unorm" "xr8_{a37}"];

    elevenlabs_key "ElevenLabs" "https://elevenlabs.io/docs/api-reference/authentication"
        Alone 51 ["sk_"] r"sk_[0-9a-f]{48}";
        yes ["sk_{h48}"];
        no ["task_{h48}" "sk_{h32}"];

    langsmith_key "LangSmith" "https://docs.langchain.com/langsmith/create-account-api-key"
        Start 51 ["lsv2_"] r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}";
        yes ["lsv2_pt_{h32}_{h10}" "lsv2_sk_{h32}_{h10}"];
        no ["lsv2_pt_{h32}" "lsv2_config_file"];

    pinecone_key "Pinecone" "https://docs.pinecone.io/guides/projects/manage-api-keys"
        Start 60 ["pcsk_"] r"pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{48,}";
        yes ["pcsk_{a6}_{a63}"];
        no ["pcsk_{a6}_{a20}" "pcsk_index_name"];

    fireworks_key "Fireworks" "https://docs.fireworks.ai/api-reference/introduction"
        Alone 25 ["fw_"] r"fw_[A-Za-z0-9]{22,24}", random;
        yes ["fw_{a24}" "fw_{a22}"];
        no ["fw_configurationconfigurat" "xfw_{a24}"];
};
