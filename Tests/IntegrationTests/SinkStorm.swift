import AgentTestKit
import Foundation
import Glibc
import Testing

/// A server that can be killed and started again.
protocol KillableServer: Sendable {
    /// Kills it, and returns when it is gone.
    func kill() async
    /// Starts it again, and returns when it can be connected to.
    func start() async throws
}

extension NATSServer: KillableServer {}

/// A sink, its server and its agent, which are killed again and again.
struct SinkStorm {
    /// The number of kills of a storm on a short link; `make soak` sets another one.
    static let kills = number("SINK_STORM_KILLS") ?? 20
    /// The seed of all that is random.
    static let seed = number("SINK_STORM_SEED") ?? 21
    /// The number of events of a storm that begins with a journal full of them.
    static let events = number("SINK_STORM_EVENTS") ?? 4000

    let lab: SinkLab
    let server: any KillableServer
    private(set) var agent: AgentProcess
    private(set) var sink: CommandLines
    private var generator = SplitMix(state: UInt64(Self.seed))

    /// Starts the agent and the sink.
    init(_ lab: SinkLab, _ server: any KillableServer) async throws {
        self.lab = lab
        self.server = server
        agent = try await lab.agent()
        sink = try lab.sink()
    }

    /// Changes the default route until it is killed.
    static func changes(every interval: String) -> String {
        """
        number=2
        while true; do
          number=$((number % 200 + 2))
          ip route replace default via 192.0.2.$number dev eth0 metric 100
          sleep \(interval)
        done
        """
    }

    /// A random number of a range.
    mutating func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Kills one of the programs and starts it again.
    ///
    /// - Parameter path: A link that is cut now and then, too.
    mutating func strike(cutting path: TCPLink? = nil) async throws {
        switch random(0...(path == nil ? 9 : 14)) {
        case 0..<5: try await killSink()
        case 5..<9:
            await server.kill()
            try await server.start()
        case 10...: path?.cut()
        default:
            _ = try await agent.stop(SIGKILL)
            agent = try await lab.agent()
            try await killSink()
        }
    }

    private mutating func killSink() async throws {
        sink.signal(SIGKILL)
        await expectNoLoss()
        sink = try lab.sink()
    }

    /// Reads the rest of the sink's log, which ends, and records an issue for each loss in it.
    private func expectNoLoss() async {
        let losses = await sink.rest().filter { $0.contains("lost to the broker") || $0.contains("sink.lost") }
        #expect(losses.isEmpty)
    }

    /// Starts the agent anew, so that its journal ends, and has it compared; returns the number of events.
    ///
    /// - Parameter compare: Compares the journal's lines with what the server has, for which it waits.
    mutating func judge(_ compare: ([String]) async throws -> Void) async throws -> Int {
        var status = try await agent.stop().status
        #expect(status == 0)
        agent = try await lab.agent()
        let journal = try await lab.journal()
        #expect(!journal.contains { $0.contains("reachagent.sink.lost") })
        try await compare(journal)
        sink.end()
        await expectNoLoss()
        status = try await agent.stop().status
        #expect(status == 0)
        return journal.count
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.map { max(1, $0) }
    }
}
