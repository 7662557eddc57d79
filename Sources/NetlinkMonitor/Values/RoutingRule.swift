/// One rule of the policy routing database (`RTM_NEWRULE`, ip-rule(8)).
public struct RoutingRule: Sendable, Hashable, Codable {
    /// The address family that the rule is for.
    public let family: AddressFamily
    /// The order: lower numbers are asked first.
    public let priority: UInt32
    /// The table that the rule sends a matching packet to; 0 for actions without a table.
    public let table: UInt32
    /// What is done with a matching packet (`FR_ACT_…`): 1 look up the table, 6 blackhole, 7 unreachable, 8 prohibit.
    public let action: UInt8
    /// The firewall mark that is asked for.
    public let mark: UInt32?
    /// The bits of the mark that count.
    public let markMask: UInt32?
    /// The source addresses that the rule is for; `nil` for all.
    public let source: IPPrefix?
    /// The destinations that the rule is for; `nil` for all.
    public let destination: IPPrefix?
    /// The rule asks for more than the source, the destination and the mark: an interface, a user, a port or the like.
    public let hasOtherSelectors: Bool
    /// The rule matches packets that do *not* fit (`FIB_RULE_INVERT`): `not fwmark 0xca6c`.
    public let isInverted: Bool

    /// A rule with these properties.
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
        isInverted: Bool = false
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
        self.isInverted = isInverted
    }
}

extension RoutingRule {
    /// Reads a rule; those of older recordings say nothing about addresses.
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
            isInverted: try members.decode(Bool.self, forKey: .isInverted)
        )
    }

    /// The kernel refuses with "unreachable" what fits the rule, with the errno of a table without a route.
    var isUnreachable: Bool { action == 7 }

    /// Whether a packet of this machine's own without a mark fits the rule, as far as that can be told.
    func fits(from address: IPAddress?, to target: IPAddress) -> Bool {
        guard family == target.family, !hasOtherSelectors else { return false }
        let isFit =
            (mark ?? 0) & (markMask ?? .max) == 0
            && (source.map { prefix in address.map(prefix.contains) ?? prefix.isDefault } ?? true)
            && (destination?.contains(target) ?? true)
        return isFit != isInverted
    }
}
