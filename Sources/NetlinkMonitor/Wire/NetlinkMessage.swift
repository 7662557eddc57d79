/// What one rtnetlink message says.
enum NetlinkMessage: Sendable, Equatable {
    case link(LinkMessage)
    case linkRemoved(index: UInt32)
    case address(InterfaceAddress)
    case addressRemoved(InterfaceAddress)
    /// A route, and how long it is still valid where it has a lifetime; zero or less once it has expired.
    case route(Route, expiresIn: Duration? = nil)
    case routeRemoved(Route)
    case rule(RoutingRule)
    case ruleRemoved(RoutingRule)
    /// A nexthop object came, changed or went; which routes that concerns the message does not tell.
    case nextHopObject(NextHopObject, removed: Bool)
    /// The state of a neighbour.
    case neighbour(Router, RouterState)
    /// A sysctl under `net.ipv4.conf` or `net.ipv6.conf` that route lookups depend on, and its interface if it has one.
    case setting(AddressFamily, name: String, value: Int32, interfaceIndex: UInt32?)
    /// The end of a dump; an errno other than 0 means that the dump failed on the way.
    case done(errno: Int32)
    /// The answer to a request: errno 0 acknowledges it. The text is the kernel's own (extended ACK).
    case reply(errno: Int32, text: String?)
    /// The kernel lost messages (`NLMSG_OVERRUN`; no kernel sends it today).
    case overrun
    /// A type, or a family of a known type, that says nothing about reachability.
    case irrelevant(type: UInt16)
}

/// The header in front of a message (netlink(7)).
struct MessageHeader: Sendable, Equatable {
    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let port: UInt32
}

/// The properties of a link that one message names.
///
/// Wireless extensions send short messages that hold little but the flags. Such a message leaves everything that it
/// does not name as it was; a complete one replaces everything.
struct LinkMessage: Sendable, Equatable {
    /// The link with the properties that the message names.
    var link: Link
    /// Whether the message describes the link as a whole.
    var isComplete: Bool
    /// Whether the message names the interface.
    var hasName: Bool
}
