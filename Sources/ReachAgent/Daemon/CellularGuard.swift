internal import Configuration
internal import FoundationEssentials
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
        if let name = probe.interface {
            guard let link = snapshot.link(named: name) else { return nil }
            let carrier = snapshot.carrier(of: link, defaultPath: ReachabilityState(snapshot).path)
            return carrier.kind == .wwan ? carrier.name : nil
        }
        let lookup = probe.address.flatMap { snapshot.lookups[$0] }
        let paths =
            lookup.map { [Path($0, in: snapshot)] } ?? ReachabilityState(snapshot).paths(in: probe.families)
        guard let path = paths.first(where: { $0.via == .wwan }) else { return nil }
        return path.underlay?.interface?.name ?? path.interface?.name ?? "an unknown interface"
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
