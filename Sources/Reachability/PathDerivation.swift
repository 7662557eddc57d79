public import NetlinkMonitor

extension Path {
    /// Derives a path from the kernel's answer to a lookup and the rest of the snapshot, by the rule of `NetworkPath`;
    /// unknown if that is not certain.
    public init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        self = PathDerivation(lookup, in: snapshot).path
    }
}

/// The path to a destination, and the interfaces that carry its packets.
struct PathDerivation {
    let path: Path
    /// The interfaces through which packets leave: those of every usable leg, and the interfaces that carry them.
    let carriers: [UInt32]

    /// The derivation before the first certain answer.
    static let unknown = PathDerivation(path: .unknown, carriers: [])

    /// Derives the path to the Internet in a family.
    init(_ family: AddressFamily, in snapshot: NetworkSnapshot) {
        guard let lookup = snapshot.internetLookup(family) else {
            self.init(path: Path(via: .none, reason: .noRoute), carriers: [])
            return
        }
        let derived = PathDerivation(lookup, in: snapshot)
        let isUnused = derived.path.reason == .noAddress && snapshot.usesOther(family, on: derived.path.interface)
        let unreached = derived.path.via == .none ? snapshot.unreachedUplinks : []
        self.init(
            path: derived.path.marking(isFamilyUnused: isUnused, unreachedUplinks: unreached),
            carriers: derived.carriers
        )
    }

    private init(path: Path, carriers: [UInt32]) {
        self.path = path
        self.carriers = carriers
    }

    init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        let candidates = PathCandidates(lookup, in: snapshot)
        let used = candidates.selected
        guard used.isCertain else {
            self = .unknown
            return
        }
        carriers = candidates.usable
            .flatMap { [$0.route?.interfaceIndex, $0.underlay?.link?.index] }.compactMap { $0 }
        path = Path(
            via: used.isUsable ? Via(kind: used.kind) : .none,
            interface: used.link.map(PathInterface.init),
            gateway: used.route?.gateway,
            source: used.route?.source,
            prefix: lookup.matched?.destination,
            table: lookup.matched?.table ?? lookup.route?.table,
            metric: lookup.matched?.metric,
            underlay: used.underlay.map(PathUnderlay.init),
            deadLegs: used.route == nil ? [] : candidates.legs.filter { !$0.isUsable }.map(PathBranch.init),
            unconnected: lookup.unconnected.map { PathBranch(NetworkPath($0, of: lookup, in: snapshot)) },
            reason: used.unusableReason.map(ReasonCode.init)
        )
    }

    /// Returns the previous derivation if this one is unknown: an uncertain answer changes nothing.
    func known(since before: PathDerivation) -> PathDerivation { path.via == .unknown ? before : self }
}

extension NetworkSnapshot {
    /// Returns whether an interface has an address to send from of the other family.
    fileprivate func usesOther(_ family: AddressFamily, on interface: PathInterface?) -> Bool {
        addresses.contains {
            $0.interfaceIndex == interface?.index && $0.address.family != family && $0.reachesBeyondLink
        }
    }
}

extension PathUnderlay {
    init(_ underlay: ResolvedUnderlay) {
        self.init(interface: underlay.link.map(PathInterface.init), evidence: underlay.evidence)
    }
}

extension PathBranch {
    fileprivate init(_ path: NetworkPath) {
        self.init(
            interface: path.link?.name,
            gateway: path.route?.gateway,
            reason: path.unusableReason.map(ReasonCode.init)
        )
    }
}

extension ReasonCode {
    init(_ reason: NetworkPath.UnusableReason) {
        switch reason {
        case .linkDown: self = .linkDown
        case .linkDormant: self = .linkDormant
        case .leadsNowhere: self = .leadsNowhere
        case .noAddress: self = .noAddress
        case .addressTentative: self = .addressTentative
        case .noRoute: self = .noRoute
        case .routeUnreachable: self = .routeUnreachable
        case .routeBlackhole: self = .routeBlackhole
        case .routeProhibited: self = .routeProhibited
        case .underlayDown: self = .underlayDown
        case .lookupFailed: self = .lookupFailed
        }
    }
}
