internal import AgentEvents

extension Observations {
    struct Verdict: Sendable {
        /// `nil` for a next hop of which nothing is known.
        var isUp: Bool?
        /// The code of the reason; `nil` for `up`, and for a next hop whose check is pending.
        var code: String?
        var sequence: UInt64
        /// The moment at which it was observed, in microseconds since 1970; `min` after the clock was set back.
        var observed: Int64

        /// Returns whether it is older than the verdict on another point.
        ///
        /// An event about missing ones has the verdicts on many points. Of these the order of the points decides, so that
        /// the same journal yields the same evidence.
        func isOlder(at point: ProbePoint, than other: Verdict, at otherPoint: ProbePoint) -> Bool {
            guard sequence == other.sequence else { return sequence < other.sequence }
            return (point.probe, point.interface ?? "", point.family ?? "")
                < (otherPoint.probe, otherPoint.interface ?? "", otherPoint.family ?? "")
        }
    }

    /// The verdict on a point.
    struct Fact {
        var point: ProbePoint
        var verdict: Verdict

        var isUp: Bool? { verdict.isUp }
        /// True for a next hop whose verdict ended, and which is being checked: a check without a result has a code.
        var isPending: Bool { verdict.isUp == nil && verdict.code == nil }
        var observed: Int64 { verdict.observed }
        var evidence: Evidence { Observations.evidence(of: point, verdict) }
    }

    /// The newest verdict on each point.
    ///
    /// Each event concerns all current silences: each of them searches the verdicts of its own interface alone, and the
    /// other interfaces for the first one over which a target is up.
    struct Verdicts: Sendable {
        private(set) var count = 0
        private var byInterface: [String?: [ProbePoint: Verdict]] = [:]
        /// The oldest verdict up on a target over each interface, in the order of events.
        private var targetsUp: [(interface: String, evidence: Evidence)] = []

        /// All verdicts.
        var all: some Sequence<(key: ProbePoint, value: Verdict)> { byInterface.values.lazy.joined() }

        subscript(point: ProbePoint) -> Verdict? {
            get { byInterface[point.interface]?[point] }
            set {
                count += (newValue == nil ? 0 : 1) - (self[point] == nil ? 0 : 1)
                byInterface[point.interface, default: [:]][point] = newValue
                if byInterface[point.interface]?.isEmpty == true { byInterface[point.interface] = nil }
                if let interface = point.interface { findTargetUp(over: interface) }
            }
        }

        private mutating func findTargetUp(over interface: String) {
            targetsUp.removeAll { $0.interface == interface }
            let up = byInterface[interface, default: [:]].filter { $0.value.isUp == true && !$0.key.isFirstHop }
            guard let oldest = up.min(by: { $0.value.isOlder(at: $0.key, than: $1.value, at: $1.key) }) else { return }
            let position = targetsUp.firstIndex { oldest.value.sequence < $0.evidence.sequence } ?? targetsUp.endIndex
            targetsUp.insert((interface, Observations.evidence(of: oldest.key, oldest.value)), at: position)
        }

        /// Returns the oldest verdict up on a target that is bound to another interface than these.
        func targetUp(elsewhereThan interfaces: Set<String?>) -> Evidence? {
            targetsUp.first { !interfaces.contains($0.interface) }?.evidence
        }

        /// Returns the verdicts over some interfaces, `nil` for the path that the kernel chooses, the oldest first.
        func sorted(over interfaces: Set<String?>) -> [Fact] {
            interfaces.flatMap { byInterface[$0, default: [:]].map(Fact.init) }
                .sorted { $0.verdict.isOlder(at: $0.point, than: $1.verdict, at: $1.point) }
        }

        /// Makes all verdicts older than any outage.
        mutating func age() {
            for (interface, verdicts) in byInterface {
                for point in verdicts.keys { byInterface[interface]?[point]?.observed = .min }
            }
        }
    }

    static func evidence(of point: ProbePoint, _ verdict: Verdict) -> Evidence {
        Evidence(
            kind: verdict.isUp == true ? .probeUp : .probeDown,
            code: verdict.code ?? (verdict.isUp == true ? "up" : "down"),
            subject: [point.probe, point.interface, point.family].compactMap(\.self).joined(separator: " "),
            sequence: verdict.sequence
        )
    }
}
