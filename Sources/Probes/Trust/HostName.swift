/// The rules for host names in certificates (RFC 9525, RFC 5280, the CA/Browser Forum's Baseline Requirements).
enum HostName {
    /// Whether `text` is a name of at least one label, of letters, digits, hyphens and, as in practice, underscores.
    static func isWellFormed(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 253 else { return false }
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.allSatisfy(isLabelCharacter)
        }
    }

    /// Whether `text` is a name as above, or one whose whole left-most label is `*`.
    static func isWellFormedPattern(_ text: String) -> Bool {
        isWellFormed(text.hasPrefix("*.") ? String(text.dropFirst(2)) : text)
    }

    /// Whether a certificate may carry `text`: labels of letters, digits and inner hyphens, the left-most one perhaps `*`.
    ///
    /// RFC 5280, section 4.2.1.6, asks for the preferred name syntax of RFC 1034. Hosts with an underscore in their name
    /// exist all the same; a wildcard is for them too.
    static func isPreferredPattern(_ text: String) -> Bool {
        guard isWellFormedPattern(text) else { return false }
        return text.utf8.split(separator: UInt8(ascii: ".")).allSatisfy { label in
            label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-") && !label.contains(UInt8(ascii: "_"))
        }
    }

    /// Whether a certificate's `pattern` is for the host `name`.
    ///
    /// A wildcard stands for exactly one label, and needs two labels behind it: `*.test` would be for a whole registry.
    static func matches(_ pattern: String, _ name: String) -> Bool {
        // Before the letters are made small: a few that are not ASCII have a small one that is.
        guard isWellFormedPattern(pattern), isWellFormed(name), !looksLikeAddress(name) else { return false }
        let pattern = pattern.lowercased()
        let name = name.lowercased()
        guard pattern.hasPrefix("*.") else { return pattern == name }
        let base = pattern.dropFirst(2)
        guard base.contains("."), let dot = name.firstIndex(of: ".") else { return false }
        return name[name.index(after: dot)...] == base
    }

    /// Whether the last label is a number: such a name is an IPv4 address for URL parsers, never a host's name.
    static func looksLikeAddress(_ text: String) -> Bool {
        guard let last = text.utf8.split(separator: UInt8(ascii: ".")).last else { return false }
        return last.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } || text.contains(":")
    }

    /// Whether somebody who reads `text` takes it for a host: a name of several labels, also an international one, or an
    /// address in whatever notation.
    static func readsAsHost(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, bytes.count <= 253 else { return false }
        if text.hasPrefix("0x"), bytes.dropFirst(2).allSatisfy(isHexadecimal) { return true }
        if text.contains(":") { return bytes.allSatisfy { isHexadecimal($0) || ":.%".utf8.contains($0) } }
        return text.contains(".") && bytes.allSatisfy { isLabelCharacter($0) || ".*".utf8.contains($0) || $0 >= 0x80 }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    private static func isLabelCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
