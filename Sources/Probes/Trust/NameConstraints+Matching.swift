extension NameConstraints {
    /// Whether a permitted subtree covers a name of its own form.
    static func permits(_ constraint: GeneralNameForm, _ name: GeneralNameForm) -> Bool {
        switch (constraint, name) {
        case (.dns(let base), .dns(let name)): HostName.isWellFormedPattern(name) && isHost(name, within: base)
        case (.address(let network), .address(let address)): contains(network, address)
        case (.email(let base), .email(let address)): isMailbox(address, within: base) ?? false
        case (.uri(let base), .uri(let text)): isResource(text, within: base) ?? false
        case (.directory(let base), .directory(let name)): name.isWithin(base)
        // A form that cannot be compared is not known to be permitted.
        default: false
        }
    }

    /// Whether an excluded subtree covers a name of its own form, or may do so.
    static func excludes(_ constraint: GeneralNameForm, _ name: GeneralNameForm) -> Bool {
        switch (constraint, name) {
        case (.dns(let base), .dns(let name)): isHost(name, within: base) || wildcard(name, reaches: base)
        case (.address(let network), .address(let address)):
            address.count != 4 && address.count != 16 || contains(network, address)
        case (.email(let base), .email(let address)): isMailbox(address, within: base) ?? true
        case (.uri(let base), .uri(let text)): isResource(text, within: base) ?? true
        case (.directory(let base), .directory(let name)): name.isWithin(base)
        // A form that cannot be compared is not known to be outside.
        default: true
        }
    }

    /// `base` itself, or labels added on its left.
    private static func isHost(_ name: String, within base: String) -> Bool {
        let name = name.lowercased()
        let base = base.lowercased()
        return base.isEmpty || name == base || name.hasSuffix("." + base)
    }

    /// Whether `*.example.com` stands for names below an excluded `a.example.com`.
    private static func wildcard(_ name: String, reaches base: String) -> Bool {
        guard name.hasPrefix("*."), let dot = base.firstIndex(of: ".") else { return false }
        return base[base.index(after: dot)...].lowercased() == name.dropFirst(2).lowercased()
    }

    private static func contains(_ network: [UInt8], _ address: [UInt8]) -> Bool {
        guard network.count == address.count * 2 else { return false }
        let masks = network.dropFirst(address.count)
        return zip(zip(network, masks), address).allSatisfy { pair, byte in pair.0 & pair.1 == byte & pair.1 }
    }

    /// RFC 5280: a mailbox, all mailboxes of a host, or with a leading dot those of all hosts below a domain.
    ///
    /// - Returns: nil when the address is malformed.
    private static func isMailbox(_ address: String, within base: String) -> Bool? {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, HostName.isWellFormed(String(parts[1])) else { return nil }
        let host = parts[1].lowercased()
        let wanted = base.split(separator: "@", omittingEmptySubsequences: false)
        if wanted.count == 2 { return parts[0] == wanted[0] && host == wanted[1].lowercased() }
        return base.hasPrefix(".") ? host.hasSuffix(base.lowercased()) : host == base.lowercased()
    }

    /// The host of a URI: the very host, or with a leading dot a host below the domain.
    ///
    /// - Returns: nil when the URI has no host that is a name; RFC 5280 wants such a certificate refused.
    private static func isResource(_ text: String, within base: String) -> Bool? {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        var authority = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        if let colon = authority.lastIndex(of: ":") { authority = authority[..<colon] }
        let host = authority.lowercased()
        guard HostName.isWellFormed(host), !HostName.looksLikeAddress(host) else { return nil }
        return base.hasPrefix(".") ? host.hasSuffix(base.lowercased()) : host == base.lowercased()
    }
}
