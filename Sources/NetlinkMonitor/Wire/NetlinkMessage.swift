/// The content of one rtnetlink message.
enum NetlinkMessage: Sendable, Equatable {
    case link(LinkMessage)
    case linkRemoved(index: UInt32)
    case address(InterfaceAddress)
    case addressRemoved(InterfaceAddress)
    /// A route, and the rest of its lifetime if it has one; zero or less once it has expired.
    case route(Route, expiresIn: Duration? = nil)
    case routeRemoved(Route)
    case rule(RoutingRule)
    case ruleRemoved(RoutingRule)
    /// A nexthop object was added, changed or removed; the message does not name the affected routes.
    case nextHopObject(NextHopObject, removed: Bool)
    /// The state of a neighbour.
    case neighbour(Router, RouterState)
    /// A sysctl under `net.ipv4.conf` or `net.ipv6.conf` that affects route lookups, and its interface if it has one.
    case setting(AddressFamily, name: String, value: Int32, interfaceIndex: UInt32?)
    /// The byte counters of an interface.
    case statistics(interfaceIndex: UInt32, InterfaceBytes)
    /// The end of a dump; an errno other than 0 means that the dump failed.
    case done(errno: Int32)
    /// The answer to a request: errno 0 acknowledges it. The text is the kernel's (extended ACK).
    case reply(errno: Int32, text: String?)
    /// The kernel lost messages (`NLMSG_OVERRUN`; no kernel sends it today).
    case overrun
    /// A type, or a family of a known type, without relevance for reachability.
    case irrelevant(type: UInt16)
}

/// The header of a message (netlink(7)).
struct MessageHeader: Sendable, Equatable {
    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let port: UInt32
}

/// The properties of a link in one message.
///
/// Wireless extensions send short messages with little more than the flags. Such a message leaves all other properties
/// unchanged; a complete one replaces everything.
struct LinkMessage: Sendable, Equatable {
    /// The link with the properties in the message.
    var link: Link
    /// `true` if the message describes the link completely.
    var isComplete: Bool
    /// `true` if the message has the interface's name.
    var hasName: Bool
}
