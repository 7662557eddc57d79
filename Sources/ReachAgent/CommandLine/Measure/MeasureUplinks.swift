internal import ArgumentParser
internal import Configuration
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The uplinks of `reachagent measure --each`: the interfaces with a default route, and those that the probe names.
enum MeasureUplinks {
    /// A measurement for each uplink, active uplinks first; an uplink that cannot or must not carry a transfer has that
    /// as its outcome.
    ///
    /// - Parameters:
    ///   - definition: The probe; nil for a URL.
    ///   - includesMetered: True where metered uplinks are measured too.
    static func measurements(
        _ settings: Settings,
        definition: ProbeDefinition?,
        includesMetered: Bool,
        watch: WatchOptions
    ) throws -> [UplinkMeasurement] {
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(
                watch.monitorConfiguration(
                    kindOverrides: settings.kindOverrides,
                    internetAddresses: settings.internetAddresses
                )
            )
        }
        var settings = settings
        settings.probes = definition.map { [$0] } ?? []
        let plan = ConnectivityPlan(settings)
        var configuration = plan.machineConfiguration
        configuration.settle = .none
        var machine = ReachabilityMachine(configuration)
        _ = machine.handle(NetworkUpdate(snapshot: snapshot, changes: [], observed: .now))
        let uplinks = machine.uplinks
        let costs = plan.costs(of: Set(uplinks.map { Vantage(interface: $0.interface.name) }), in: snapshot)
        return (uplinks.filter(\.isUsed) + uplinks.filter { !$0.isUsed }).map { uplink in
            let name = uplink.interface.name
            let isMetered = costs[Vantage(interface: name)]?.isMetered ?? false
            return UplinkMeasurement(
                interface: name,
                outcome: obstacle(uplink, isRefused: isMetered && !includesMetered)
            )
        }
    }

    /// The reason that an uplink is not measured; nil for none.
    private static func obstacle(_ uplink: Uplink, isRefused: Bool) -> UplinkMeasurement.Outcome? {
        if let reason = uplink.reason {
            let sentence = FindingCode(rawValue: reason.code)?.sentence ?? ReasonCode(rawValue: reason.code)?.sentence
            return .skipped(code: reason.code, reason: sentence ?? reason.code)
        }
        guard isRefused else { return nil }
        return .skipped(
            code: FindingCode.transferMetered.rawValue,
            reason: "it is metered; '--metered' measures it all the same"
        )
    }
}
