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
        isInverted: Bool = false
    ) {
        self.family = family
        self.priority = priority
        self.table = table
        self.action = action
        self.mark = mark
        self.markMask = markMask
        self.isInverted = isInverted
    }
}
