/// The Accept-Language field for a user's preferred languages.
public enum AcceptLanguage {
    /// Returns the field's value: at most six languages, from `q=1` in steps of 0.1 down to `q=0.5`; nil without
    /// languages.
    ///
    /// Invalid language tags (RFC 5646) are left out.
    public static func value(of languages: [String]) -> String? {
        let tags = languages.filter(isTag).prefix(6)
        guard !tags.isEmpty else { return nil }
        return tags.enumerated()
            .map { index, tag in "\(tag);q=\(index == 0 ? "1" : "0.\(10 - index)")" }
            .joined(separator: ", ")
    }

    /// Returns the preferred languages by gettext's rules: the locale is the first of `LC_ALL`, `LC_MESSAGES` and
    /// `LANG` that is not empty, and `LANGUAGE` overrides it unless the locale is `C` or `POSIX`.
    ///
    /// - Parameter environment: The environment variables by name.
    public static func languages(environment: [String: String]) -> [String] {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        guard let locale, let language = tag(ofLocale: locale) else { return [] }
        var languages: [String] = []
        for name in (environment["LANGUAGE"] ?? "").split(separator: ":").prefix(64) {
            if let tag = tag(ofLocale: String(name)), !languages.contains(tag) { languages.append(tag) }
        }
        return languages.isEmpty ? [language] : languages
    }

    /// Returns `de-DE` for `de_DE.UTF-8@euro`; nil for locales without a language and for other strings.
    private static func tag(ofLocale locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        let tag = String(name.map { $0 == "_" ? "-" : $0 })
        return name != "C" && name != "POSIX" && isTag(tag) ? tag : nil
    }

    private static func isTag(_ text: String) -> Bool {
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard subtags.count <= 8, let first = subtags.first, first.count >= 2 else { return false }
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        return first.allSatisfy(isLetter)
            && subtags.allSatisfy { subtag in
                (1...8).contains(subtag.count) && subtag.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) }
            }
    }
}
