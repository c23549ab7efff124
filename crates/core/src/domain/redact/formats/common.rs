//! Formats that no single issuer has: keys in files, and values behind a name that says what they
//! are.

use crate::domain::redact::check::{login, password, random, url, value};
use crate::domain::redact::format::{Format, formats};

/// The frame of a key, its header lines and its body, with whatever quotes, indents or joins the
/// lines. A frame may have lost one end. A mere mention of either line is none.
const PRIVATE_KEY: &str = concat!(
    r"-{4,5} ?BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}",
    r#"(?:[\s>#|*"',+]*[A-Za-z-]+: [^\n]*\n)*"#,
    r#"(?:[\s>#|*"',+]*[A-Za-z0-9+/]{16,}={0,2})+"#,
    r#"(?:[\s>#|*"',+]*=?[A-Za-z0-9+/]{1,15}={0,2}[\s>#|*"',+]*-{4,5} ?END|[\s>#|*"',+]*-{4,5} ?END)?"#,
    r"(?: (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5})?",
    r#"|(?:[A-Za-z0-9+/]{16,}={0,2}[\s>#|*"',+]*)+(?:=?[A-Za-z0-9+/]{1,15}={0,2}[\s>#|*"',+]*)?"#,
    r"-{4,5} ?END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)? ?-{4,5}",
);

/// The same without a frame: how the bytes of each kind of key begin (RSA and DSA, PKCS #8, SEC 1,
/// encrypted, OpenSSH), whatever breaks the lines.
const PRIVATE_KEY_BODY: &str = concat!(
    r"(?:MII[A-Za-z0-9+/]{2}[AQgw]IBA(?:AK[BC]|DAN)|MI[GH][A-Za-z0-9+/]AgE(?:BB|AMB)|M[A-Za-z0-9+/]{2}CAQ[AE]",
    r"|MI[A-Za-z0-9+/]{3,8}(?:BgkqhkiG9w0BBQ|CSqGSIb3DQEFD)|b3BlbnNzaC1rZXktdjE)",
    r#"[A-Za-z0-9+/]{12,}={0,2}(?:[\s>#|*"',]+[A-Za-z0-9+/]{16,}={0,2})*"#,
    r#"(?:[\s>#|*"',]+[A-Za-z0-9+/]{1,15}={1,2})?"#,
);

