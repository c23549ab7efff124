//! Tokens of code hosts, package registries and what builds.

use crate::domain::redact::check::{random, value};
use crate::domain::redact::format::{Format, formats};

pub(super) const FORMATS: &[Format] = formats! {
    github_token "GitHub" "https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github"
        Start 40 ["ghp_" "gho_" "ghu_" "ghs_" "ghr_" "github_pat_"]
        r"gh[pousr]_[A-Za-z0-9_]{36,}|github_pat_[A-Za-z0-9_]{40,}";
        yes ["ghp_{a36}" "gho_{a36}" "ghu_{a36}" "ghs_{a36}" "ghr_{a76}" "github_pat_{a22}_{a59}"];
        no ["ghp_{a20}" "github_pat_{a9}" "ghp_token"];

    gitlab_token "GitLab" "https://docs.gitlab.com/security/tokens/"
        Start 24 ["glpat-" "gloas-" "gldt-" "glrt-" "glrtr-" "glcbt-" "glptt-" "glft-" "glimt-" "glagent-" "glwt-" "glsoat-" "glffct-"]
        r"gl(?:pat|oas|dt|rtr?|cbt|ptt|ft|imt|agent|wt|soat|ffct)-[A-Za-z0-9_.=-]{20,}", random;
        yes ["glpat-{a20}" "glpat-{a27}.01.{h9}" "gloas-{h64}" "gldt-{a20}" "glrt-{a20}" "glrtr-{a20}" "glcbt-64_{a20}" "glptt-{h40}" "glft-{a20}" "glimt-{a25}" "glagent-{a50}" "glwt-{a20}" "glsoat-{a20}" "glffct-{a20}"];
        no ["glpat-{a9}" "glagent-configuration-of-a-cluster"];

    bitbucket_password "Bitbucket" "https://support.atlassian.com/bitbucket-cloud/docs/app-passwords/"
        Alone 32 ["ATBB"] r"ATBB[A-Za-z0-9]{28,32}";
        yes ["ATBB{a32}" "ATBB{a28}"];
        no ["ATBB{a9}" "xATBB{a32}"];

    npm_token "npm" "https://docs.npmjs.com/about-access-tokens"
        Start 40 ["npm_"] r"npm_[A-Za-z0-9]{36,}";
        yes ["npm_{a36}"];
        no ["npm_config_registry npm_lifecycle_event npm_package_config_some_long_name_here" "npm_{a20}"];

    npmrc_token "npm, in an .npmrc" "https://docs.npmjs.com/cli/configuring-npm/npmrc"
        Named 16 [":_authtoken" ":_auth" ":_password"] r"[A-Za-z0-9_+/=.-]{16,}";
        yes ["//registry.npmjs.org/:_authToken=‹{h8}-{h4}-{h4}-{h4}-{h12}›" "//npm.example.org/:_auth=‹{b40}=›" "//npm.example.org/:_password=\"‹{b24}›\""];
        no ["//registry.npmjs.org/:_authToken=${NPM_TOKEN}" "the setting :_authToken"];

    pypi_token "PyPI, TestPyPI" "https://pypi.org/help/#apitoken"
        Start 48 ["pypi-AgE"] r"pypi-AgE[A-Za-z0-9_-]{40,}";
        yes ["pypi-AgEIcHlwaS5vcmc{w150}" "pypi-AgENdGVzdC5weXBpLm9yZw{w150}"];
        no ["pypi-publish-workflow-with-trusted-publishing-and-attestations" "pypi-AgE{w9}"];

    crates_io_token "crates.io" "https://doc.rust-lang.org/cargo/reference/publishing.html"
        Alone 35 ["cio"] r"cio[A-Za-z0-9]{32}", random;
        yes ["cio{a32}"];
        no ["cioaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" "precious cargo" "cio{a40}"];

    rubygems_key "RubyGems" "https://guides.rubygems.org/api-key-scopes/"
        Start 57 ["rubygems_"] r"rubygems_[0-9a-f]{48,}";
        yes ["rubygems_{h48}"];
        no ["the rubygems_api_key setting" "rubygems_{h20}"];

    nuget_key "NuGet" "https://learn.microsoft.com/en-us/nuget/nuget-org/scoped-api-keys"
        Alone 46 ["oy2"] r"oy2[a-z2-7]{43}";
        yes ["oy2{l43}"];
        no ["toy2{l43}" "oy2{l9}"];

    docker_token "Docker" "https://docs.docker.com/security/access-tokens/"
        Start 29 ["dckr_"] r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}";
        yes ["dckr_pat_{w27}" "dckr_oat_{w32}"];
        no ["dckr_pat_{w9}" "dckr_config"];

    artifactory_key "JFrog Artifactory" "https://jfrog.com/help/r/jfrog-platform-administration-documentation/access-tokens"
        Alone 64 ["AKCp" "cmVmdGtu"] r"AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56}";
        yes ["AKCp{a69}" "cmVmdGtu{a56}"];
        no ["AKCp{a20}" "cmVmdGtu{a20}"];

    terraform_token "HCP Terraform" "https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens"
        Start 82 after 14 [".atlasv1."] r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}";
        yes ["{a14}.atlasv1.{a67}"];
        no ["{a14}.atlasv1.{a9}" "x.atlasv1.y"];

    vault_token "HashiCorp Vault" "https://developer.hashicorp.com/vault/docs/concepts/tokens"
        Start 28 ["hvs." "hvb." "hvr."] r"hv[sbr]\.[A-Za-z0-9_-]{24,}", random;
        yes ["hvs.{w90}" "hvb.{w138}" "hvr.{w90}"];
        no ["hvs.{w9}" "hvs.configuration_of_a_service_x"];

    vault_token "HashiCorp Vault before 1.10" "https://developer.hashicorp.com/vault/docs/concepts/tokens"
        Alone 26 ["s."] r"[sb]\.[A-Za-z0-9]{24}", value;
        yes ["s.{a23}5"];
        no ["this.aMethodWithALongNameHereX" "s.aMethodWithALongNameOfIts"];

    onepassword_token "1Password" "https://developer.1password.com/docs/service-accounts/security/"
        Start 107 ["ops_eyJ"] r"ops_eyJ[A-Za-z0-9+/=_-]{100,}";
        yes ["ops_eyJ{b240}" "ops_eyJ{w200}"];
        no ["ops_eyJ{a20}" "ops_eyeball"];

    doppler_token "Doppler" "https://docs.doppler.com/reference/auth-token-formats"
        Start 44 ["dp.pt." "dp.ct." "dp.st." "dp.sa." "dp.scim." "dp.audit."]
        r"dp\.(?:pt|ct|sa|scim|audit|st(?:\.[a-z0-9_-]{2,35})?)\.[A-Za-z0-9]{40,}";
        yes ["dp.pt.{a43}" "dp.ct.{a43}" "dp.st.dev_one.{a43}" "dp.st.{a43}" "dp.sa.{a43}" "dp.scim.{a43}" "dp.audit.{a43}"];
        no ["dp.pt.{a20}" "udp.st.example.org"];

    age_key "age" "https://age-encryption.org/v1"
        Start 74 ["AGE-SECRET-KEY-1"] r"AGE-SECRET-KEY-1[0-9A-Z]{58,}";
        yes ["AGE-SECRET-KEY-1{u58}"];
        no ["AGE-SECRET-KEY-1{u9}" "AGE-SECRET-KEY-"];

    linear_key "Linear" "https://linear.app/developers/graphql"
        Start 40 ["lin_api_" "lin_oauth_"] r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}";
        yes ["lin_api_{a40}" "lin_oauth_{h64}"];
        no ["a linear lin_api_client" "lin_oauth_{a9}"];

    atlassian_token "Atlassian" "https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/"
        Start 106 ["ATATT3" "ATCTT3"] r"AT[AC]TT3[A-Za-z0-9_=-]{100,}";
        yes ["ATATT3{w180}={u8}" "ATCTT3{w180}={u8}"];
        no ["ATATT3{w9}" "ATCTT3"];

    postman_key "Postman" "https://learning.postman.com/docs/developer/postman-api/authentication/"
        Start 64 ["PMAK-"] r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}";
        yes ["PMAK-{h24}-{h34}"];
        no ["PMAK-{h24}" "PMAK-key"];
};
