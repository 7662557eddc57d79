internal import ForeignText

/// The one rule for names of secrets: of a header field, a parameter, a JSON member or a variable.
///
/// Values with such a name are never shown in an event, log, status or configuration listing.
package enum SecretName {
    /// The replacement for a secret.
    package static let placeholder = "(not-shown)"
    /// Words after which a secret may follow in untrusted text, in lower case.
    package static let textMarks: [StaticString] = [
        "password", "passwd", "secret", "token", "authorization", "api_key", "apikey", "api-key", "bearer", "cookie",
        "session", "private_key", "credential",
    ]

    /// The last words of secret names and of compounds like `accesstoken`.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "secrets", "token", "tokens", "apikey", "accesskey", "privatekey",
        "credential", "credentials", "cookie", "cookies", "authorization", "bearer", "jwt",
    ]
    /// Names that are secrets only as a whole.
    private static let whole: Set<String> = [
        "key", "auth", "session", "sid", "sig", "signature", "pass", "pwd", "otp", "sessionid",
    ]
    /// Words that make a following `key` or `id` a secret.
    private static let keyOwners: Set<String> = [
        "api", "private", "access", "secret", "auth", "account", "subscription", "session", "master", "signing",
    ]
    /// `API_TOKEN_FILE` names a file, which is not a secret.
    private static let places: Set<String> = ["file", "path", "dir", "fd"]

    /// Returns whether the value with this name is a secret.
    package static func isSecret(_ name: String) -> Bool {
        let words = words(of: name)
        guard let last = words.last, !places.contains(last) else { return false }
        if words.count == 1, whole.contains(last) { return true }
        if words.contains(where: { word in endings.contains { word.hasSuffix($0) } }) { return true }
        let owner = words.dropLast().last ?? ""
        return (last == "key" && keyOwners.contains(owner)) || (last == "id" && owner == "session")
    }

    /// Returns the URL with the values of secret parameters replaced, and otherwise unchanged.
    package static func hidingQuery(of url: String) -> String {
        guard let query = query(of: url) else { return url }
        let pairs = pairs(of: query).map { pair in
            guard let value = secret(in: pair) else { return String(Substring(pair)) }
            return Substring(pair[..<value.startIndex]) + placeholder
        }
        return url[..<query.startIndex] + pairs.joined(separator: "&") + url[query.endIndex...]
    }

    /// Returns the values of secret parameters in the URL: as they are written, decoded, and decoded as those of a form.
    package static func values(inQueryOf url: String) -> [String] {
        guard let query = query(of: url) else { return [] }
        return pairs(of: query).compactMap(secret).flatMap { value in
            // A form has `+` for a space, and RFC 3986 has it for itself: only the server knows which of them it is.
            let words = value.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
            return [
                String(Substring(value)), decoded(Substring(value)),
                words.map { decoded(Substring($0)) }.joined(separator: " "),
            ]
        }
    }

    // By bytes: a combining mark after a delimiter makes another character of it for a `String`.

    private static func query(of url: String) -> Substring.UTF8View? {
        let bytes = url.utf8
        guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let start = bytes.index(after: mark)
        return bytes[start..<(bytes[start...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex)]
    }

    private static func pairs(of query: Substring.UTF8View) -> [Substring.UTF8View] {
        query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    }

    /// Returns the value of a parameter with the name of a secret.
    private static func secret(in pair: Substring.UTF8View) -> Substring.UTF8View? {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), isSecret(decoded(Substring(pair[..<equals]))) else {
            return nil
        }
        return pair[pair.index(after: equals)...]
    }

    /// Returns the lower-case words of a name, separated by characters other than letters and digits, or by capitals.
    private static func words(of name: String) -> [String] {
        var words: [String] = [""]
        var wasLower = false
        for byte in name.utf8.prefix(256) {
            let isUpper = (0x41...0x5A).contains(byte)
            let isLower = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            if !isUpper && !isLower || isUpper && wasLower { words.append("") }
            if isUpper || isLower {
                words[words.count - 1].unicodeScalars.append(Unicode.Scalar(byte.lowercasedASCII))
            }
            wasLower = isLower
        }
        return words.filter { !$0.isEmpty }
    }

    /// Returns a text with its percent-encoded bytes decoded.
    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
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
