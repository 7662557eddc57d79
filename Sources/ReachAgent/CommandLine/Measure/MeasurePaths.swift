internal import NetlinkMonitor
internal import Probes
internal import Reachability
internal import Synchronization

/// The paths of the transfers of `reachagent measure`: a path change ends the transfer, or resumes its download over
/// the next path, instead of waiting for a dead connection.
final class MeasurePaths: Sendable {
    /// The part of a snapshot that transfers depend on.
    struct View: Sendable, Equatable {
        /// A next hop of a default path.
        struct Hop: Sendable, Hashable {
            let interface: String?
            let gateway: IPAddress?
        }

        /// The next hop of IPv4.
        let ipv4: Hop
        /// The next hop of IPv6.
        let ipv6: Hop
        /// The interfaces that can carry packets.
        let usable: Set<String>

        init(_ snapshot: NetworkSnapshot) {
            let state = ReachabilityState(snapshot)
            ipv4 = Hop(interface: state.ipv4.interface?.name, gateway: state.ipv4.gateway)
            ipv6 = Hop(interface: state.ipv6.interface?.name, gateway: state.ipv6.gateway)
            usable = Set(snapshot.links.values.filter(\.isUsable).map(\.name))
        }

        /// The interfaces whose change ends a transfer, by the families that it concerns: a link carries both, and a next
        /// hop its own.
        ///
        /// - Parameter bound: The interface that the transfer is bound to, whatever the default path does; nil for none.
        func changes(since former: View, bound: String?) -> [AddressFamilies: Set<String>] {
            let links = usable.symmetricDifference(former.usable)
            if let bound { return links.contains(bound) ? [.any: [bound]] : [:] }
            let ipv4 = Self.interfaces(of: former.ipv4, ipv4)
            let ipv6 = Self.interfaces(of: former.ipv6, ipv6)
            let both = links.union(ipv4.intersection(ipv6))
            let changes = [AddressFamilies.any: both, .ipv4: ipv4.subtracting(both), .ipv6: ipv6.subtracting(both)]
            return changes.filter { !$0.value.isEmpty }
        }

        /// Returns the interfaces of a next hop before and after its change; none if it is the same.
        private static func interfaces(of former: Hop, _ hop: Hop) -> Set<String> {
            former == hop ? [] : Set([former.interface, hop.interface].compactMap(\.self))
        }
    }

    private struct State {
        var view: View?
        var snapshot: NetworkSnapshot?
        var bound: String?
    }

    private let prober: Prober
    private let state = Mutex(State())
    private let monitor = Mutex<NetworkMonitor?>(nil)

    /// The paths of a prober's transfers.
    init(of prober: Prober) { self.prober = prober }

    /// Starts watching the kernel; without netlink only the stall timeout detects a dead connection.
    func start(_ configuration: MonitorConfiguration) {
        let started = try? NetworkMonitor(configuration) { [weak self] event in self?.handle(event) }
        monitor.withLock { $0 = started }
    }

    /// Stops watching.
    func stop() {
        let running = monitor.withLock { monitor in
            defer { monitor = nil }
            return monitor
        }
        running?.stop()
    }

    /// Sets the interface that the next transfer is bound to.
    func follow(_ interface: String?) { state.withLock { $0.bound = interface } }

    /// Decides over which links the download of a probe continues that may not use a cellular interface.
    func admission(of probe: Probe) -> (@Sendable (TransferContinuation) -> TransferAdmission)? {
        guard !probe.request.allowsCellularAccess else { return nil }
        return { [weak self] _ in
            let snapshot = self?.state.withLock { $0.snapshot }
            let finding = snapshot.flatMap { CellularGuard.finding(for: probe, in: $0) }
            return finding.map { .refused($0) } ?? .unchanged
        }
    }

    private func handle(_ event: NetworkEvent) {
        guard case .update(let update) = event else { return }
        let view = View(update.snapshot)
        let changes = state.withLock { state -> [AddressFamilies: Set<String>] in
            defer { (state.view, state.snapshot) = (view, update.snapshot) }
            return state.view.map { view.changes(since: $0, bound: state.bound) } ?? [:]
        }
        for (families, interfaces) in changes { prober.pathChanged(interfaces: interfaces, families: families) }
    }
}