/// What has a form of its own.
pub(super) const KEYS: &[Format] = formats! {
    private_key "PEM, OpenSSH, PGP: private keys" "https://www.rfc-editor.org/rfc/rfc7468"
        Lines 40 ["PRIVATE KEY"] PRIVATE_KEY;
        yes [
            "-----BEGIN {k1}-----\n{b64}\n{b64}\n{b30}=\n-----END {k1}-----"
            "-----BEGIN RSA {k1}-----\n{b64}\n{b64}\n{b10}==\n-----END RSA {k1}-----"
            "-----BEGIN EC {k1}-----\\n{b64}\\n{b40}\\n-----END EC {k1}-----"
            "-----BEGIN EC {k1}-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES,1\n\n{b64}\n-----END EC {k1}-----"
            "-----BEGIN OPENSSH {k1}-----\r\n{b70}\r\n{b70}\r\n-----END OPENSSH {k1}-----"
            "-----BEGIN ENCRYPTED {k1}-----\n{b64}\n{b64}"
            "{b64}\n{b64}\n{b10}==\n-----END RSA {k1}-----"
            "-----BEGIN {k1}----- {b64} {b64} {b24} -----END {k1}-----"
            "-----BEGIN RSA {k1}-----\n    {b64}\n    {b64}\n    -----END RSA {k1}-----"
            "-----BEGIN RSA {k1}-----\n> {b64}\n> {b64}\n> -----END RSA {k1}-----"
            "-----BEGIN {k1}-----\n{b16}\n{b16}\n{b16}\n-----END {k1}-----"
            "-----BEGIN PGP {k1} BLOCK-----\nVersion: x 2\n\n{b64}\n{b64}\n=abcd\n-----END PGP {k1} BLOCK-----"
            "---- BEGIN SSH2 ENCRYPTED {k1} ----\nComment: x\n{b70}\n{b70}\n---- END SSH2 ENCRYPTED {k1} ----"
        ];
        no [
            "the line -----BEGIN {k1}----- must not occur, nor -----END {k1}-----"
            "a file that begins with -----BEGIN RSA {k1}-----"
            "grep -r \"BEGIN {k1}\" src"
            "-----BEGIN PUBLIC KEY-----\n{b64}\n{b64}\n{b64}\n-----END PUBLIC KEY-----"
            "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n{b64}\n{b40}==\n-----END CERTIFICATE-----"
        ];

    private_key "PuTTY: private keys" "https://the.earth.li/~sgtatham/putty/latest/htmldoc/AppendixC.html"
        Lines 40 ["Private-Lines:"]
        r"Private-Lines: [0-9]+\s+(?<secret>[A-Za-z0-9+/]{20,}={0,2}(?:\s+[A-Za-z0-9+/]{16,}={0,2})*(?:\s+[A-Za-z0-9+/]{1,15}={1,2})?)";
        yes ["PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\n‹{b48}›\nPrivate-MAC: {h64}" "Private-Lines: 2\n‹{b64}\n{b32}›\nPrivate-MAC: {h64}"];
        no ["Private-Lines: 1" "the field Private-Lines: counts lines"];

    private_key "PEM, OpenSSH: bodies without a frame" "https://www.rfc-editor.org/rfc/rfc5958"
        Lines 40 ["IBAAK" "IBADAN" "AgEBB" "AgEAMB" "CAQEE" "CAQAwBQYDK2V" "CAQEwBQYDK2V" "BgkqhkiG9w0BBQ" "CSqGSIb3DQEFD" "b3BlbnNzaC1rZXktdjE"]
        PRIVATE_KEY_BODY;
        yes [
            "MIIEpAIBAAKCAQEA{b48}\n{b64}\n{b64}\n{b30}=="
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b32}\n{b64}\n{b24}"
            "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{b32} {b64} {b24}"
            "MHcCAQEEI{b55}\n{b64}\n{b34}=="
            "MIHcAgEBBEIB{b52}\n{b64}\n{b34}=="
            "MIGHAgEAMBMGByqGSM49AgEG{b40}\n{b64}\n{b34}"
            "MC4CAQAwBQYDK2VwBCIEI{b43}"
            "MFECAQEwBQYDK2VwBCIEI{b43}"
            "MIIFHDBOBgkqhkiG9w0BBQ0w{b40}\n{b64}"
            "MIHsMFcGCSqGSIb3DQEFDTBK{b40}\n{b64}"
            "b3BlbnNzaC1rZXktdjEA{b50}\n{b70}\n{b20}"
        ];
        no ["MIIDXTCCAkWgAwIBAgI{b45}\n{b64}\n{b64}" "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A{b32}\n{b64}\n{b64}" "IBAAK"];

    private_key "Lines of base64, as long as in PEM or OpenSSH" "https://www.rfc-editor.org/rfc/rfc7468#section-2"
        Layout 200 [] "";
        yes ["{b64}\n{b64}\n{b64}\n{b30}==" "  > {b70}\n  > {b70}\n  > {b70}" "{b64}\\n{b64}\\n{b64}\\n{b64}"];
        no ["{h64}\n{h64}\n{h64}\n{h64}" "{b64}\n{b64}" "{b76}\n{b76}\n{b76}\n{b76}"];

    jwt "JSON Web Token, signed" "https://www.rfc-editor.org/rfc/rfc7519"
        Within 30 [".eyJ"] r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*";
        yes ["eyJ{w33}.eyJ{w80}.{w43}" "eyJ{w17}.eyJ{w200}.{w342}"];
        no ["eyJhbGciOiJIUzI1NiJ9" "eyJ{w9}.{w9}"];

    jwt "JSON Web Token, encrypted" "https://www.rfc-editor.org/rfc/rfc7516"
        Within 90 ["VuYyI" "JlbmMi" "ZW5jI"]
        r"eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}";
        yes ["eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ.{w342}.{w16}.{w80}.{w22}" "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..{w16}.{w80}.{w22}" "eyJraWQiOiIxIiwiYWxnIjoiZGlyIiwiZW5jIjoiQTEyOEdDTSJ9..{w16}.{w80}.{w22}"];
        no ["eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0" "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0.a.b.c.d"];
};

