/// The interface below a tunnel, which may be another tunnel, and its evidence.
public struct Underlay: Sendable, Hashable, Codable {
    /// The evidence for the underlay of a tunnel.
    public enum Evidence: String, Sendable, Hashable, CaseIterable, Codable {
        /// The kernel's route to the tunnel's remote.
        case remoteRoute = "remote_route"
        /// The device on which the tunnel was created (`IFLA_LINK`).
        case lowerDevice = "lower_device"
        /// The Ethernet interface of the PPPoE session (`/proc/net/pppoe`).
        case pppoe
        /// No other interface could send a packet at all.
        case noCarrier = "no_carrier"
        /// A guess: the only possible underlay, with a rule that exempts packets with a mark, as wg-quick sets it up.
        case markExemption = "mark_exemption"
        /// A guess: the only possible underlay.
        case nextDefaultRoute = "next_default_route"

        /// `true` if there is currently no other possibility.
        ///
        /// A guess lends its medium, and never makes a path unusable.
        public var isCertain: Bool { self != .markExemption && self != .nextDefaultRoute }
    }

    /// The interface; `nil` if the tunnel's own packets currently have no route.
    public let interfaceIndex: UInt32?
    /// The evidence.
    public let evidence: Evidence
    /// The kernel's answer for the remote of a tunnel without a fixed local address.
    public let lookup: RouteLookup?

    /// Creates an underlay.
    public init(interfaceIndex: UInt32?, evidence: Evidence, lookup: RouteLookup? = nil) {
        self.interfaceIndex = interfaceIndex
        self.evidence = evidence
        self.lookup = lookup
    }
}
