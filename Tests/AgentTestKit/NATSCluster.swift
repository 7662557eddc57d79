import Foundation
import Glibc

/// Three nats-servers with JetStream that form a cluster on the loopback interface.
///
/// The functions that ask it for something ask again until an answer comes: while the servers elect a leader, none does.
package final class NATSCluster: Sendable {
    /// The state of a stream, as its leader knows it.
    private struct StreamState {
        var leader: String
        /// True when each replica has everything.
        var isComplete: Bool
    }

    /// The number of servers: of three, one may be missing.
    package static let size = 3
    /// The time after which something that is asked for has failed to come.
    private static let patience: Duration = .seconds(60)

    /// The servers.
    package let servers: [NATSServer]
    /// The ports at which the servers connect to each other.
    private let routes: [FreePort]

    /// The address for a sink: all servers.
    package var url: String { servers.map(\.url).joined(separator: ",") }

    /// Starts the servers; they elect their leaders later.
    package init() async throws {
        let routes = try (0..<Self.size).map { _ in try FreePort() }
        let urls = routes.map { "\"nats-route://127.0.0.1:\($0.number)\"" }.joined(separator: ", ")
        var servers: [NATSServer] = []
        for (number, port) in routes.map(\.number).enumerated() {
            let configuration = """
                server_name: "\(Self.name(of: number))"
                cluster { name: "reachagent", listen: "127.0.0.1:\(port)", routes: [\(urls)] }
                """
            servers.append(try await NATSServer(configuration: configuration))
        }
        (self.routes, self.servers) = (routes, servers)
    }

    /// Makes a stream for everything that agents publish, with a replica on each server.
    package func makeStream(_ name: String) throws {
        try repeated("make the stream \(name)") {
            try client().makeStream(name, options: #""num_replicas":\#(Self.size)"#)
            return true
        }
        try awaitReplicas(of: name)
    }

    /// Waits until the stream has a leader, and each server everything of it; returns the leader's number.
    @discardableResult
    package func awaitReplicas(of stream: String) throws -> Int {
        var leader: Int?
        try repeated("get \(stream) onto all servers") {
            let state = try state(of: stream)
            leader = servers.indices.first { Self.name(of: $0) == state.leader }
            return state.isComplete && leader != nil
        }
        return leader ?? 0
    }

    /// Makes one of some servers the leader of a stream, and returns its number.
    package func moveLeader(of stream: String, to candidates: Set<Int>) throws -> Int {
        var leader = try awaitReplicas(of: stream)
        // The servers choose the next leader at random.
        for _ in 0..<50 where !candidates.contains(leader) {
            _ = try? client().request("$JS.API.STREAM.LEADER.STEPDOWN.\(stream)")
            leader = try awaitReplicas(of: stream)
        }
        guard candidates.contains(leader) else {
            throw FinishedCommand.Failure(description: "none of \(candidates.sorted()) became the leader of \(stream)")
        }
        return leader
    }

    /// The number of messages in a stream.
    package func count(of stream: String) throws -> Int {
        var count = 0
        try repeated("count the messages of \(stream)") {
            let state = try client().request("$JS.API.STREAM.INFO.\(stream)").json["state"] as? [String: Any]
            count = (state?["messages"] as? NSNumber)?.intValue ?? -1
            return count >= 0
        }
        return count
    }

    /// Waits until a stream has so many messages.
    package func awaitMessages(_ wanted: Int, in stream: String) throws {
        try repeated("get \(wanted) messages into \(stream)") { try count(of: stream) >= wanted }
    }

    /// A client of one of the servers that run.
    package func client(patience: Int = 1) throws -> NATSTestClient {
        guard let server = servers.filter({ $0.processIdentifier != nil }).randomElement() else {
            throw FinishedCommand.Failure(description: "no server runs")
        }
        return try NATSTestClient(port: server.port, patience: patience)
    }

    private static func name(of number: Int) -> String { "nats-\(number + 1)" }

    private func state(of stream: String) throws -> StreamState {
        let cluster = try client().request("$JS.API.STREAM.INFO.\(stream)").json["cluster"] as? [String: Any] ?? [:]
        let replicas = cluster["replicas"] as? [[String: Any]] ?? []
        let isComplete = replicas.allSatisfy { $0["current"] as? Bool == true && $0["offline"] as? Bool != true }
        return StreamState(
            leader: cluster["leader"] as? String ?? "",
            isComplete: isComplete && replicas.count == Self.size - 1
        )
    }

    /// Tries something until it is true; the servers tell no client when they have elected a leader.
    private func repeated(_ what: String, _ attempt: () throws -> Bool) throws {
        let end = ContinuousClock.now.advanced(by: Self.patience)
        var obstacle = "it is not there yet"
        while ContinuousClock.now < end {
            do {
                if try attempt() { return }
            } catch {
                obstacle = "\(error)"
            }
            usleep(50_000)
        }
        throw FinishedCommand.Failure(description: "cannot \(what): \(obstacle)")
    }
}
