internal import Configuration
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The fault of this machine behind a check without an answer: no usable path to the target.
///
/// The kernel sends packets into a link without carrier unless `ignore_routes_with_linkdown` is set, so a check over
/// such a path times out like the check of a dead server.
struct PathHint {
    /// The codes of checks to which nothing answered.
    private static let silent: Set<FindingCode> = [.dnsTimeout, .connectTimeout, .hostUnreachable, .timeout]

    /// The maximum number of the target's addresses whose paths are looked up.
    private static let maximumAddresses = 16

    /// The interface, and the reason that the path through it is unusable.
    let evidence: String

    /// The hint in a report; `nil` where there was an answer, or one of the paths to the target's addresses is usable.
    init?(_ report: CheckReport, paths: [Path]) {
        guard Self.isSilent(report), paths.allSatisfy({ $0.via == .none }) else { return nil }
        guard let path = paths.first(where: { $0.interface != nil }) ?? paths.first, let reason = path.reason else {
            return nil
        }
        let interface = path.interface.map { "\($0.name): " } ?? ""
        evidence = "\(interface)\(reason.sentence) [\(reason.rawValue)]"
    }

    /// The hint about a check over the default egress; the kernel is read only if nothing answered.
    init?(_ report: CheckReport, of probe: Probe, watch: WatchOptions, _ settings: Settings) {
        guard Self.isSilent(report), probe.interface == nil else { return nil }
        let addresses = (report.hops.last?.addresses ?? []).prefix(Self.maximumAddresses).compactMap { IPAddress($0) }
        let configuration = watch.monitorConfiguration(
            targets: addresses,
            kindOverrides: settings.kindOverrides,
            internetAddresses: settings.internetAddresses
        )
        // Without the kernel's view the report stands for itself.
        guard let snapshot = try? NetworkMonitor.snapshot(configuration) else { return nil }
        let paths = addresses.map { address in snapshot.lookups[address].map { Path($0, in: snapshot) } ?? .unknown }
        // Of a name that was not resolved the way to its resolver is not known: the path to the Internet stands for it.
        self.init(report, paths: paths.isEmpty ? [ReachabilityState(snapshot).path] : paths)
    }

    private static func isSilent(_ report: CheckReport) -> Bool {
        switch report.verdict {
        case .ok: false
        case .failed(let code, _), .unknown(let code, _): silent.contains(code)
        }
    }
}
