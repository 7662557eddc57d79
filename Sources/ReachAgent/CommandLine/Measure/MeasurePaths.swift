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

        /// The next hops of IPv4 and IPv6.
        var hops: [Hop] = []
        /// The interfaces that can carry packets.
        var usable: Set<String> = []

        init(_ snapshot: NetworkSnapshot) {
            let state = ReachabilityState(snapshot)
            hops = [state.ipv4, state.ipv6].map { Hop(interface: $0.interface?.name, gateway: $0.gateway) }
            usable = Set(snapshot.links.values.filter(\.isUsable).map(\.name))
        }

        /// The interfaces whose change ends a transfer.
        ///
        /// - Parameter bound: The interface that the transfer is bound to, whatever the default path does; nil for none.
        func changes(since former: View, bound: String?) -> Set<String> {
            let links = usable.symmetricDifference(former.usable)
            if let bound { return links.intersection([bound]) }
            let changed = zip(former.hops, hops).filter { $0 != $1 }
            return links.union(changed.flatMap { [$0.interface, $1.interface].compactMap(\.self) })
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
        let changes = state.withLock { state -> Set<String> in
            defer { (state.view, state.snapshot) = (view, update.snapshot) }
            return state.view.map { view.changes(since: $0, bound: state.bound) } ?? []
        }
        if !changes.isEmpty { prober.pathChanged(interfaces: changes) }
    }
}
