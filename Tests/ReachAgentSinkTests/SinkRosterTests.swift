import LinuxSupport
import Sinks
import Testing

@testable import ReachAgentSink

/// The sinks that run, by the agent's list and by what the system has left for them.
@Suite struct SinkRosterTests {
    /// A sink that has a place where its stops are noted.
    private struct ScriptedSink: RunningSink {
        let settings: SinkSettings
        let host: String
        let stops: Notes

        func stop(before next: SinkSettings?) { stops.lines.append("\(settings.name) before \(next?.name ?? "none")") }
    }

    private final class Notes {
        var lines: [String] = []
    }

    private let start = ContinuousClock.now
    private let log = Notes()
    private let stops = Notes()

    private func roster() -> SinkRoster<ScriptedSink> { SinkRoster { [log] in log.lines.append($0) } }

    private static func list(_ names: String...) throws -> SinkDocumentFile.Result {
        let broker = try BrokerAddress("nats://broker.example:4222")
        let sinks = names.map { SinkSettings(name: $0, broker: broker, device: "edge-7") }
        return .sinks(SinkDocument(host: "edge-7", sinks: sinks))
    }

    /// Reconciles at so many seconds; sinks with these names cannot be started.
    private func reconcile(_ roster: inout SinkRoster<ScriptedSink>, at second: Int, failing: Set<String> = []) {
        roster.reconcile(at: start + .seconds(second)) { settings, host throws(SystemError) in
            guard !failing.contains(settings.name) else { throw SystemError(errno: 24) }
            return ScriptedSink(settings: settings, host: host, stops: stops)
        }
    }

    @Test func `a sink that could not be started is retried, and its reason logged once`() throws {
        var roster = roster()
        roster.take(try Self.list("cloud", "plant"))
        reconcile(&roster, at: 0, failing: ["plant"])
        #expect(roster.running.keys.sorted() == ["cloud"])
        #expect(roster.retry == start + .seconds(5))
        // Another wake-up does not postpone the retry.
        reconcile(&roster, at: 3, failing: ["plant"])
        #expect(roster.retry == start + .seconds(5))
        #expect(!roster.isRetryDue(at: start + .seconds(3)) && roster.isRetryDue(at: start + .seconds(5)))
        reconcile(&roster, at: 5, failing: ["plant"])
        #expect(roster.retry == start + .seconds(10))
        #expect(log.lines == ["cannot start sink plant: Too many open files"])
        reconcile(&roster, at: 10)
        #expect(roster.running.keys.sorted() == ["cloud", "plant"])
        #expect(roster.retry == nil)
    }

    @Test func `a list that could not be read is read again, and the sinks run on meanwhile`() throws {
        var roster = roster()
        roster.take(.unusable("cannot open it"))
        #expect(roster.isNeeded)
        reconcile(&roster, at: 0)
        #expect(roster.running.isEmpty && roster.retry == start + .seconds(5))
        roster.take(try Self.list("plant"))
        reconcile(&roster, at: 5)
        #expect(roster.names == ["plant"] && roster.running.count == 1 && roster.retry == nil)
        for second in [6, 11] {
            roster.take(.unusable("cannot open it"))
            reconcile(&roster, at: second)
            #expect(roster.running.count == 1 && roster.retry == start + .seconds(second + 5))
        }
        #expect(log.lines == Array(repeating: "cannot read the list of sinks: cannot open it", count: 2))
        #expect(stops.lines.isEmpty)
    }

    @Test func `a sink that is not in the list stops, and is needed until it has ended`() throws {
        var roster = roster()
        roster.take(try Self.list("cloud", "plant"))
        reconcile(&roster, at: 0)
        roster.take(try Self.list("plant"))
        reconcile(&roster, at: 1)
        #expect(stops.lines == ["cloud before none"])
        roster.remove("cloud")
        roster.take(.absent)
        reconcile(&roster, at: 2)
        #expect(stops.lines == ["cloud before none", "plant before none"])
        #expect(roster.isNeeded)
        roster.remove("plant")
        reconcile(&roster, at: 3, failing: ["plant"])
        #expect(!roster.isNeeded && roster.retry == nil && log.lines.isEmpty)
    }
}
