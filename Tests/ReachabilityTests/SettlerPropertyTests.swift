import AgentTestKit
import NetlinkMonitor
import Testing

@testable import Reachability

/// Settling against an oracle that knows every edge and looks back at all of them each millisecond.
struct SettlerPropertyTests {
    /// A value of three grades: lost, and two that are as good as each other.
    struct Signal: SettlingValue {
        let grade: Int
        func loses(to next: Signal) -> Bool { grade != 0 && next.grade == 0 }
    }

    struct Published: Equatable {
        let at: Int
        let grade: Int
    }

    static let (up, down) = (250, 1000)

    /// Edges at random moments; some stories are full of blips, some are slow.
    static func story(_ seed: UInt64) -> [(at: Int, grade: Int)] {
        var random = SplitMix(state: seed)
        var edges = [(at: 0, grade: Int.random(in: 0...2, using: &random))]
        let pace = [20, 200, 700, 1500].randomElement(using: &random) ?? 200
        var now = 0
        for _ in 0..<60 {
            let isBlip = Int.random(in: 0..<3, using: &random) == 0
            now += Int.random(in: 1...(isBlip ? 5 : pace), using: &random)
            edges.append((now, Int.random(in: 0...2, using: &random)))
        }
        return edges
    }

    /// Everything is counted anew, from the edges, at every millisecond.
    static func oracle(_ edges: [(at: Int, grade: Int)], until end: Int) -> [Published] {
        var grades = Array(repeating: edges[0].grade, count: end + 1)
        for edge in edges { for time in edge.at...end { grades[time] = edge.grade } }
        func grade(at time: Int) -> Int { grades[time] }
        var settled = edges[0].grade
        var published = [Published(at: 0, grade: settled)]
        var (restless, heldSince, isLong): (Int?, Int, Bool) = (nil, 0, false)
        for now in 1...end {
            let raw = grade(at: now)
            if raw != grade(at: now - 1) {
                heldSince = now
                if restless == nil { (restless, isLong) = (now, raw == 0) }
            }
            guard let began = restless else { continue }
            let hold = raw == settled || raw == 0 ? down : up
            if now - heldSince >= hold {
                if raw != settled { published.append(Published(at: now, grade: raw)) }
                (settled, restless) = (raw, nil)
                continue
            }
            guard now - began >= 3 * (isLong ? down : up) else { continue }
            var had = [0, 0, 0]
            for past in began..<now { had[grade(at: past)] += 1 }
            // Of equals the one that was there first.
            let most = had.max() ?? 0
            var order = [settled]
            for past in began..<now where !order.contains(grade(at: past)) { order.append(grade(at: past)) }
            let leader = order.first { had[$0] == most } ?? settled
            if leader != settled, leader == 0, !isLong {
                isLong = true
                guard now - began >= 3 * down else { continue }
            }
            if leader != settled {
                published.append(Published(at: now, grade: leader))
                heldSince = now
            }
            settled = leader
            (restless, isLong) = raw == settled ? (nil, false) : (now, raw == 0)
        }
        return published
    }

    @Test("published changes and their times match an oracle that reviews every edge", arguments: 0..<200)
    func agrees(_ seed: Int) {
        let edges = Self.story(UInt64(seed))
        let end = (edges.last?.at ?? 0) + 10_000
        let start = ContinuousClock.now
        var settler = Settler(
            unknown: Signal(grade: 0),
            policy: SettlePolicy(up: .milliseconds(Self.up), down: .milliseconds(Self.down))
        )
        var published: [Published] = []
        for (index, edge) in edges.enumerated() {
            let instant = start.advanced(by: .milliseconds(edge.at))
            let observed = Observed(instant: instant, microsecondsSince1970: 0)
            let change = settler.observe(Signal(grade: edge.grade), cause: .start, observed: observed, at: instant)
            if index == 0 {
                published.append(Published(at: 0, grade: edge.grade))
            } else if let change {
                published.append(Published(at: edge.at, grade: change.to.grade))
            }
            let next = index + 1 < edges.count ? edges[index + 1].at : end
            while let deadline = settler.deadline, deadline < start.advanced(by: .milliseconds(next)) {
                guard let change = settler.tick(at: deadline) else { continue }
                let at = Int(start.duration(to: deadline) / .milliseconds(1))
                published.append(Published(at: at, grade: change.to.grade))
            }
        }
        #expect(published == Self.oracle(edges, until: end))
        #expect(settler.deadline == nil)
        #expect(settler.settled == settler.raw)
    }
}
