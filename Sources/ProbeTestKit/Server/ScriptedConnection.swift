internal import NIOCore
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS

/// Sets up one accepted connection for its script, on the connection's event loop.
struct ScriptedConnection {
    let number: Int
    let channel: any Channel
    let record: ServerRecord
    let steps: [ServerStep]

    func configure(_ secure: (tls: ServerTLS, context: NIOSSLContext)?) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(AbruptEndHandler())
        if let secure {
            try pipeline.addHandler(ByteToMessageHandler(serverNameHandler()))
            try pipeline.addHandler(secure.tls.makeHandler(secure.context))
        }
        let (arrivals, continuation) = AsyncStream.makeStream(of: ConnectionInbox.Arrival.self)
        let script = { [number, channel, record, steps] in
            var script = ConnectionScript(
                number: number,
                channel: channel,
                record: record,
                isSecured: secure != nil,
                arrivals: arrivals
            )
            let task = ScriptExecutor.begin { await script.run(steps) }
            channel.closeFuture.whenComplete { _ in task.cancel() }
        }
        let inbox = ConnectionInbox(
            arrivals: continuation,
            onActive: script,
            onSecured: { chosen in
                record.note { $0.applicationProtocols[number] = chosen }
                if chosen == "h2" { speakHTTP2() }
            },
            onError: { error in
                let text = String(describing: error)
                record.note { $0.handshakeFailures.append(text) }
            }
        )
        try pipeline.addHandler(inbox)
    }

    /// Records the name in the ClientHello before the TLS handler sees it.
    private func serverNameHandler() -> SNIHandler {
        SNIHandler { [number, channel, record] result in
            if case .hostname(let name) = result { record.note { $0.serverNames[number] = name } }
            return channel.eventLoop.makeSucceededVoidFuture()
        }
    }

    /// Adds the HTTP/2 handlers, if the script has a step for them.
    private func speakHTTP2() {
        var answer: (@Sendable (RecordedRequest) -> [HTTP2Step])?
        for step in steps where answer == nil {
            switch step {
            case .serve(let responses):
                answer = { [.respond(responses[$0.target] ?? responses["*"] ?? ScriptedResponse(404))] }
            case .http2(let steps): answer = { _ in steps }
            default: continue
            }
        }
        guard let answer else { return }
        let multiplexer = HTTP2StreamMultiplexer(mode: .server, channel: channel) { [number, record] stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(
                    HTTP2StreamScript(connection: number, record: record, steps: answer)
                )
            }
        }
        let pipeline = channel.pipeline.syncOperations
        do {
            let inbox = try pipeline.handler(type: ConnectionInbox.self)
            inbox.isBypassed = true
            try pipeline.addHandlers([NIOHTTP2Handler(mode: .server), multiplexer], position: .before(inbox))
        } catch {
            channel.close(promise: nil)
        }
    }
}
