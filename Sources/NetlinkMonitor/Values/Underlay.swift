/// The real interface below a tunnel, and how that is known.
public struct Underlay: Sendable, Hashable, Codable {
    /// How the underlay of a tunnel was found.
    public enum Evidence: String, Sendable, Hashable, CaseIterable, Codable {
        /// The kernel's route to the tunnel's far end leaves through it.
        case remoteRoute = "remote_route"
        /// The tunnel was created on top of it (`IFLA_LINK`).
        case lowerDevice = "lower_device"
        /// Packets with the mark that the policy rules exempt from the tunnel leave through it, as wg-quick arranges.
        case markExemption = "mark_exemption"
        /// It has the best default route that does not go through a tunnel.
        case nextDefaultRoute = "next_default_route"
    }

    /// The interface, or `nil` where the tunnel's own packets have no way out at the moment.
    public let interfaceIndex: UInt32?
    /// How it was found.
    public let evidence: Evidence

    /// An underlay.
    public init(interfaceIndex: UInt32?, evidence: Evidence) {
        self.interfaceIndex = interfaceIndex
        self.evidence = evidence
    }
}
