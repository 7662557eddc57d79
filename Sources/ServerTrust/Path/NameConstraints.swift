internal import CheckResults
internal import ForeignText
internal import SwiftASN1

/// An authority's name constraints (RFC 5280, section 4.2.1.10).
struct NameConstraints: Sendable {
    let permitted: [GeneralNameForm]
    let excluded: [GeneralNameForm]

    /// Decodes the extension; nil when it is malformed or empty, because an unknown constraint must not be ignored, and
    /// once the budget is exceeded.
    init?(_ node: ASN1Node, within budget: WorkBudget) {
        guard let parts = node.sequence, !parts.isEmpty, parts.haveAscendingTags else { return nil }
        var lists: [UInt: [GeneralNameForm]] = [:]
        for part in parts {
            guard let tag = part.contextTag, tag <= 1, let subtrees = part.children, !subtrees.isEmpty else {
                return nil
            }
            let names = subtrees.decoded(within: budget) { subtree -> GeneralNameForm? in
                // `minimum` must be the default 0, which DER omits, and `maximum` must be absent.
                guard let fields = subtree.sequence, fields.count == 1 else { return nil }
                return GeneralNameForm(fields[0], within: budget).flatMap { Self.isWellFormed($0) ? $0 : nil }
            }
            guard names.count == subtrees.count else { return nil }
            lists[tag] = names
        }
        permitted = lists[0] ?? []
        excluded = lists[1] ?? []
    }

    /// Returns the violation by a name below this authority; nil when the name is allowed.
    ///
    /// - Parameter budget: The remaining number of comparisons, of 64 bytes each; once it is exceeded, the caller must
    ///   abort.
    func violation(by name: GeneralNameForm, budget: inout Int) -> String? {
        budget -= (permitted.count + excluded.count) * (1 + name.size / 64)
        guard budget > 0 else { return nil }
        if let constraint = excluded.first(where: { $0.tag == name.tag && Self.excludes($0, name) }) {
            return "\(name) is excluded by \(Self.text(constraint))"
        }
        let relevant = permitted.filter { $0.tag == name.tag }
        if !relevant.isEmpty, !relevant.contains(where: { Self.permits($0, name) }) {
            return "\(name) is not within \(relevant.prefix(8).map(Self.text).joined(separator: ", "))"
        }
        return nil
    }

    private static func text(_ constraint: GeneralNameForm) -> String {
        switch constraint {
        case .dns(let text) where text.bytes.isEmpty: "all DNS names"
        case .address(let bytes) where bytes.count == 8 || bytes.count == 32:
            IPAddressText.text(of: Array(bytes.prefix(bytes.count / 2))) + "/"
                + String(bytes.dropFirst(bytes.count / 2).reduce(0) { $0 + $1.nonzeroBitCount })
        default: constraint.description
        }
    }

    private static func isWellFormed(_ name: GeneralNameForm) -> Bool {
        switch name {
        case .dns(let text): return text.bytes.isEmpty || isHostOrDomain(text)
        case .email(let text):
            guard text.bytes.contains(UInt8(ascii: "@")) else { return isHostOrDomain(text) }
            return mailbox(text).map { HostName.isWellFormed($0.host) } ?? false
        case .uri(let text): return isHostOrDomain(text)
        case .address(let bytes):
            guard bytes.count == 8 || bytes.count == 32 else { return false }
            return isPrefixMask(bytes.dropFirst(bytes.count / 2))
        case .directory, .other: return true
        }
    }

    private static func isHostOrDomain(_ text: ForeignText) -> Bool {
        HostName.isWellFormed(text.bytes.first == UInt8(ascii: ".") ? text.bytes.dropFirst() : text.bytes[...])
    }

    private static func isPrefixMask(_ mask: ArraySlice<UInt8>) -> Bool {
        let rest = mask.drop { $0 == 0xFF }
        guard let edge = rest.first else { return true }
        return (~edge & (~edge &+ 1)) == 0 && rest.dropFirst().allSatisfy { $0 == 0 }
    }
}

extension NameConstraints {
    /// Returns whether a permitted subtree contains a name of its own type.
    private static func permits(_ constraint: GeneralNameForm, _ name: GeneralNameForm) -> Bool {
        switch (constraint, name) {
        case (.dns(let base), .dns(let name)): HostName.isWellFormedPattern(name) && isHost(name, within: base)
        case (.address(let network), .address(let address)): contains(network, address)
        case (.email(let base), .email(let address)): isMailbox(address, within: base) ?? false
        case (.uri(let base), .uri(let text)): isResource(text, within: base) ?? false
        case (.directory(let base), .directory(let name)): name.isWithin(base)
        // A type that cannot be compared is not known to be permitted.
        default: false
        }
    }

