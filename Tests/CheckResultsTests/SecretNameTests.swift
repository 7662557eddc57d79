import CheckResults
import Testing

/// The names that stand for secrets.
struct SecretNameTests {
    @Test(arguments: [
        "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "X-Auth-Token", "X-Api-Key", "X-API-KEY",
        "Api-Key",
        "apikey", "apiKey", "api_key", "access_token", "accessToken", "ACCESSTOKEN", "token", "csrf-token",
        "client_secret",
        "clientSecret", "password", "user[password]", "db_password_hash", "passphrase", "PRIVATE_KEY", "privateKey",
        "key",
        "sig", "session", "session_id", "JSESSIONID_token", "Ocp-Apim-Subscription-Key", "signing-key", "credentials",
        "jwt",
        "X-Shopify-Access-Token", "bearer", "pwd",
    ])
    func `a secret`(name: String) { #expect(SecretName.isSecret(name)) }

    @Test(arguments: [
        "", "-", "Accept", "Content-Type", "Host", "Public-Key-Pins", "Key-Id", "monkey", "keyboard", "author",
        "XAUTHORITY",
        "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS", "API_TOKEN_FILE", "PASSWORD_PATH", "TOKENIZERS_PARALLELISM",
        "passive",
        "compass", "q", "id", "user", "code", "PIN", "WWW-Authenticate", "ETag", "Content-Security-Policy",
    ])
    func `no secret`(name: String) { #expect(!SecretName.isSecret(name)) }

    @Test(arguments: [
        ("https://a.test/", "https://a.test/"), ("https://a.test/?q=1", "https://a.test/?q=1"),
        ("https://a.test/?token=abc", "https://a.test/?token=(not-shown)"),
        ("https://a.test/?q=1&api_key=a=b&x", "https://a.test/?q=1&api_key=(not-shown)&x"),
        ("https://a.test/?%74oken=abc#f", "https://a.test/?%74oken=(not-shown)#f"),
        ("https://a.test/?a%5Bpassword%5D=x&token", "https://a.test/?a%5Bpassword%5D=(not-shown)&token"),
        (
            "https://a.test/?\u{301}token=a&\u{301}secret=\u{301}b",
            "https://a.test/?\u{301}token=(not-shown)&\u{301}secret=(not-shown)"
        ),
        ("https://a.test/?%=1&%4=2", "https://a.test/?%=1&%4=2"),
    ])
    func `a query is shown without its secrets`(url: String, shown: String) {
        #expect(SecretName.hidingQuery(of: url) == shown)
    }
}
