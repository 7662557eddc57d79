internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import Probes

/// Receives one HTTP/2 request, records it and runs the script's steps for it.
final class HTTP2StreamScript: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: Int
    private let record: ServerRecord
    private let steps: @Sendable (RecordedRequest) -> [HTTP2Step]
    private var headers: [HeaderField] = []
    private var body: [UInt8] = []
    private var task: Task<Void, Never>?

    init(connection: Int, record: ServerRecord, steps: @escaping @Sendable (RecordedRequest) -> [HTTP2Step]) {
        self.connection = connection
        self.record = record
        self.steps = steps
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let frame):
            headers += frame.headers.map { HeaderField(name: $0.name, value: $0.value) }
            if frame.endStream { answer(context.channel) }
        case .data(let frame):
            if case .byteBuffer(let bytes) = frame.data { body += bytes.readableBytesView }
            if frame.endStream { answer(context.channel) }
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) { task?.cancel() }

    /// Ends the stream after an error; the multiplexer closes it.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ channel: any Channel) {
        func value(_ name: String) -> String { headers.first { $0.name == name }?.value ?? "" }
        let request = RecordedRequest(
            connection: connection,
            version: "2",
            method: value(":method"),
            target: value(":path"),
            headers: headers,
            head: [],
            body: body
        )
        record.note { $0.requests.append(request) }
        let answer = HTTP2Answer(channel: channel, isHead: request.method == "HEAD", steps: steps(request))
        task = ScriptExecutor.begin { await answer.run() }
    }
}

/// The steps that answer one request on one stream.
private struct HTTP2Answer: Sendable {
    let channel: any Channel
    let isHead: Bool
    let steps: [HTTP2Step]

    /// Runs the steps; every error means that the peer is gone, which a script ignores.
    func run() async {
        do {
            for step in steps { try await perform(step) }
        } catch {
            channel.close(promise: nil)
        }
    }

    private func perform(_ step: HTTP2Step) async throws {
        switch step {
        case .respond(let response):
            let body = isHead || !response.mayHaveBody ? [] : response.body
            try await send(head(of: response, isWhole: true, endStream: body.isEmpty))
            if !body.isEmpty { try await send(data(body, endStream: true)) }
        case .begin(let response):
            try await send(head(of: response, isWhole: false, endStream: false))
            if !response.body.isEmpty { try await send(data(response.body, endStream: false)) }
        case .sendEndlessly(let bytes):
            while true {
                try await send(data(bytes, endStream: false))
                // Lets the loop poll its sockets, including this connection's.
                try await channel.eventLoop.scheduleTask(in: .milliseconds(1)) {}.futureResult.get()
            }
        case .wait(let gate): await gate.passed()
        case .resetStream(let code):
            try await send(.rstStream(HTTP2ErrorCode(networkCode: Int(code))))
        case .goAway(let code):
            let payload = HTTP2Frame.FramePayload.goAway(
                lastStreamID: .rootStream,
                errorCode: HTTP2ErrorCode(networkCode: Int(code)),
                opaqueData: nil
            )
            try await channel.parent?.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload)).get()
        case .drop: try await channel.parent?.triggerUserOutboundEvent(AbruptEnd.drop).get()
        case .reset: try await channel.parent?.triggerUserOutboundEvent(AbruptEnd.reset).get()
        case .silence: await ServerGate().passed()
        }
    }

    private func send(_ payload: HTTP2Frame.FramePayload) async throws {
        try Task.checkCancellation()
        try await channel.writeAndFlush(payload).get()
    }

    private func head(of response: ScriptedResponse, isWhole: Bool, endStream: Bool) -> HTTP2Frame.FramePayload {
        var headers = HPACKHeaders([(":status", String(response.status))])
        for field in response.headers { headers.add(name: field.name.lowercased(), value: field.value) }
        // A response without an end has no length, unless its script sets one.
        if isWhole, response.framing == .length, response.mayHaveBody {
            headers.add(name: "content-length", value: String(response.body.count))
        }
        return .headers(.init(headers: headers, endStream: endStream))
    }

    private func data(_ bytes: [UInt8], endStream: Bool) -> HTTP2Frame.FramePayload {
        .data(.init(data: .byteBuffer(ByteBuffer(bytes: bytes)), endStream: endStream))
    }
}
