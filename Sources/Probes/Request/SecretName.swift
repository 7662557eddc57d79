/// The one rule by which a name stands for a secret: of a header field, a parameter, a member of JSON or a variable.
///
/// What has such a name is shown by no event, log, status or listing of the configuration.
package enum SecretName {
    /// What is shown in place of a secret.
    package static let placeholder = "(not-shown)"
    /// Words after which a secret may stand in a text of somebody else's.
    static let textMarks = [
        "password", "passwd", "secret", "token", "authorization", "api_key", "apikey", "api-key", "bearer", "cookie",
        "session", "private_key", "credential",
    ]

    /// What the last word of a name, or of a compound like `accesstoken`, says.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "secrets", "token", "tokens", "apikey", "accesskey", "privatekey",
        "credential", "credentials", "cookie", "cookies", "authorization", "bearer", "jwt",
    ]
    /// Names that are secrets only when they stand alone.
    private static let whole: Set<String> = [
        "key", "auth", "session", "sid", "sig", "signature", "pass", "pwd", "otp", "sessionid",
    ]
    /// What makes a word `key` or `id` after it a secret.
    private static let keyOwners: Set<String> = [
        "api", "private", "access", "secret", "auth", "account", "subscription", "session", "master", "signing",
    ]
    /// `API_TOKEN_FILE` names a file, which is no secret.
    private static let places: Set<String> = ["file", "path", "dir", "fd"]

    /// Whether the value that belongs to a name is a secret.
    package static func isSecret(_ name: String) -> Bool {
        let words = words(of: name)
        guard let last = words.last, !places.contains(last) else { return false }
        if words.count == 1, whole.contains(last) { return true }
        if words.contains(where: { word in endings.contains { word.hasSuffix($0) } }) { return true }
        let owner = words.dropLast().last ?? ""
        return (last == "key" && keyOwners.contains(owner)) || (last == "id" && owner == "session")
    }

    /// The URL with the values of parameters that are secrets replaced; everything else stays as it is.
    package static func hidingQuery(of url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        let start = url.index(after: mark)
        let end = url[start...].firstIndex(of: "#") ?? url.endIndex
        let pairs = url[start..<end].split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "="), isSecret(decoded(pair[..<equals])) else { return String(pair) }
            return pair[...equals] + placeholder
        }
        return url[..<start] + pairs.joined(separator: "&") + url[end...]
    }

    /// Lower-case words: what stands between other characters than letters and digits, and where a capital begins one.
    private static func words(of name: String) -> [String] {
        var words: [String] = [""]
        var wasLower = false
        for byte in name.utf8.prefix(256) {
            let isUpper = (0x41...0x5A).contains(byte)
            let isLower = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            if !isUpper && !isLower || isUpper && wasLower { words.append("") }
            if isUpper || isLower {
                words[words.count - 1].unicodeScalars.append(Unicode.Scalar(isUpper ? byte | 0x20 : byte))
            }
            wasLower = isLower
        }
        return words.filter { !$0.isEmpty }
    }

    /// A name without percent-encoding, as far as it is ASCII.
    private static func decoded(_ name: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
