internal import NIOCore

/// Runs a script on one connection.
struct ConnectionScript {
    /// The peer closed the connection, or the server was shut down.
    struct Ended: Error {}

    private static let longestRequest = 16 << 20
    /// The number of consecutive sends before the event loop's other work continues.
    private static let sendsInARow = 64

    let number: Int
    let channel: any Channel
    let record: ServerRecord
    let isSecured: Bool
    private var arrivals: AsyncStream<ConnectionInbox.Arrival>.Iterator
    private var received: [UInt8] = []

    init(
        number: Int,
        channel: any Channel,
        record: ServerRecord,
        isSecured: Bool,
        arrivals: AsyncStream<ConnectionInbox.Arrival>
    ) {
        self.number = number
        self.channel = channel
        self.record = record
        self.isSecured = isSecured
        self.arrivals = arrivals.makeAsyncIterator()
    }

    /// Runs the steps; every error means that the peer is gone, which a script ignores.
    mutating func run(_ steps: [ServerStep]) async {
        do {
            var chosen: String?
            if isSecured { chosen = try await secured() }
            for step in steps { try await perform(step, applicationProtocol: chosen) }
            try await untilEnd()
        } catch {
            channel.close(promise: nil)
        }
    }

    private mutating func perform(_ step: ServerStep, applicationProtocol: String?) async throws {
        switch step {
        case .receive(let count):
            while received.count < count { try await more() }
            received.removeFirst(count)
        case .receiveClientHello: try await receiveRecord()
        case .receiveFrame(let type): while try await receiveFrame() != type {}
        case .receiveRequest: try await receiveRequest()
        case .send(let bytes): try await send(bytes)
        case .sendSlowly(let bytes, let piece, let interval):
            var rest = bytes[...]
            while !rest.isEmpty {
                try await send(Array(rest.prefix(max(1, piece))))
                rest = rest.dropFirst(max(1, piece))
                try await Task.sleep(for: interval)
            }
        case .sendEndlessly(let bytes): try await sendEndlessly(bytes)
        case .sendUnencrypted(let bytes): try await channel.triggerUserOutboundEvent(UnencryptedBytes(bytes)).get()
        case .stopReading: try await channel.setOption(.autoRead, value: false).get()
        case .wait(let gate): await gate.passed()
        case .serve(let responses):
            if applicationProtocol == "h2" { try await untilEnd() }
            try await serve(responses)
        case .http2, .silence: try await untilEnd()
        case .close: try await channel.close()
        case .drop: try await channel.triggerUserOutboundEvent(AbruptEnd.drop).get()
        case .reset: try await channel.triggerUserOutboundEvent(AbruptEnd.reset).get()
        }
    }

    private mutating func secured() async throws -> String? {
        while let arrival = await arrivals.next(isolation: #isolation) {
            switch arrival {
            case .secured(let chosen): return chosen
            case .bytes(let bytes): received += bytes
            }
        }
        throw Ended()
    }

    private mutating func more() async throws {
        guard let arrival = await arrivals.next(isolation: #isolation) else { throw Ended() }
        if case .bytes(let bytes) = arrival { received += bytes }
    }

    /// Discards input, so that the peer is never blocked.
    private mutating func untilEnd() async throws {
        while true {
            received = []
            try await more()
        }
    }

    private func send(_ bytes: [UInt8]) async throws {
        try Task.checkCancellation()
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
    }

    /// Sends repeatedly, with occasional pauses: an event loop runs all jobs, including new ones, before it polls its
    /// sockets again, so a peer that reads as fast as this sends would block the loop's other connections.
    private func sendEndlessly(_ bytes: [UInt8]) async throws {
        while true {
            for _ in 0..<Self.sendsInARow { try await send(bytes) }
            try await channel.eventLoop.scheduleTask(in: .milliseconds(1)) {}.futureResult.get()
        }
    }

    private mutating func receiveRecord() async throws {
        while received.count < 5 { try await more() }
        let length = 5 + Int(received[3]) << 8 + Int(received[4])
        while received.count < length { try await more() }
        received.removeFirst(length)
    }

    /// Drops the next HTTP/2 frame, and returns its type.
    private mutating func receiveFrame() async throws -> UInt8 {
        while received.count < 9 { try await more() }
        let (length, type) = (9 + Int(received[0]) << 16 + Int(received[1]) << 8 + Int(received[2]), received[3])
        while received.count < length { try await more() }
        received.removeFirst(length)
        return type
    }

    private mutating func serve(_ responses: [String: ScriptedResponse]) async throws {
        while true {
            let request = try await receiveRequest()
            let response = responses[request.target] ?? responses["*"] ?? ScriptedResponse(404)
            try await send(request.method == "HEAD" ? response.head : response.bytes)
            let isLast =
                response.framing == .close || response.version == "1.0"
                || request.header("Connection")?.lowercased() == "close"
            if isLast { try await channel.close() }
        }
    }

    @discardableResult
    private mutating func receiveRequest() async throws -> RecordedRequest {
        var parser = RequestFraming()
        while true {
            if let end = parser.end(in: received) {
                let bytes = received.prefix(end.body)
                let request = RecordedRequest(
                    connection: number,
                    head: Array(bytes.prefix(end.head)),
                    body: Array(bytes.dropFirst(end.head))
                )
                received.removeFirst(end.body)
                record.note { $0.requests.append(request) }
                return request
            }
            guard received.count <= Self.longestRequest else { throw Ended() }
            try await more()
        }
    }
}
