internal import AgentEvents
internal import BenchmarkKit
internal import Glibc

/// The floor: the lines are encoded once, and written to one socket after the other.
///
/// Nothing else is done. It knows no snapshot, no number to begin with, no filter, and nobody who is slow.
final class WriteLoop: EventPublisher {
    private let sample = SampleEvent(streamID: "00000000000000000000000000000001")
    private let clients: ClientList
    private(set) var newest: UInt64 = 0

    /// Listens at a path.
    init(at path: String) throws {
        clients = try ClientList(at: path, greeting: sample.opening(.agentHello).line + [UInt8(ascii: "\n")])
    }

    func publish(through last: UInt64) throws {
        var lines: [UInt8] = []
        while newest < last {
            newest += 1
            lines += sample.event(newest).line
            lines.append(UInt8(ascii: "\n"))
        }
        for client in clients.descriptors {
            var start = 0
            while start < lines.count {
                let count = lines[start...].withUnsafeBytes { send(client, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { throw BenchmarkError("write a line", errno: errno) }
                start += count
            }
        }
    }

    func stop() {}
}
