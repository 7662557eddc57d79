import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import ProbeTestKit
import Synchronization

/// A client that sends bytes and reports the answer, and the end of the connection.
struct RawClient {
    /// The answer that a client received, and its connection.
    struct Outcome {
        var bytes: [UInt8] = []
        /// The error of the system or the TLS library; nil when the server closed the connection in order.
        var error: String?
        var isSecured = false
        var tlsVersion: TLSVersion?
        var applicationProtocol: String?

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    var configuration: TLSConfiguration?
    var serverName: String? = "server.test"
    /// The number of bytes after which the client closes.
    var limit = Int.max
    /// The event loops of the client; `beforeSending` can block one between the connection and the request.
    var group = MultiThreadedEventLoopGroup.singleton
    var beforeSending: @Sendable () -> Void = {}

    static func tls(
        protocols: [String] = [],
        versions: ClosedRange<Int> = 2...3,
        certificate: IssuedCertificate? = nil
    ) throws -> RawClient {
        let known: [TLSVersion] = [.tlsv1, .tlsv11, .tlsv12, .tlsv13]
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        configuration.applicationProtocols = protocols
        configuration.minimumTLSVersion = known[versions.lowerBound]
        configuration.maximumTLSVersion = known[versions.upperBound]
        if let certificate {
            configuration.certificateChain = [.certificate(try .init(bytes: certificate.der, format: .der))]
            configuration.privateKey = .privateKey(try .init(bytes: Array(certificate.key.pkcs8PEM.utf8), format: .pem))
        }
        return RawClient(configuration: configuration)
    }

    func exchange(port: Int, send request: [UInt8]) async throws -> Outcome {
        let outcome = Mutex(Outcome())
        let box = OutcomeBox(outcome)
        let context = try configuration.map { try NIOSSLContext(configuration: $0) }
        let connecting = ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        let handler = try NIOSSLClientHandler(context: context, serverHostname: serverName)
                        try channel.pipeline.syncOperations.addHandler(handler)
                    }
                    let collector = Collector(box: box, request: request, client: self)
                    try channel.pipeline.syncOperations.addHandler(collector)
                }
            }
            .connect(host: "127.0.0.1", port: port)
        do {
            let channel = try await connecting.get()
            try? await channel.closeFuture.get()
        } catch {
            // A reset can come before the system has reported the connection.
            box.outcome.withLock { $0.error = String(describing: error) }
        }
        return box.outcome.withLock { $0 }
    }

    func exchange(port: Int, send request: String = "") async throws -> Outcome {
        try await exchange(port: port, send: Array(request.utf8))
    }
}

private final class OutcomeBox: Sendable {
    let outcome: Mutex<RawClient.Outcome>
    init(_ outcome: consuming Mutex<RawClient.Outcome>) { self.outcome = outcome }
}

private final class Collector: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let box: OutcomeBox
    let request: [UInt8]
    let client: RawClient

    init(box: OutcomeBox, request: [UInt8], client: RawClient) {
        self.box = box
        self.request = request
        self.client = client
    }

    func channelActive(context: ChannelHandlerContext) { if client.configuration == nil { send(context) } }

    private func send(_ context: ChannelHandlerContext) {
        guard !request.isEmpty else { return }
        client.beforeSending()
        let written = context.eventLoop.makePromise(of: Void.self)
        // The system reports a reset once: when a write meets it, reading finds nothing but the end.
        written.futureResult.whenFailure { [box] error in
            guard error is IOError else { return }
            box.outcome.withLock { $0.error = $0.error ?? String(describing: error) }
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: request)), promise: written)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let chosen) = event as? TLSUserEvent else { return }
        let version = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).tlsVersion
        box.outcome.withLock {
            $0.isSecured = true
            $0.applicationProtocol = chosen
            $0.tlsVersion = version
        }
        send(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isEnough = box.outcome.withLock {
            $0.bytes += unwrapInboundIn(data).readableBytesView
            return $0.bytes.count >= client.limit
        }
        if isEnough { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        box.outcome.withLock { $0.error = $0.error ?? String(describing: error) }
        context.close(promise: nil)
    }
}
