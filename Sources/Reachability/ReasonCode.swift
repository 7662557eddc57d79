/// The reasons something is unreachable, each with a sentence.
///
/// The codes are part of the event schema: a code is never renamed and never reused. The table in the documentation is
/// generated from this file.
public enum ReasonCode: String, Sendable, Hashable, CaseIterable {
    /// The path's interface is down or has no carrier.
    case linkDown = "link_down"
    /// The path's interface is associated, but its keys are not set yet.
    case linkDormant = "link_dormant"
    /// The path ends at this machine: by a route of type `local`, or at the loopback or a dummy device.
    case leadsNowhere = "leads_nowhere"
    /// The path's interface has no usable source address of the family.
    case noAddress = "no_address"
    /// The only address is still tentative (duplicate address detection).
    case addressTentative = "address_tentative"
    /// The kernel has no route.
    case noRoute = "no_route"
    /// The deciding route or rule has the type `unreachable`.
    case routeUnreachable = "route_unreachable"
    /// The deciding route or rule has the type `blackhole`.
    case routeBlackhole = "route_blackhole"
    /// The deciding route or rule has the type `prohibit`.
    case routeProhibited = "route_prohibited"
    /// The path is a tunnel whose underlay has no usable path.
    case underlayDown = "underlay_down"
    /// The kernel rejected the lookup with an unknown error.
    case lookupFailed = "lookup_failed"
    /// The path that the kernel prefers is dead while another uplink works; the code of an alternative.
    case preferredPathDead = "preferred_path_dead"

    /// Checks get wrong certificates, and no check without TLS can tell whether a portal is the reason.
    case portalSuspected = "portal_suspected"
    /// Checks without TLS succeed, and every check over TLS gets a certificate that is not the target's.
    case tlsIntercepted = "tls_intercepted"
    /// Checks without TLS succeed, and those over TLS fail.
    case httpsUnreachable = "https_unreachable"
    /// Fewer required probes are up than the quorum requires.
    case quorumMissed = "quorum_missed"

    /// The meaning of the code, as a sentence.
    public var sentence: String {
        switch self {
        case .linkDown: "The interface that the route uses is down or has no carrier."
        case .linkDormant: "The interface that the route uses is associated and waits for its keys."
        case .leadsNowhere: "The route ends at this machine: it is of type 'local', or leads into lo or a dummy."
        case .noAddress:
            """
            The interface that the route uses has no address of this family to send from, or no link-local one from \
            which to solicit an IPv6 router.
            """
        case .addressTentative: "The only address to send from is still being checked for duplicates."
        case .noRoute: "The kernel has no route to it."
        case .routeUnreachable: "A route or rule of type 'unreachable' refuses it."
        case .routeBlackhole: "A route or rule of type 'blackhole' swallows it."
        case .routeProhibited: "A route or rule of type 'prohibit' forbids it."
        case .underlayDown: "The route uses a tunnel, and the interface below the tunnel has no way out."
        case .lookupFailed: "The kernel refused to look the route up."
        case .preferredPathDead: "The path that the kernel prefers is dead, while another uplink works."
        case .portalSuspected: "Checks meet certificates that are not their targets', as behind a captive portal."
        case .tlsIntercepted: "The path is open without TLS, and over TLS another server answers in the targets' place."
        case .httpsUnreachable: "Checks without TLS succeed, and those over TLS do not."
        case .quorumMissed: "Fewer of the required probes are up than the quorum asks for."
        }
    }

    /// The specificity of the reason, which is higher the closer the path is to working; it decides between two
    /// families.
    var specificity: Int {
        switch self {
        case .addressTentative: 6
        case .noAddress: 5
        case .linkDormant: 4
        case .underlayDown: 3
        case .linkDown: 2
        case .leadsNowhere, .routeUnreachable, .routeBlackhole, .routeProhibited: 1
        case .noRoute, .lookupFailed, .preferredPathDead, .portalSuspected, .tlsIntercepted, .httpsUnreachable,
            .quorumMissed:
            0
        }
    }
}
