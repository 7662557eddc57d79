public import CheckResults
public import NetlinkMonitor

/// A time on two clocks, taken with the kernel's message.
public typealias Observed = ObservedTime

/// A change of state, raw or settled.
public enum Transition: Sendable, Equatable {
    /// The default path changed; unsettled.
    case path(Change<ReachabilityState>)
    /// The path to a target changed; unsettled.
    case targetPath(Target, Change<TargetState>)
    /// The machine's reachability changed; settled.
    case reachability(Change<ReachabilityState>)
    /// A target's reachability changed; settled.
    case target(Target, Change<TargetState>)
    /// An uplink's state changed; settled.
    case uplink(Change<Uplink>)
    /// A probe's verdict changed.
    case probe(ProbePoint, Change<ProbeState>)
    /// A certificate is about to expire.
    case certificate(CertificateExpiry)
    /// The machine resumed after a suspend of this duration.
    case resumed(after: Duration, observed: Observed)
}

/// A value before and after a change.
public struct Change<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The old value.
    public let from: Value
    /// The new value.
    public let to: Value
    /// The cause of the change.
    public let cause: ChangeCause
    /// The time at which the causing kernel message was read.
    public let observed: Observed
    /// The time for which the new value had held when it was published; zero for an unsettled change.
    public let settled: Duration

    /// Creates a change.
    public init(from: Value, to: Value, cause: ChangeCause, observed: Observed, settled: Duration = .zero) {
        self.from = from
        self.to = to
        self.cause = cause
        self.observed = observed
        self.settled = settled
    }
}

