/// The interface below a tunnel, which may be another tunnel, and how that is known.
public struct Underlay: Sendable, Hashable, Codable {
    /// How the underlay of a tunnel was found.
    public enum Evidence: String, Sendable, Hashable, CaseIterable, Codable {
        /// The kernel's route to the tunnel's far end leaves through it.
        case remoteRoute = "remote_route"
        /// The tunnel was created on top of it (`IFLA_LINK`).
        case lowerDevice = "lower_device"
        /// PPPoE names it as the Ethernet interface of its session (`/proc/net/pppoe`).
        case pppoe
        /// No other interface could send a packet at all.
        case noCarrier = "no_carrier"
        /// A guess: it alone could carry the tunnel, whose rule exempts the packets with a mark, as wg-quick arranges.
        case markExemption = "mark_exemption"
        /// A guess: it alone could carry the tunnel.
        case nextDefaultRoute = "next_default_route"

        /// Whether nothing else could be true at the moment.
        ///
        /// A guess lends its medium, and never makes a path unusable.
        public var isCertain: Bool { self != .markExemption && self != .nextDefaultRoute }
    }

    /// The interface, or `nil` where the tunnel's own packets have no way out at the moment.
    public let interfaceIndex: UInt32?
    /// How it was found.
    public let evidence: Evidence
    /// The kernel's answer for the far end of a tunnel that leaves the choice of its own address to the kernel.
    public let lookup: RouteLookup?

    /// An underlay.
    public init(interfaceIndex: UInt32?, evidence: Evidence, lookup: RouteLookup? = nil) {
        self.interfaceIndex = interfaceIndex
        self.evidence = evidence
        self.lookup = lookup
    }
}