    /// Returns whether an excluded subtree contains, or may contain, a name of its own type.
    private static func excludes(_ constraint: GeneralNameForm, _ name: GeneralNameForm) -> Bool {
        switch (constraint, name) {
        case (.dns(let base), .dns(let name)): isHost(name, within: base) || wildcard(name, reaches: base)
        case (.address(let network), .address(let address)):
            address.count != 4 && address.count != 16 || contains(network, address)
        case (.email(let base), .email(let address)): isMailbox(address, within: base) ?? true
        case (.uri(let base), .uri(let text)): isResource(text, within: base) ?? true
        case (.directory(let base), .directory(let name)): name.isWithin(base)
        // A type that cannot be compared is not known to be outside.
        default: true
        }
    }

    /// Returns whether a name is `base` itself, or has labels added on its left.
    ///
    /// A base with a leading dot needs at least one: RFC 5280 defines that only for mailboxes and URIs, but authorities
    /// write it for DNS names too, and OpenSSL, BoringSSL and Go interpret it so, permitted and excluded.
    private static func isHost(_ name: ForeignText, within base: ForeignText) -> Bool {
        let dot = UInt8(ascii: ".")
        let (name, base) = (name.bytes, base.bytes)
        guard !base.isEmpty, name.count != base.count else { return base.isEmpty || HostName.isEqual(name, base) }
        return name.count > base.count && (base[0] == dot || name[name.count - base.count - 1] == dot)
            && HostName.hasSuffix(name, base)
    }

    /// Returns whether `*.example.com` matches names below an excluded `a.example.com`.
    private static func wildcard(_ name: ForeignText, reaches base: ForeignText) -> Bool {
        guard HostName.isWildcard(name), let dot = base.bytes.firstIndex(of: UInt8(ascii: ".")) else { return false }
        return HostName.isEqual(base.bytes[(dot + 1)...], name.bytes.dropFirst(2))
    }

    private static func contains(_ network: [UInt8], _ address: [UInt8]) -> Bool {
        guard network.count == address.count * 2 else { return false }
        let masks = network.dropFirst(address.count)
        return zip(zip(network, masks), address).allSatisfy { pair, byte in pair.0 & pair.1 == byte & pair.1 }
    }

    /// Matches a constraint by RFC 5280: a mailbox, all mailboxes of a host, or with a leading dot those of all hosts
    /// below a domain.
    ///
    /// - Returns: nil when the address is malformed.
    private static func isMailbox(_ address: ForeignText, within base: ForeignText) -> Bool? {
        guard let (user, host) = mailbox(address), HostName.isWellFormed(host) else { return nil }
        if let wanted = mailbox(base) { return user == wanted.user && HostName.isEqual(host, wanted.host) }
        return isHost(host, below: base)
    }

    /// Splits an address at its only `@`; nil for any other text, and for an empty left part.
    private static func mailbox(_ text: ForeignText) -> (user: ArraySlice<UInt8>, host: ArraySlice<UInt8>)? {
        let at = UInt8(ascii: "@")
        guard let place = text.bytes.firstIndex(of: at), place > 0 else { return nil }
        let host = text.bytes[(place + 1)...]
        return host.contains(at) ? nil : (text.bytes[..<place], host)
    }

    /// Matches a constraint on the host of a URI: the exact host, or with a leading dot a host below the domain.
    ///
    /// - Returns: nil if the URI has no host name; RFC 5280 rejects such a certificate.
    private static func isResource(_ text: ForeignText, within base: ForeignText) -> Bool? {
        let bytes = text.bytes
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return nil
        }
        var host = bytes[(colon + 3)...].prefix { !"/?#".utf8.contains($0) }
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        if let colon = host.lastIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
        guard HostName.isWellFormed(host), !HostName.looksLikeAddress(ForeignText(host)) else { return nil }
        return isHost(host, below: base)
    }

    private static func isHost(_ host: ArraySlice<UInt8>, below base: ForeignText) -> Bool {
        base.bytes.first == UInt8(ascii: ".")
            ? HostName.hasSuffix(host, base.bytes) : HostName.isEqual(host, base.bytes)
    }
}
