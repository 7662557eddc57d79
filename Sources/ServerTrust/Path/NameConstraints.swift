internal import CheckResults
internal import ForeignText
internal import SwiftASN1

/// An authority's name constraints (RFC 5280, section 4.2.1.10).
struct NameConstraints: Sendable {
    let permitted: [GeneralNameForm]
    let excluded: [GeneralNameForm]

    /// Decodes the extension; nil when it is malformed or empty: an unknown constraint must not be ignored.
    init?(_ node: ASN1Node) {
        guard let parts = node.sequence, !parts.isEmpty else { return nil }
        var lists: [UInt: [GeneralNameForm]] = [:]
        for part in parts {
            guard let tag = part.contextTag, tag <= 1, lists[tag] == nil, let subtrees = part.children,
                !subtrees.isEmpty
            else { return nil }
            var names: [GeneralNameForm] = []
            for subtree in subtrees {
                // `minimum` must be the default 0, which DER omits, and `maximum` must be absent.
                guard let fields = subtree.sequence, fields.count == 1, let name = GeneralNameForm(fields[0]),
                    Self.isWellFormed(name)
                else { return nil }
                names.append(name)
            }
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
        case .dns(let text):
            // A leading dot is allowed only in URI constraints.
            return text.bytes.isEmpty || HostName.isWellFormed(text)
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
