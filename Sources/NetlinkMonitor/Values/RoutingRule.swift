/// One rule of the policy routing database (`RTM_NEWRULE`, ip-rule(8)).
public struct RoutingRule: Sendable, Hashable, Codable {
    /// The address family that the rule is for.
    public let family: AddressFamily
    /// The priority: lower numbers are evaluated first.
    public let priority: UInt32
    /// The table to which the rule sends a matching packet; 0 for actions without a table.
    public let table: UInt32
    /// The action for a matching packet (`FR_ACT_…`): 1 look up the table, 2 goto, 6 blackhole, 7 unreachable, 8 prohibit.
    public let action: UInt8
    /// The firewall mark to match.
    public let mark: UInt32?
    /// The significant bits of the mark.
    public let markMask: UInt32?
    /// The source addresses to match; `nil` for all.
    public let source: IPPrefix?
    /// The destinations to match; `nil` for all.
    public let destination: IPPrefix?
    /// `true` if the rule has other conditions than source, destination and mark: an interface, a user, a port, a DSCP
    /// or the like, or one that a newer kernel has introduced.
    public let hasOtherSelectors: Bool
    /// The longest prefix among the table's answers that the rule ignores (`suppress_prefixlength`); `nil` if it accepts all.
    ///
    /// With 0 a rule accepts all routes but the default route, as wg-quick(8) wants for the main table.
    public let suppressedPrefixLength: UInt32?
    /// The group of interfaces (``Link/group``) whose routes among the table's answers the rule ignores
    /// (`suppress_ifgroup`); `nil` if it accepts all.
    public let suppressedGroup: UInt32?
    /// `true` if the rule matches packets that do *not* meet its conditions (`FIB_RULE_INVERT`): `not fwmark 0xca6c`.
    public let isInverted: Bool
    /// The priority of the rule with which the evaluation continues after a match (`goto`); `nil` for other actions.
    ///
    /// Without a rule of that priority the kernel continues with the next one.
    public let gotoPriority: UInt32?

    /// Creates a rule.
    public init(
        family: AddressFamily,
        priority: UInt32,
        table: UInt32,
        action: UInt8 = 1,
        mark: UInt32? = nil,
        markMask: UInt32? = nil,
        source: IPPrefix? = nil,
        destination: IPPrefix? = nil,
        hasOtherSelectors: Bool = false,
        suppressedPrefixLength: UInt32? = nil,
        suppressedGroup: UInt32? = nil,
        isInverted: Bool = false,
        gotoPriority: UInt32? = nil
    ) {
        self.family = family
        self.priority = priority
        self.table = table
        self.action = action
        self.mark = mark
        self.markMask = markMask
        self.source = source
        self.destination = destination
        self.hasOtherSelectors = hasOtherSelectors
        self.suppressedPrefixLength = suppressedPrefixLength
        self.suppressedGroup = suppressedGroup
        self.isInverted = isInverted
        self.gotoPriority = gotoPriority
    }
}

