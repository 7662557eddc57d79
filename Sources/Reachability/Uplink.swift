internal import NetlinkMonitor

/// The status of an interface with a default route, or with the route to the Internet, used or standby.
public struct Uplink: Sendable, Hashable {
    /// The interface.
    public var interface: PathInterface
    /// The connectivity according to the probes bound to the interface; `unknown` without such probes.
    public var connectivity: Connectivity
    /// The reason the connectivity is not `full`.
    public var reason: ConnectivityReason?
    /// `true` if the default path of a family uses the interface.
    public var isUsed: Bool
    /// `true` if it has no such route, and is an uplink because a probe is bound to it.
    public var isBoundOnly: Bool
    /// The underlay of a tunnel, if known; settled with the uplink, and not part of its events.
    public var underlay: PathUnderlay?

    /// Creates an uplink.
    public init(
        interface: PathInterface,
        connectivity: Connectivity,
        reason: ConnectivityReason? = nil,
        isUsed: Bool,
        isBoundOnly: Bool = false,
        underlay: PathUnderlay? = nil
    ) {
        self.interface = interface
        self.connectivity = connectivity
        self.reason = reason
        self.isUsed = isUsed
        self.isBoundOnly = isBoundOnly
        self.underlay = underlay
    }
}

/// Settles the state of each uplink on its own.
///
/// An interface without a default route is an uplink with the connectivity `none`: a new uplink changes from it, and a
/// vanished one changes to it, and is dropped once that is published.
///
/// An uplink is its name, as it is for events, hooks and reports: an interface that was removed and created again in time
/// has never been gone, whatever its index, and a renamed one is gone under its old name.
struct UplinkSettler: Sendable {
    typealias Instant = ContinuousClock.Instant

    private var settlers: [String: Settler<Uplink>] = [:]
    private var isKnown = false
    /// The time for which a change must hold.
    private(set) var policy: SettlePolicy

    /// Creates a settler without observations.
    init(policy: SettlePolicy) { self.policy = policy }

    /// The uplinks as last published, by index; without those that are gone.
    var settled: [Uplink] {
        settlers.values.map(\.settled).filter { !$0.isAbsent }.sorted { $0.interface.index < $1.interface.index }
    }

    /// Returns the connectivity of an uplink as last observed; `nil` for an unknown one.
    func observedConnectivity(of interface: String) -> Connectivity? { settlers[interface]?.raw.connectivity }

    /// Sets the policy, also for pending changes.
    mutating func setPolicy(_ policy: SettlePolicy) {
        self.policy = policy
        for name in settlers.keys { settlers[name]?.policy = policy }
    }

    /// Handles the current uplinks; those of the first observation are published with the state, not separately.
    mutating func observe(
        _ uplinks: [Uplink],
        observed: Observed,
        cause: (Uplink) -> ChangeCause
    ) -> [Change<Uplink>] {
        let now = observed.instant
        var changes: [Change<Uplink>] = []
        let present = Set(uplinks.map(\.interface.name))
        let gone = settlers.filter { !present.contains($0.key) }.values.map(\.raw.absent)
        for uplink in (uplinks + gone).sorted(by: { $0.interface.index < $1.interface.index }) {
            let name = uplink.interface.name
            // Removed and reinserted: each access in place would look the settler up again, and copy it.
            var settler = settlers.removeValue(forKey: name) ?? newSettler(of: uplink, observed: observed)
            // Without a change the cause is not used, and determining it takes longer than everything else here.
            let because = settler.raw == uplink ? .start : cause(uplink)
            if let change = settler.observe(uplink, cause: because, observed: observed, at: now) {
                changes.append(change)
            }
            settlers[name] = settler
        }
        isKnown = true
        forget()
        return changes
    }

    private func newSettler(of uplink: Uplink, observed: Observed) -> Settler<Uplink> {
        var settler = Settler(unknown: uplink.absent, policy: policy)
        let first = isKnown ? uplink.absent : uplink
        _ = settler.observe(first, cause: .start, observed: observed, at: observed.instant)
        return settler
    }

    /// Advances the time.
    mutating func tick(at now: Instant) -> [Change<Uplink>] {
        let changes = settlers.keys.sorted().compactMap { settlers[$0]?.tick(at: now) }
        if !changes.isEmpty { forget() }
        return changes
    }

    /// Restarts the wait: the time before does not count.
    mutating func restart(at now: Instant) {
        for name in settlers.keys { settlers[name]?.restart(at: now) }
    }

    /// The time at which ``tick(at:)`` must be called, unless an observation comes first.
    var deadline: Instant? { settlers.values.compactMap(\.deadline).min() }

    private mutating func forget() {
        for (name, settler) in settlers
        where settler.settled.isAbsent && !settler.isPending && settler.deadline == nil {
            settlers[name] = nil
        }
    }
}

extension Uplink: SettlingValue {
    struct Grade: Equatable, Sendable {
        let connectivity: Connectivity
        let isUsed: Bool
    }

    var grade: Grade { Grade(connectivity: connectivity, isUsed: isUsed) }

    func loses(to next: Uplink) -> Bool {
        guard let goodness = connectivity.goodness else { return next.connectivity == .none }
        return next.connectivity.goodness.map { $0 < goodness } ?? (connectivity != .none)
    }

    /// The interface as an uplink without a default route.
    var absent: Uplink {
        Uplink(
            interface: interface,
            connectivity: .none,
            reason: Self.withoutRoute,
            isUsed: false,
            isBoundOnly: isBoundOnly
        )
    }

    /// Returns whether another value of the uplink looks the same in events.
    func isPublished(like other: Uplink) -> Bool {
        var same = other
        same.underlay = underlay
        return self == same
    }

    /// `true` if the interface is not an uplink.
    var isAbsent: Bool { connectivity == .none && !isUsed && reason == Self.withoutRoute }

    private static let withoutRoute = ConnectivityReason(code: ReasonCode.noRoute.rawValue)
}
