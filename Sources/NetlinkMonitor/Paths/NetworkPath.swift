/// The path of packets to an address: the kernel's route, and the reason packets cannot leave by it, if any.
///
/// ```swift
/// let snapshot = try NetworkMonitor.snapshot()
/// if let path = snapshot.internetPath(.ipv4) {
///     print(path)  // wifi via 192.0.2.1 dev wlan0 src 192.0.2.7
/// }
/// ```
///
/// A path is usable when all of these hold; none of them implies another:
///
/// - The kernel has a route, over an interface that can pass packets (``NetworkSnapshot/canPassPackets(_:)``): after a
///   carrier loss it still answers with the dead interface.
/// - The source address is usable, and of a scope that reaches the destination: a route may exist before that.
/// - The underlay of a tunnel, if it is certain, can pass packets too.
///
/// Of several next hops one usable leg is enough, whichever of them the kernel's answer names. A usable path does not
/// imply that packets come back.
public struct NetworkPath: Sendable, Hashable {
    /// The route of packets; `nil` if the kernel rejects them.
    public let route: ResolvedRoute?
    /// The egress interface; `nil` without a route, or for one that the kernel has not announced yet.
    public let link: Link?
    /// The underlay, if the egress interface is a tunnel with a known one.
    public let underlay: ResolvedUnderlay?
    /// The kind of the interface that carries the packets: for a tunnel with a known underlay that of the underlay, and
    /// `bridge` for a bridge whose card passes none.
    public let kind: InterfaceKind
    /// The reason packets cannot leave; `nil` when they can.
    public let unusableReason: UnusableReason?
    /// `false` if the path leads over an interface that the snapshot lacks while it is not synchronized.
    ///
    /// The message that announced the interface may be among the lost ones, and the path may be usable. Keep its last
    /// state: the update after the resynchronization has a certain one.
    public let isCertain: Bool

    /// Derives the path from the kernel's answer to a lookup and the rest of its snapshot.
    public init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        self = PathCandidates(lookup, in: snapshot).selected
    }

    /// Derives the path by one outcome of a lookup, or one of its legs.
    package init(_ outcome: RouteLookup.Outcome, of lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        switch outcome {
        case .refused(let refusal): self.init(unusableReason: UnusableReason(refusal))
        case .route(let route):
            guard let link = snapshot.links[route.interfaceIndex] else {
                self.init(route: route, unusableReason: .linkDown, isCertain: snapshot.isSynchronized)
                return
            }
            let underlay = snapshot.underlay(of: link)
            let reason: UnusableReason? =
                snapshot.obstacle(of: link, to: route, lookup)
                ?? snapshot.obstacle(ofSourceOf: route, through: link, lookup)
                ?? (underlay?.isDown == true ? .underlayDown : nil)
            let lacksUnderlay = underlay.map { $0.link == nil } ?? false
            self.init(
                route: route,
                link: link,
                underlay: underlay,
                kind: snapshot.kindInUse(of: underlay?.link ?? link),
                unusableReason: reason,
                isCertain: reason != nil || !lacksUnderlay || snapshot.isSynchronized
            )
        }
    }

    private init(
        route: ResolvedRoute? = nil,
        link: Link? = nil,
        underlay: ResolvedUnderlay? = nil,
        kind: InterfaceKind = .unknown,
        unusableReason: UnusableReason?,
        isCertain: Bool = true
    ) {
        self.route = route
        self.link = link
        self.underlay = underlay
        self.kind = kind
        self.unusableReason = unusableReason
        self.isCertain = isCertain
    }

    /// `true` if packets can leave.
    public var isUsable: Bool { unusableReason == nil }
}

/// The interface that carries the packets of a tunnel, through any tunnels in between.
public struct ResolvedUnderlay: Sendable, Hashable {
    /// The interface; `nil` if the tunnel's packets have no route, or for one that the kernel has not announced yet.
    public let link: Link?
    /// The evidence for it: a guess if any part of the chain is one, else that of the first part, or of the broken one.
    public let evidence: Underlay.Evidence
    /// `true` if the tunnel's packets certainly cannot leave.
    public let isDown: Bool
}

extension NetworkPath {
    /// The reasons packets cannot leave; the raw values are those of the agent's events, and stable.
    public enum UnusableReason: String, Sendable, Hashable, CaseIterable, Codable {
        /// The interface is down, has no carrier, or stands on one that cannot pass packets.
        case linkDown = "link_down"
        /// The interface is associated, but its keys are not set yet.
        case linkDormant = "link_dormant"
        /// The route ends at this machine: it has the type `local`, or leads into the loopback or a dummy device.
        case leadsNowhere = "leads_nowhere"
        /// The interface has no usable source address of the family.
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
        /// The interface is a tunnel whose underlay cannot pass packets.
        case underlayDown = "underlay_down"
        /// The kernel rejected the lookup with another error.
        case lookupFailed = "lookup_failed"

        /// The reason for which the kernel rejects packets.
        init(_ refusal: RouteLookup.Refusal) {
            switch refusal {
            case .noRoute: self = .noRoute
            case .unreachable: self = .routeUnreachable
            case .blackhole: self = .routeBlackhole
            case .prohibited: self = .routeProhibited
            case .failed: self = .lookupFailed
            }
        }
    }
}

extension NetworkSnapshot {
    /// Returns the path to an address; `nil` if the address is not looked up (``MonitorConfiguration/targets``).
    public func path(to destination: IPAddress) -> NetworkPath? {
        lookups[destination].map { NetworkPath($0, in: self) }
    }

    /// Returns the path to the Internet in a family (``internetLookup(_:)``); `nil` if no address of it is looked up.
    public func internetPath(_ family: AddressFamily) -> NetworkPath? {
        internetLookup(family).map { NetworkPath($0, in: self) }
    }
}

extension NetworkPath: CustomStringConvertible {
    /// The kind and the route of a usable path, as `wifi via 192.0.2.1 dev wlan0 src 192.0.2.7`, with the underlay of a
    /// tunnel; or `none` and the reason.
    public var description: String {
        let name = link?.name ?? route.map { "#\($0.interfaceIndex)" } ?? "none"
        guard let unusableReason else {
            let text = "\(kind.rawValue) \(route?.description(interface: name) ?? name)"
            guard let underlay, let lower = underlay.link else { return text }
            return "\(text) over \(lower.name)\(underlay.evidence.isCertain ? "" : " (a guess)")"
        }
        let reason =
            switch unusableReason {
            case .linkDown: "\(name) cannot pass packets"
            case .linkDormant: "\(name) waits for its keys"
            case .leadsNowhere: "the route ends at this machine"
            case .noAddress: "\(name) has no usable source address"
            case .addressTentative: "the source address of \(name) is tentative"
            case .noRoute: "no route"
            case .routeUnreachable: "an unreachable route"
            case .routeBlackhole: "a blackhole route"
            case .routeProhibited: "a prohibit route"
            case .underlayDown: "the underlay of \(name) is down"
            case .lookupFailed: "the lookup failed"
            }
        return "none: \(reason)"
    }
}
