public import EventEnvelope
public import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// How hooks fare, as a list that is never longer than its readers accept: those that fail are the first.
struct HookList {
    private let standings: [HookStanding]
    private let most: Int

    /// A list of so many hooks at most.
    init(_ standings: [HookStanding], atMost most: Int) {
        let ranked = standings.map { ($0.rank, $0) }
        self.standings = (0...2).flatMap { rank in ranked.filter { $0.0 == rank }.map(\.1) }
        self.most = most
    }

    /// Writes the members `hooks`, and `hooks_omitted` where there was no room for all.
    func writeMembers(to json: inout JSONWriter) {
        let start = json.bytes.count
        var (written, omitted) = (0, 0)
        json.name("hooks")
        json.array(standings) { json, standing in
            guard omitted == 0, written < most, json.bytes.count - start < ProbeList.mostBytes / 2 else {
                omitted += 1
                return
            }
            written += 1
            standing.write(to: &json)
        }
        if omitted > 0 { json.member("hooks_omitted", omitted) }
    }
}

/// How all hooks fare: the answer to `hooks`.
public struct HooksReport: JSONRepresentable, Sendable {
    private let standings: [HookStanding]

    /// A report of these hooks.
    public init(_ standings: [HookStanding]) { self.standings = standings }

    /// The report as one JSON object in UTF-8, on one line.
    public var json: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.bytes
    }

    /// Writes `{"hooks":[…]}`, with the members that docs/status.md describes; `hooks_omitted` where there was no room.
    public func write(to json: inout JSONWriter) {
        json.object { HookList(standings, atMost: .max).writeMembers(to: &$0) }
    }
}

extension HookStanding {
    /// Whether somebody should look after it: it fails again and again, or its file is not run at all.
    package var isTroubled: Bool {
        if case .refused = last?.outcome { return true }
        return failures >= Self.repeatedFailures
    }

    fileprivate var rank: Int { isTroubled ? 0 : failures > 0 ? 1 : 2 }

    /// Writes `{"hook":…,"kind":…,"runs":…,"failed_runs":…,"last":{…},…}`.
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("hook", hook)
            json.member("kind", kind.rawValue)
            json.member("runs", runs)
            json.member("failed_runs", failedRuns)
            json.member("superseded", superseded)
            json.member("running", running)
            json.member("waiting", waiting)
            json.member("failures", failures)
            json.member("paused_ms", ifPresent: pause) { $0.number($1.milliseconds) }
            guard let last else { return }
            json.name("last")
            json.object { json in
                last.writeEnding(to: &json)
                json.member("ended", ifPresent: lastEnded) { Timestamp($1).write(to: &$0) }
                json.member("trigger", last.trigger.shortName)
                json.member("trigger_seq", ifPresent: last.sequence) { $0.number($1) }
                json.member("output", ifPresent: SummaryText.lastLine(last.output.text))
            }
        }
    }
}
