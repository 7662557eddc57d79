internal import AgentEvents
internal import Probes

/// A line of `reachagent measure --json`: the members of `reachagent probe --json`, and the uplink.
struct MeasureResult: Encodable {
    private enum CodingKeys: String, CodingKey {
        case target, verdict, code, reason, interface
    }

    private let target: String
    private let measurement: UplinkMeasurement

    /// The result of a measurement of a target.
    init(_ target: String, _ measurement: UplinkMeasurement) {
        self.target = target
        self.measurement = measurement
    }

    /// Encodes the report followed by the interface, or the reason that there is no report.
    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch measurement.outcome {
        case .report(let report)?: try AgentEvents.CheckReport(report).encode(to: encoder)
        case .skipped(let code, let reason)?:
            try members.encode(target, forKey: .target)
            try members.encode("unknown", forKey: .verdict)
            try members.encode(code, forKey: .code)
            try members.encode(reason, forKey: .reason)
        case nil:
            try members.encode(target, forKey: .target)
            try members.encode("unknown", forKey: .verdict)
        }
        try members.encodeIfPresent(measurement.uplink, forKey: .interface)
    }
}
