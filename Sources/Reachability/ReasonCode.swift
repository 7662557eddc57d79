/// Why something cannot be reached: every code that the agent gives, with a sentence each.
///
/// The codes are part of the event schema: one is never renamed, and never used for anything else. The documentation's
/// table is made from this file.
public enum ReasonCode: String, Sendable, Hashable, CaseIterable {
    /// The path's interface is down or has no carrier.
    case linkDown = "link_down"
    /// The path's interface is associated and waits for its keys.
    case linkDormant = "link_dormant"
    /// The path's interface is the loopback or a dummy device.
    case leadsNowhere = "leads_nowhere"
    /// The path's interface has no address of the family that packets could be sent from.
    case noAddress = "no_address"
    /// The only address is still being checked for duplicates.
    case addressTentative = "address_tentative"
    /// The kernel has no route.
    case noRoute = "no_route"
    /// A route or rule of type `unreachable` decides.
    case routeUnreachable = "route_unreachable"
    /// A route or rule of type `blackhole` decides.
    case routeBlackhole = "route_blackhole"
    /// A route or rule of type `prohibit` decides.
    case routeProhibited = "route_prohibited"
    /// The path is a tunnel, and what carries the tunnel has no way out.
    case underlayDown = "underlay_down"
    /// The kernel refused the lookup for a reason that the agent does not know.
    case lookupFailed = "lookup_failed"

    /// The probes' checks meet wrong certificates, and no check without TLS tells whether a portal is the reason.
    case portalSuspected = "portal_suspected"
    /// The way is open without TLS, and every check over TLS meets a certificate that is not the target's.
    case tlsIntercepted = "tls_intercepted"
    /// Checks without TLS succeed, and those over TLS do not.
    case httpsUnreachable = "https_unreachable"
    /// Fewer of the required probes are up than the quorum asks for.
    case quorumMissed = "quorum_missed"

    /// What the code means, as a sentence.
    public var sentence: String {
        switch self {
        case .linkDown: "The interface that the route uses is down or has no carrier."
        case .linkDormant: "The interface that the route uses is associated and waits for its keys."
        case .leadsNowhere: "The interface that the route uses is the loopback or a dummy device, and leads nowhere."
        case .noAddress: "The interface that the route uses has no address of this family to send from."
        case .addressTentative: "The only address to send from is still being checked for duplicates."
        case .noRoute: "The kernel has no route to it."
        case .routeUnreachable: "A route or rule of type 'unreachable' refuses it."
        case .routeBlackhole: "A route or rule of type 'blackhole' swallows it."
        case .routeProhibited: "A route or rule of type 'prohibit' forbids it."
        case .underlayDown: "The route uses a tunnel, and the interface below the tunnel has no way out."
        case .lookupFailed: "The kernel refused to look the route up."
        case .portalSuspected: "Checks meet certificates that are not their targets', as behind a captive portal."
        case .tlsIntercepted: "The way is open without TLS, and over TLS somebody answers in the targets' place."
        case .httpsUnreachable: "Checks without TLS succeed, and those over TLS do not."
        case .quorumMissed: "Fewer of the required probes are up than the quorum asks for."
        }
    }

    /// How close to working a path with this reason is: the larger number tells more when two families differ.
    var specificity: Int {
        switch self {
        case .addressTentative: 6
        case .noAddress: 5
        case .linkDormant: 4
        case .underlayDown: 3
        case .linkDown: 2
        case .leadsNowhere, .routeUnreachable, .routeBlackhole, .routeProhibited: 1
        case .noRoute, .lookupFailed, .portalSuspected, .tlsIntercepted, .httpsUnreachable, .quorumMissed: 0
        }
    }
}
