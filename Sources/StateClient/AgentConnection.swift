internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// A conversation over the control socket, held by one thread that may sleep.
struct AgentConnection: ~Copyable {
    private let socket: StreamSocket
    private let location: SocketLocation
    private var lines = LineBuffer()
    private var chunk = [UInt8](repeating: 0, count: 1 << 16)

    /// Connects; `wakeup` ends whatever the thread waits for with ``ClientError/cancelled``.
    init(to location: SocketLocation, wakeup: Wakeup, deadline: ContinuousClock.Instant? = nil) throws(ClientError) {
        self.location = location
        socket = try StreamSocket(connectingTo: location, wakeup: wakeup, deadline: deadline)
    }

    /// The socket's descriptor.
    var descriptor: Int32 { socket.descriptor }

    /// Sends a request.
    ///
    /// - Parameter parameters: One JSON object.
    func send(
        _ method: String,
        parameters: [UInt8],
        wantsMore: Bool = false,
        deadline: ContinuousClock.Instant? = nil
    ) throws(ClientError) {
        var json = JSONWriter()
        json.object { json in
            json.member("method", method)
            if !parameters.isEmpty {
                json.name("parameters")
                // In JSON a line's end is nothing but space; here it would end the request.
                json.value(parameters.map { $0 == 0x0A ? 0x20 : $0 })
            }
            if wantsMore { json.member("more", true) }
        }
        try socket.send(json.bytes + [0x0A], deadline: deadline)
    }

    /// The next line; waits for it.
    ///
    /// - Throws: ``ClientError/disconnected(socket:)`` at the end of the connection; a line that it ended in is dropped.
    mutating func nextLine(deadline: ContinuousClock.Instant? = nil) throws(ClientError) -> ArraySlice<UInt8> {
        while true {
            if let line = try lines.next() { return line }
            guard let count = try socket.receive(into: &chunk, canWait: true, deadline: deadline), count > 0 else {
                throw .disconnected(socket: location.path)
            }
            lines.append(chunk[..<count])
        }
    }

    /// The next line when it is there already; `nil` when it would have to be waited for.
    mutating func nextLineWithoutWaiting() throws(ClientError) -> ArraySlice<UInt8>? {
        while true {
            if let line = try lines.next() { return line }
            guard let count = try socket.receive(into: &chunk, canWait: false, deadline: nil) else { return nil }
            guard count > 0 else { throw .disconnected(socket: location.path) }
            lines.append(chunk[..<count])
        }
    }
}
