internal import Probes
internal import StatePages

extension CheckMetrics {
    /// The phases of blackbox_exporter that phases of a report belong to.
    private static let phasesOfHTTP: [(name: String, phases: Set<Probes.Phase>)] = [
        ("resolve", [.resolve]), ("connect", [.connect]), ("tls", [.tls]), ("processing", [.request, .firstByte]),
        ("transfer", [.body]),
    ]

    /// The figures of a report.
    ///
    /// - Parameter ended: The end of the check, in seconds since 1970.
    init(_ report: Probes.CheckReport, ended: Double) {
        let outcome =
            switch report.verdict {
            case .ok: "ok"
            case .failed: "failed"
            case .unknown: "unknown"
            }
        self.init(outcome: outcome, ended: ended, seconds: report.duration / .seconds(1))
        let timings = report.hops.flatMap(\.phases)
        lookupSeconds = Self.seconds(of: [.resolve], in: timings)
        if timings.contains(where: { $0.phase == .echo }) {
            icmpPhases = Self.phases([("resolve", [.resolve]), ("rtt", [.echo])], in: timings)
        } else if timings.contains(where: { $0.phase == .query }) {
            dnsPhases = Self.phases(
                [("resolve", [.resolve]), ("connect", [.connect, .tls]), ("request", [.query])],
                in: timings
            )
        }
        ipVersion = report.hops.last?.peerAddress.map { $0.hasPrefix("[") ? 6 : 4 }
        tlsVersion = report.hops.last?.tls?.version
        guard let hop = report.hops.last, hop.url.hasPrefix("http") else { return }
        httpPhases = Self.phases(Self.phasesOfHTTP, in: timings)
        httpStatus = hop.response?.status
        httpVersion = hop.response?.httpVersion
        bodyBytes = hop.response?.bodyBytes
        redirects = report.hops.count - 1
        isTLS = hop.url.hasPrefix("https:")
    }

    private static func phases(_ wanted: [(name: String, phases: Set<Probes.Phase>)], in timings: [PhaseTiming])
        -> [CheckMetrics.Phase]
    {
        wanted.compactMap { name, phases in
            seconds(of: phases, in: timings).map { CheckMetrics.Phase(name, seconds: $0) }
        }
    }

    /// The sum of the phases; `nil` where none of them was reached.
    private static func seconds(of phases: Set<Probes.Phase>, in timings: [PhaseTiming]) -> Double? {
        let found = timings.filter { phases.contains($0.phase) }
        return found.isEmpty ? nil : found.reduce(0) { $0 + $1.duration / .seconds(1) }
    }
}