/// What only the words before or after it give away. Neither a placeholder such as `$TOKEN`,
/// `<password>` or `***` nor what is redacted already.
pub(super) const NAMED: &[Format] = formats! {
    url_password "User and password in a URL" "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1"
        Start 8 ["://"] r#"://(?<secret>[^\s/?#:@\[\]<>"'`]*:[^\s/?#@\[\]<>"'`\{*][^\s/?#<>"'`]*)@"#, url;
        yes ["postgres://‹{a8}:{a20}›@db.example.org:5432/x" "https://‹{a8}:{w40}›@git.example.org/a/b.git" "https://‹u:{a900}›@h" "redis://‹:{a30}›@cache:6379" "mongodb+srv://‹{a8}:{a12}%40{a8}›@c.example.net/?w=1" "postgres://‹app:$a7{a8}›@h/db" "mysql://‹root:{a8}›@127.0.0.1:3306/x" "postgres:\\/\\/‹app:{a12}›@h\\/db"];
        no [
            "docker://alpine:3.20@sha256:{h64}"
            "oci://ghcr.io:443@sha256:{h64}"
            "postgres://postgres:postgres@localhost:5432/test"
            "postgres://app:app@db/test"
            "https://user:password@example.com"
            "https://USER:PASS@host"
            "http://a:b@c"
            "ftp://anonymous:guest@h/"
            "https://example.org:8080/a@b?c=d:e@f"
            "https://example.org?mail=me:you@example.org"
            "https://unpkg.com:443/@scope/pkg@1.2.3"
            "ssh://git@github.com/a/b.git and git@github.com:a/b.git"
            "https://$USER:$TOKEN@host, https://u:${TOKEN}@host, https://u:<password>@host, a://b:***@c"
            "http://[::1]:8080/@x"
        ];

    url_password "Password in a URL, with a slash" "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1"
        After 8 ["://"] r#"://(?<secret>[^\s/?#:@\[\]<>"'`]*:[^\s/?#@\[\]<>"'`\{*]+/[^\s?#@<>"'`]*)@"#, url;
        yes ["postgres://‹app:ab/cd{a7}5›@h/db" "postgres://‹app:{a5}7/{a5}/{a5}›@h/db"];
        no ["https://example.org:8080/a@b" "file:///a:b@c" "s3://bucket:key@v"];

    url_token "Token before the host of a URL" "https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1"
        Start 24 ["://"] r"://(?<secret>[A-Za-z0-9_-]{20,})@", url;
        yes ["https://‹{h40}›@github.com/a/b.git" "https://‹{h32}›@o12.ingest.sentry.io/4"];
        no ["docker://{h40}@sha256:{h64}" "https://the-name-of-a-service-account@example.org"];

    authorization "Header of HTTP, any scheme" "https://www.rfc-editor.org/rfc/rfc9110#name-authorization"
        After 24 ["authorization"]
        r#"(?i:authorization["']?\s*[:=]\s*["']?(?:basic|bearer|token|apikey|key)\s+)(?<secret>[A-Za-z0-9._~+/-]{8,}={0,2})"#, value;
        yes ["Authorization: Basic ‹{b27}5=›" "Authorization: Bearer ‹{a40}›" "{\"authorization\": \"token ‹{h40}›\"}"];
        no ["Authorization: Bearer <token>" "Authorization: Bearer $TOKEN" "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE" "authorization: basic authentication"];

    bearer_token "Bearer token" "https://www.rfc-editor.org/rfc/rfc6750#section-2.1"
        After 27 ["bearer "] r"(?i:bearer)\s+(?<secret>[A-Za-z0-9._~+/-]{20,}={0,2})", value;
        yes ["\"auth\": \"Bearer ‹{a40}›\"" "bearer ‹{w32}7a›"];
        no ["Bearer of-good-news-for-everyone-here" "Bearer {a9}" "bearer tokens"];

    netrc_password "Password in a .netrc" "https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html"
        After 24 ["machine "] r"(?i:machine)\s+\S+\s+login\s+\S+\s+password\s+(?<secret>[^\s\[\]]{4,})", login;
        yes ["machine h login u password ‹{a14}›" "machine api.example.org\n  login u\n  password ‹{a14}›"];
        no ["machine h login u password <password>" "machine h login u" "machine h login u password ${PASS}"];

    password_hash "Hash of a password" "https://man7.org/linux/man-pages/man5/crypt.5.html"
        Start 26 ["$apr1$" "$1$" "$2a$" "$2b$" "$2y$" "$5$" "$6$" "$7$" "$y$" "$argon2"]
        r"\$(?:apr1|[1567y]|2[aby]|argon2(?:id?|d))\$(?<secret>[A-Za-z0-9./$=,+]{22,})", random;
        yes ["bob:$apr1$‹{a8}${a22}›" "$1$‹{a8}${a22}›" "$2a$‹10${a53}›" "$2b$‹10${a53}›" "$2y$‹10${a53}›" "$5$‹{a16}${a43}›" "$6$‹{a16}${a86}›" "$7$‹{a16}${a43}›" "$y$‹j9T${a22}${a43}›" "$argon2id$‹v=19$m=65536,t=3,p=4${a22}${a43}›"];
        no ["costs $1$ and more" "bob:$apr1$salt$hash" "$6$rounds=5000"];

    curl_password "Password on the command line of curl" "https://curl.se/docs/manpage.html#-u"
        After 14 ["curl "] r#"(?i:curl)\s[^\n|;]*?(?:-u|--user)[ =]?["']?(?<secret>[A-Za-z0-9_.@+-]+:[^\s"'`<>\[\]]{6,})"#, url;
        yes ["curl -u ‹admin:{a14}› https://h/" "curl -s --user '‹admin:{a13}5›' https://h/"];
        no ["curl -u admin:$PASS https://h/" "curl -u user:password https://h/" "curl -u admin https://h/"];

    mysql_password "Password on the command line of mysql" "https://dev.mysql.com/doc/refman/8.4/en/connecting.html"
        After 16 ["mysql" "mariadb"] r#"(?i:(?:mysql|mariadb)(?:-?dump|-?admin)?)\s(?:[^\n|;]*?\s)?-p(?<secret>[^\s"'`<>&|;\[\]]{8,})"#, password;
        yes ["mysql -uroot -p‹{a11}5› x" "mysqldump -u root -p‹{a11}5› x" "mariadb -u root -p‹{a11}5›"];
        no ["mysql -u root -p test" "mysql -uroot -p$PASSWORD" "mysqldump --protocol=tcp -ppassword"];

    password "Named password" "https://cwe.mitre.org/data/definitions/312.html"
        Named 8 ["password" "passwd" "passphrase" "pwd"] r#"[^\s"'`<>(){}\[\],;&|\\]{8,}"#, password;
        yes ["DB_PASSWORD=‹{a15}5›" "\"password\": \"‹{a15}5›\"" "jdbc:postgresql://h/db?user=u&password=‹{a11}5›" "Server=h;Database=d;User Id=sa;Password=‹{a13}5›;" "passwd: '‹{a11}!5›'" "PGPASSPHRASE=‹{a15}5›" "Uid=sa;Pwd=‹{a13}5›;"];
        no [
            "password: must be at least twelve characters"
            "password=$PASSWORD"
            "password = get_password(user)"
            "password=os.environ.DB_PASSWORD"
            "password: String"
            "password: SqlState"
            "password: crate::ObjectIdentifier"
            "PASSWORD_FILE=/run/secrets/db_password1"
            "password=/run/secrets/password1"
            "password=password123"
            "DB_PASSWORD=changeme123"
            "password: <your password>"
        ];

    named_secret "Named key, token or secret" "https://cwe.mitre.org/data/definitions/798.html"
        Named 16 ["api_key" "apikey" "api-key" "api_token" "apitoken" "api-token" "auth_token" "authtoken" "auth-token" "access_token" "accesstoken" "access-token" "refresh_token" "refreshtoken" "refresh-token" "session_token" "sessiontoken" "session-token" "client_secret" "clientsecret" "client-secret" "secret_key" "secretkey" "secret-key" "app_secret" "appsecret" "app-secret" "api_secret" "apisecret" "api-secret"]
        r"[A-Za-z0-9_+/.~-]{16,}={0,2}", value;
        yes ["API_KEY=\"‹{a40}›\"" "\"access_token\": \"‹{w38}7a›\"" "client_secret: ‹{h32}›" "apiToken='‹{a24}›'" "x-api-key: ‹{a40}›" "AUTH_TOKEN=‹{h32}›" "refresh_token=‹{a40}›" "sessionToken: ‹{a40}›" "APP_SECRET=‹{h32}›" "SECRET_KEY=‹{a50}›" "apiSecret: \"‹{a32}›\""];
        no ["API_KEY=$API_KEY" "api_key = config.the_key_of_the_service" "client_secret: {{ secrets.client_secret_name }}" "access_token=YOUR_ACCESS_TOKEN_GOES_HERE" "api-key: required"];
};
