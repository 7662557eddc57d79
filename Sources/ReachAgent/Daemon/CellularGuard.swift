internal import Configuration
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// Prevents checks that may not use a cellular interface from using one.
///
/// The kernel's view decides, and nothing is sent: the path to the target's address, the paths to the Internet for a
/// name, in each family that the check may use, or the interface that the check is bound to.
enum CellularGuard {
    /// The report of a check that was not made; nil when it may be made.
    ///
    /// - Parameters:
    ///   - watch: The interfaces that are cellular by their names, and the addresses that stand for the Internet.
    ///   - settings: The same in the configuration.
    static func refusal(
        of probe: Probe,
        watch: WatchOptions,
        _ settings: Settings
    ) throws -> CheckReport? {
        guard !probe.request.allowsCellularAccess else { return nil }
        let address = probe.address
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(
                watch.monitorConfiguration(
                    targets: address.map { [$0] } ?? [],
                    kindOverrides: settings.kindOverrides,
                    internetAddresses: settings.internetAddresses
                )
            )
        }
        return finding(for: probe, in: snapshot).map { CheckReport(refusing: probe, because: $0) }
    }

    /// Returns the reason that a check may not be made; nil when it may.
    static func finding(for probe: Probe, in snapshot: NetworkSnapshot) -> Finding? {
        guard !probe.request.allowsCellularAccess, let interface = cellularInterface(for: probe, in: snapshot) else {
            return nil
        }
        return Finding(
            .cellularNotAllowed,
            subject: interface,
            evidence: "the check would leave through \(interface), a cellular interface, and it may not use one"
        )
    }

    private static func cellularInterface(for probe: Probe, in snapshot: NetworkSnapshot) -> String? {
        let state = ReachabilityState(snapshot)
        let carriers = egresses(of: probe, state, snapshot).map { snapshot.carrier(of: $0, defaultPath: state.path) }
        return carriers.first { $0.kind == .wwan }?.name
    }

    /// Returns the interfaces through which a check may leave.
    private static func egresses(of probe: Probe, _ state: ReachabilityState, _ snapshot: NetworkSnapshot) -> [Link] {
        if let name = probe.interface { return [snapshot.link(named: name)].compactMap(\.self) }
        let lookup = probe.address.flatMap { snapshot.lookups[$0] }
        let paths = lookup.map { [Path($0, in: snapshot)] } ?? state.paths(in: probe.families)
        // Nothing leaves by any other path, and the check reports the reason.
        return paths.filter(\.via.isReachable).compactMap { snapshot.link(of: $0) }
    }
}

extension Probe {
    /// The address of a check whose target is one.
    var address: IPAddress? {
        let host =
            connectTo?.host
            ?? {
                switch target {
                case .http(let url): url.host
                case .tcp(let host, _), .icmp(let host): host
                case .dns(let resolver, _, _, _): resolver
                }
            }()
        guard case .address = host else { return nil }
        return IPAddress(host.description)
    }
}
