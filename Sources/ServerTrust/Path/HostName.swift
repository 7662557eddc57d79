internal import CheckResults
internal import ForeignText

/// The rules for host names in certificates (RFC 9525, RFC 5280, the CA/Browser Forum's Baseline Requirements).
///
/// Names are bytes here, and letters are those of ASCII: a name with others is not a host name.
enum HostName {
    /// The maximum length of a name, in bytes.
    static let maximumLength = 253
    private static let dot = UInt8(ascii: ".")

    /// Returns whether `text` is a name of at least one label of letters, digits, hyphens and, as in practice,
    /// underscores.
    static func isWellFormed(_ text: ForeignText) -> Bool { isWellFormed(text.bytes[...]) }

    /// Returns whether the bytes are such a name.
    static func isWellFormed(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= maximumLength else { return false }
        return bytes.split(separator: dot, omittingEmptySubsequences: false).allSatisfy { label in
            (1...63).contains(label.count) && label.allSatisfy(isLabelCharacter)
        }
    }

    /// Returns whether `text` is such a name, or one whose left-most label is `*`.
    static func isWellFormedPattern(_ text: ForeignText) -> Bool {
        isWellFormed(isWildcard(text) ? text.bytes.dropFirst(2) : text.bytes[...])
    }

    /// Returns whether the left-most of several labels is `*`.
    static func isWildcard(_ text: ForeignText) -> Bool { text.bytes.starts(with: "*.".utf8) }

    /// Returns whether a certificate may contain `text`: labels of letters, digits and inner hyphens, the left-most one
    /// optionally `*`.
    ///
    /// RFC 5280, section 4.2.1.6, requires the preferred name syntax of RFC 1034. Host names with an underscore exist
    /// all the same; a wildcard also matches those.
    static func isPreferredPattern(_ text: ForeignText) -> Bool {
        guard isWellFormedPattern(text) else { return false }
        return text.bytes.split(separator: dot).allSatisfy { label in
            label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-") && !label.contains(UInt8(ascii: "_"))
        }
    }

    /// Returns whether a certificate's `pattern` matches the host `name`.
    ///
    /// A wildcard stands for exactly one label, and needs two labels after it: `*.test` would match a whole registry.
    static func matches(_ pattern: ForeignText, _ name: ForeignText) -> Bool {
        guard isWellFormedPattern(pattern), isWellFormed(name), !looksLikeAddress(name) else { return false }
        guard isWildcard(pattern) else { return isEqual(pattern.bytes, name.bytes) }
        let base = pattern.bytes.dropFirst(2)
        guard base.contains(dot), let end = name.bytes.firstIndex(of: dot) else { return false }
        return isEqual(name.bytes[(end + 1)...], base)
    }

    /// Compares two names, ignoring the case of ASCII letters.
    static func isEqual(_ one: some Collection<UInt8>, _ other: some Collection<UInt8>) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }

    /// Returns whether `name` ends in `suffix`, ignoring the case of ASCII letters.
    static func hasSuffix(_ name: some BidirectionalCollection<UInt8>, _ suffix: some Collection<UInt8>) -> Bool {
        name.count >= suffix.count && isEqual(name.suffix(suffix.count), suffix)
    }

    /// Returns whether the last label is a number: URL parsers interpret such a name as an IPv4 address, never as a
    /// host name.
    static func looksLikeAddress(_ text: ForeignText) -> Bool {
        guard let last = text.bytes.split(separator: dot).last else { return false }
        return last.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            || text.bytes.contains(UInt8(ascii: ":"))
    }

    /// Returns whether a reader would take `text` for a host: a name of several labels, including an international one,
    /// or an address in any notation.
    static func readsAsHost(_ text: ForeignText) -> Bool {
        let bytes = text.bytes
        guard !bytes.isEmpty, bytes.count <= maximumLength else { return false }
        if bytes.starts(with: "0x".utf8), bytes.dropFirst(2).allSatisfy(isHexadecimal) { return true }
        if bytes.contains(UInt8(ascii: ":")) {
            return bytes.allSatisfy { isHexadecimal($0) || ":.%".utf8.contains($0) }
        }
        return bytes.contains(dot) && bytes.allSatisfy { isLabelCharacter($0) || ".*".utf8.contains($0) || $0 >= 0x80 }
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

/// Checks that a certificate is valid for the requested server (RFC 9525): by alternative names only.
enum IdentityCheck {
    /// Returns the finding for a certificate that is not valid for `identity`; nil for a valid one.
    static func finding(_ certificate: DecodedCertificate, _ identity: ServerIdentity) -> Finding? {
        let names = certificate.extensions.subjectAlternativeNames
        guard !names.isEmpty else {
            let commonName = certificate.subject.values(of: "2.5.4.3").first
            let hint = commonName.map { "; the common name '\($0.shown(limit: 64))' does not count" } ?? ""
            return Finding(
                .tlsNoSubjectAlternativeName,
                subject: certificate.label,
                evidence: "'\(identity)' was requested, and the certificate has no alternative name\(hint)"
            )
        }
        var wanted: ForeignText = ""
        if case .name(let host) = identity { wanted = ForeignText(host) }
        let isMatch = names.contains { name in
            switch (name, identity) {
            case (.dns(let pattern), .name): HostName.matches(pattern, wanted)
            case (.address(let bytes), .address(let address)):
                bytes == address && (bytes.count == 4 || bytes.count == 16)
            default: false
            }
        }
        if isMatch { return nil }
        let shown = names.prefix(20).map(\.description).joined(separator: ", ")
        let more = names.count > 20 ? " and \(names.count - 20) more" : ""
        return Finding(
            .tlsHostname,
            subject: certificate.label,
            evidence: "'\(identity)' was requested, and the certificate is for \(shown)\(more)"
        )
    }
}
