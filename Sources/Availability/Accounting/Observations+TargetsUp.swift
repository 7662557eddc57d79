internal import AgentEvents

extension Observations {
    /// The probes of targets that are up: of each path and family, the oldest verdict, and the oldest one of another probe.
    ///
    /// Built in one pass for any number of questions, because a fault of a site takes down all of its probes.
    struct TargetsUp: Sendable {
        private struct Path: Hashable {
            var interface: String?
            var family: String?
        }

        private typealias Target = (point: ProbePoint, verdict: Verdict)
        private var oldest: [Path: (first: Target, other: Target?)] = [:]

        init(_ observations: Observations) {
            for (point, verdict) in observations.verdicts.all where verdict.isUp == true && !point.isFirstHop {
                add((point, verdict))
            }
        }

        private mutating func add(_ target: Target) {
            let path = Path(interface: target.point.interface, family: target.point.family)
            guard var known = oldest[path] else { return oldest[path] = (target, nil) }
            if Self.isOlder(target, known.first) {
                if known.first.point.probe != target.point.probe { known.other = known.first }
                known.first = target
            } else if target.point.probe != known.first.point.probe,
                known.other.map({ Self.isOlder(target, $0) }) ?? true
            {
                known.other = target
            }
            oldest[path] = known
        }

        /// Returns a probe of another target that is up over the same path: the oldest one.
        func other(than point: ProbePoint) -> Evidence? {
            var families: Set<String?> = [point.family]
            families.insert(nil)
            let targets = families.compactMap { family -> Target? in
                guard let known = oldest[Path(interface: point.interface, family: family)] else { return nil }
                return known.first.point.probe == point.probe ? known.other : known.first
            }
            return targets.min(by: Self.isOlder).map { Observations.evidence(of: $0.point, $0.verdict) }
        }

        private static func isOlder(_ target: Target, _ other: Target) -> Bool {
            target.verdict.isOlder(at: target.point, than: other.verdict, at: other.point)
        }
    }

    /// The probes of targets that are up.
    var targetsUp: TargetsUp { TargetsUp(self) }
}