/// The cause of a state change.
public struct ChangeCause: Sendable, Hashable {
    /// The type of cause; the raw values are stable and may be stored.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The agent started.
        case start
        /// An interface changed.
        case link
        /// An address changed.
        case address
        /// A route, or the kernel's selection among routes, changed.
        case route
        /// A router stopped answering, or answers again.
        case neighbour
        /// A sysctl that affects route lookups changed.
        case sysctl
        /// A policy rule changed.
        case rule
        /// The underlay of a tunnel changed.
        case underlay
        /// A resynchronization found a change that no message had announced.
        case resync
        /// A probe's verdict changed.
        case probe
        /// Flapping started or stopped.
        case flapping
        /// The machine was suspended.
        case suspend
        /// The configuration was reloaded.
        case configuration
    }

    /// The codes of causes other than losses and kernel changes; a code is never renamed and never reused.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The first kernel snapshot.
        case initial
        /// The configuration was reloaded.
        case configReloaded = "config_reloaded"
        /// Too frequent changes started.
        case flappingStarted = "flapping_started"
        /// Too frequent changes stopped.
        case flappingStopped = "flapping_stopped"
        /// A probe is up.
        case probeUp = "probe_up"
        /// A probe is down.
        case probeDown = "probe_down"
        /// A captive portal answers a probe.
        case probePortal = "probe_portal"
        /// A probe has no verdict.
        case probeUnknown = "probe_unknown"
        /// The machine was suspended, so that a verdict from before says nothing about an outage that continues.
        case suspended

        /// Creates the code of a verdict without a reason.
        init(_ verdict: ProbeState.Verdict) {
            switch verdict {
            case .up: self = .probeUp
            case .down: self = .probeDown
            case .portal: self = .probePortal
            case .unknown: self = .probeUnknown
            }
        }
    }

    /// The type of cause.
    public let kind: Kind
    /// The code of the reason if something was lost (``ReasonCode``), of the change (`NetworkChange.Code`) or of the
    /// check (`FindingCode`), else a ``Code``.
    public let code: String
    /// The affected interface, if any.
    public let interface: String?
    /// The details, for people.
    public let detail: String?

    /// Creates a cause.
    public init(kind: Kind, code: String, interface: String? = nil, detail: String? = nil) {
        self.kind = kind
        self.code = code
        self.interface = interface
        self.detail = detail
    }

    /// The first kernel snapshot.
    public static let start = ChangeCause(kind: .start, code: Code.initial.rawValue)

    /// Returns the cause of changes by a reload of the configuration.
    public static func reload(interface: String? = nil) -> ChangeCause {
        ChangeCause(kind: .configuration, code: Code.configReloaded.rawValue, interface: interface)
    }

    /// Returns the cause of changes by the portals that the networks announce, whose checks are new or gone.
    static func announcement(interface: String? = nil) -> ChangeCause {
        ChangeCause(
            kind: .probe,
            code: Code.probeUnknown.rawValue,
            interface: interface,
            detail: "the networks announce other portals"
        )
    }

    /// Creates the cause of a change that concerns one interface, and perhaps one family alone, from the changes of an
    /// update.
    init(
        changes: [NetworkChange],
        of interface: PathInterface?,
        family: AddressFamily?,
        reason: ReasonCode? = nil,
        isCorrection: Bool
    ) {
        let path = Path(via: .none, interface: interface, reason: reason)
        self.init(changes: changes, from: path, to: path, family: family, isCorrection: isCorrection)
    }

    /// Creates the cause of a transition between two paths from the changes of an update.
    ///
    /// Changes of the paths' family, or of none, take precedence over those of the other one, except on the interface
    /// that carries a tunnel, whose packets may be of either; then those of the interfaces that either path uses, and of
    /// the rules, over those of other interfaces; causes over effects. An interface that enters or leaves a VRF loses its
    /// IPv6 addresses besides: its own change is the cause of an IPv4 path then.
    ///
    /// If the new path is unusable for a definite reason, that reason is the code, and a change of another interface is
    /// the cause only if it is the same: a bridge loses its carrier with its member's, but not because the member is "up"
    /// elsewhere.
    ///
    /// - Parameters:
    ///   - changes: The changes of the update.
    ///   - old: The path before.
    ///   - new: The path after.
    ///   - family: The family of the paths; `nil` if they stand for both.
    ///   - isPartial: `true` if the other family has a path, so that the reason of an unusable one is no code.
    ///   - isCorrection: `true` if the update comes from a resynchronization.
    init(
        changes: [NetworkChange],
        from old: Path,
        to new: Path,
        family: AddressFamily? = nil,
        isPartial: Bool = false,
        isCorrection: Bool
    ) {
        let carriers = Set([old, new].compactMap { $0.underlay?.interface?.index })
        let concerned = carriers.union([old, new].compactMap { $0.interface?.index })
        let reason = new.via == .none && new.reason != .noRoute && !isPartial ? new.reason : nil
        let own = changes.filter { $0.interfaceIndex.map(concerned.contains) ?? true }
        let all = own + changes.filter { reason == nil || $0.code.rawValue == reason?.rawValue }
        let fitting = all.filter { change in
            guard let family, let changed = change.family, changed != family else { return true }
            return change.interfaceIndex.map(carriers.contains) ?? false
        }
        let vague: [NetworkChange.Code] = [.lookupChanged, .linkChanged]
        func isDefinite(_ change: NetworkChange) -> Bool { !vague.contains(change.code) }
        let change =
            fitting.first(where: isDefinite) ?? own.first { $0.code == .linkChanged } ?? all.first(where: isDefinite)
            ?? fitting.first ?? all.first
        self.init(
            kind: isCorrection ? .resync : change.map { Kind($0.code) } ?? (reason == .linkDown ? .link : .route),
            code: reason?.rawValue ?? change?.code.rawValue ?? "lookup_changed",
            interface: change?.interfaceName ?? new.interface?.name ?? old.interface?.name,
            detail: change?.detail
        )
    }
}

extension ChangeCause.Kind {
    init(_ code: NetworkChange.Code) {
        switch code {
        case .linkAdded, .linkRemoved, .linkRenamed, .linkUp, .linkDown, .linkChanged, .kindChanged: self = .link
        case .addressAdded, .addressRemoved, .addressChanged: self = .address
        case .routeAdded, .routeRemoved, .routeExpired, .lookupChanged: self = .route
        case .neighbourChanged: self = .neighbour
        case .sysctlChanged: self = .sysctl
        case .ruleChanged: self = .rule
        case .underlayChanged: self = .underlay
        case .synchronizationChanged: self = .resync
        }
    }
}
