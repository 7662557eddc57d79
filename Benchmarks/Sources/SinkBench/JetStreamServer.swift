internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// A nats-server on the loopback interface with one stream; it is terminated when this object is deallocated.
final class JetStreamServer {
    static let stream = "REACHAGENT"

    let port: UInt16
    private let program: String
    private let store: String
    private var child: ChildProcess

    init(in directory: TemporaryDirectory) throws(BenchmarkError) {
        guard let program = Executable.find("nats-server") else {
            throw BenchmarkError(
                "start nats-server",
                cause: "it is not installed; install-dependencies bench installs it"
            )
        }
        self.program = program
        store = directory.path(of: "store")
        port = try Loopback.freePort()
        child = try Self.start(program, port, store)
        _ = try request(
            "$JS.API.STREAM.CREATE.\(Self.stream)",
            #"{"name":"\#(Self.stream)","subjects":["reachagent.>"],"storage":"file"}"#
        )
    }

    /// The resource usage of the server.
    var usage: ProcessUsage { ProcessUsage(of: child.identifier) }

    /// Kills the server, as a power cut would, and starts it again with its store.
    func restart() throws(BenchmarkError) {
        kill(child.identifier, SIGKILL)
        child.waitForEnd()
        child = try Self.start(program, port, store)
    }

    /// The number of messages in the stream.
    func count() throws(BenchmarkError) -> Int {
        let reply = try request("$JS.API.STREAM.INFO.\(Self.stream)", "")
        guard let name = reply.firstRange(of: #""messages":"#) else {
            throw BenchmarkError("read the state of the stream", cause: reply)
        }
        return Int(reply[name.upperBound...].prefix { $0.isNumber }) ?? 0
    }

    private static func start(_ program: String, _ port: UInt16, _ store: String) throws(BenchmarkError) -> ChildProcess
    {
        let child = try ChildProcess(program, ["-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", store])
        try Loopback.waitForListener(on: port, of: child, named: program)
        return child
    }

    /// Sends one request, and returns the payload of its reply.
    private func request(_ subject: String, _ payload: String) throws(BenchmarkError) -> String {
        let descriptor = try Loopback.connect(to: port)
        defer { close(descriptor) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var text = "CONNECT {\"verbose\":false}\r\nSUB _INBOX.bench 1\r\n"
        text += "PUB \(subject) _INBOX.bench \(payload.utf8.count)\r\n\(payload)\r\n"
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else {
            throw BenchmarkError("ask nats-server", errno: errno)
        }
        var received = ""
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { throw BenchmarkError("ask nats-server", cause: "no answer to \(subject)") }
            received += String(decoding: chunk[..<count], as: UTF8.self)
            guard let message = received.firstRange(of: "MSG _INBOX.bench "),
                let end = received[message.upperBound...].lastIndex(of: "}")
            else { continue }
            return String(received[message.upperBound...end])
        }
    }
}
