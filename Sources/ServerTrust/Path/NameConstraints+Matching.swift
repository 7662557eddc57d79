internal import ForeignText

extension NameConstraints {
    /// Returns whether a permitted subtree contains a name of its own type.
    static func permits(_ constraint: GeneralNameForm, _ name: GeneralNameForm) -> Bool {
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
    static func excludes(_ constraint: GeneralNameForm, _ name: GeneralNameForm) -> Bool {
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
    private static func isHost(_ name: ForeignText, within base: ForeignText) -> Bool {
        let (name, base) = (name.bytes, base.bytes)
        guard !base.isEmpty, name.count != base.count else { return base.isEmpty || HostName.isEqual(name, base) }
        return name.count > base.count && name[name.count - base.count - 1] == UInt8(ascii: ".")
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

    /// Splits an address at its only `@`, of which the left part is not empty; nil for anything else.
    static func mailbox(_ text: ForeignText) -> (user: ArraySlice<UInt8>, host: ArraySlice<UInt8>)? {
        let at = UInt8(ascii: "@")
        guard let place = text.bytes.firstIndex(of: at), place > 0 else { return nil }
        let host = text.bytes[(place + 1)...]
        return host.contains(at) ? nil : (text.bytes[..<place], host)
    }

    /// Matches a constraint on the host of a URI: the very host, or with a leading dot a host below the domain.
    ///
    /// - Returns: nil when the URI has no host name; RFC 5280 refuses such a certificate.
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