extension RoutingRule {
    /// Decodes a rule; those in older recordings have no addresses, nothing suppressed and no priority to go to.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            family: try members.decode(AddressFamily.self, forKey: .family),
            priority: try members.decode(UInt32.self, forKey: .priority),
            table: try members.decode(UInt32.self, forKey: .table),
            action: try members.decode(UInt8.self, forKey: .action),
            mark: try members.decodeIfPresent(UInt32.self, forKey: .mark),
            markMask: try members.decodeIfPresent(UInt32.self, forKey: .markMask),
            source: try members.decodeIfPresent(IPPrefix.self, forKey: .source),
            destination: try members.decodeIfPresent(IPPrefix.self, forKey: .destination),
            hasOtherSelectors: try members.decodeIfPresent(Bool.self, forKey: .hasOtherSelectors) ?? false,
            suppressedPrefixLength: try members.decodeIfPresent(UInt32.self, forKey: .suppressedPrefixLength),
            suppressedGroup: try members.decodeIfPresent(UInt32.self, forKey: .suppressedGroup),
            isInverted: try members.decode(Bool.self, forKey: .isInverted),
            gotoPriority: try members.decodeIfPresent(UInt32.self, forKey: .gotoPriority)
        )
    }

    /// `true` if the action is "unreachable", whose errno is that of a table without a route.
    var isUnreachable: Bool { action == 7 }

    /// `true` if a matching packet is rejected, rather than looked up.
    var refusesPackets: Bool { (6...8).contains(action) }

    /// `true` if a matching packet is looked up in the rule's table.
    var looksUpTable: Bool { action == 1 }

    /// Returns whether the rule matches a packet of this machine without a mark; `false` if other conditions make that
    /// unknown.
    func fits(from address: IPAddress?, to target: IPAddress) -> Bool {
        guard family == target.family else { return false }
        let isMet = meetsConditions(from: address, to: target)
        return isInverted ? !isMet : isMet && !hasOtherSelectors
    }

    /// Returns whether the rule matches a packet of this machine without a mark, or may match it, because that depends on
    /// other conditions.
    func mayFit(from address: IPAddress?, to target: IPAddress) -> Bool {
        guard family == target.family else { return false }
        let isMet = meetsConditions(from: address, to: target)
        return isInverted ? !isMet || hasOtherSelectors : isMet
    }

    /// Returns whether a packet without a mark meets the conditions on addresses and mark.
    private func meetsConditions(from address: IPAddress?, to target: IPAddress) -> Bool {
        (mark ?? 0) & (markMask ?? .max) == 0
            && (source.map { prefix in address.map(prefix.contains) ?? prefix.isDefault } ?? true)
            && (destination?.contains(target) ?? true)
    }
}

extension [RoutingRule] {
    /// Returns whether the evaluation of these rules, in their order, matches one of type `unreachable`.
    func rejectAsUnreachable(from source: IPAddress?, to target: IPAddress) -> Bool {
        matchOne(from: source, to: target) { $0.isUnreachable && $0.fits(from: source, to: target) }
    }

    /// Returns whether one of the rules that match a packet, or may match it, decides about it, and evaluates no other one
    /// behind it.
    ///
    /// Rules that a `goto` skips are not evaluated.
    func matchOne(from source: IPAddress?, to target: IPAddress, where decides: (RoutingRule) -> Bool) -> Bool {
        let rules = filter { $0.family == target.family }
        var next: UInt32 = 0
        for rule in rules where rule.priority >= next && rule.mayFit(from: source, to: target) {
            if decides(rule) { return true }
            // The kernel ignores a `goto` without a rule to go to.
            guard let priority = rule.gotoPriority, rules.contains(where: { $0.priority == priority }) else { continue }
            if rule.fits(from: source, to: target) { next = priority }
        }
        return false
    }
}

extension RoutingRule: CustomStringConvertible {
    /// The rule in the format of ip-rule(8), as far as it is known: `32764: from all lookup 254 suppress_prefixlength 0`.
    public var description: String {
        var words = ["\(priority):"]
        if isInverted { words.append("not") }
        words += ["from", source?.description ?? "all"]
        if let destination { words += ["to", destination.description] }
        if let mark {
            let bits = markMask.flatMap { $0 == .max ? nil : "/0x\(String($0, radix: 16))" } ?? ""
            words += ["fwmark", "0x\(String(mark, radix: 16))\(bits)"]
        }
        if hasOtherSelectors { words.append("(and other conditions)") }
        switch action {
        case 2: words += ["goto", gotoPriority.map { "\($0)" } ?? "(another rule)"]
        case 3: words.append("nop")
        case 6: words.append("blackhole")
        case 7: words.append("unreachable")
        case 8: words.append("prohibit")
        default:
            words += ["lookup", "\(table)"]
            if let suppressedPrefixLength { words += ["suppress_prefixlength", "\(suppressedPrefixLength)"] }
            if let suppressedGroup { words += ["suppress_ifgroup", "\(suppressedGroup)"] }
        }
        return words.joined(separator: " ")
    }
}
