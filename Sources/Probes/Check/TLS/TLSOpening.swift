internal import ForeignText
internal import NIOCore

/// The server's bytes before encryption starts: read beside the TLS library, which reports only errors.
///
/// It ends with the first encrypted record (TLS 1.3: after the ServerHello), and keeps its conclusions and the first bytes.
struct TLSOpening {
    private static let certificateRequest: UInt8 = 13
    private static let maximumBeginning = 48

    /// `true` if the bytes are not TLS.
    private(set) var isForeign = false
    /// `true` if the server requested a client certificate (RFC 5246, section 7.4.4).
    private(set) var asksForCertificate = false
    /// The first bytes received.
    private(set) var beginning: [UInt8] = []

    private var isOver = false
    private var header: [UInt8] = []
    private var recordBytes = 0
    private var message: [UInt8] = []
    private var messageBytes = 0

    /// Handles bytes from the server.
    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if beginning.count < Self.maximumBeginning { beginning.append(byte) } else if isOver { return }
            if !isOver { take(byte) }
        }
    }

    private mutating func take(_ byte: UInt8) {
        if recordBytes > 0 {
            recordBytes -= 1
            if header.first == 22 { takeHandshake(byte) }
            if recordBytes == 0 { header = [] }
            return
        }
        header.append(byte)
        switch header.count {
        case 1: if !(20...24).contains(byte) { end(isForeign: true) }
        case 2: if byte != 3 { end(isForeign: true) }
        case 5:
            recordBytes = Int(header[3]) << 8 | Int(header[4])
            // After ChangeCipherSpec, and in application data, everything is encrypted.
            if header[0] == 20 || header[0] == 23 { end() }
            if recordBytes == 0 { header = [] }
        default: break
        }
    }

    private mutating func takeHandshake(_ byte: UInt8) {
        if messageBytes > 0 {
            messageBytes -= 1
            return
        }
        message.append(byte)
        guard message.count == 4 else { return }
        if message[0] == Self.certificateRequest { asksForCertificate = true }
        messageBytes = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        message = []
    }

    private mutating func end(isForeign: Bool = false) {
        // The library checks everything after the first record.
        self.isForeign = isForeign && beginning.count <= 2
        isOver = true
    }

    /// The first line received that is not empty, in printable form.
    var firstLine: String {
        let line = beginning.split { $0 == 0x0D || $0 == 0x0A }.first ?? []
        return ForeignText.shown(line, limit: Self.maximumBeginning)
    }
}

/// Reads the server's bytes on their way to the TLS library, until the certificates are known.
final class TLSOpeningHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var opening = TLSOpening()
    private var flight: ServerFlight? = ServerFlight()
    private let secrets: HandshakeSecrets
    /// The client random, which identifies the connection.
    private var random: [UInt8]?

    init(secrets: HandshakeSecrets) { self.secrets = secrets }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // A record header, a message header and a version precede it (RFC 8446, sections 4.1.2 and 5.1).
        let bytes = unwrapOutboundIn(data)
        if random == nil, flight != nil, let random = bytes.getBytes(at: bytes.readerIndex + 11, length: 32) {
            self.random = random
            secrets.expect(random)
        }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data).readableBytesView
        opening.take(bytes)
        flight?.append(bytes)
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) { forget() }

    /// Drops the bytes unread: the library has handed the certificates over.
    func forget() {
        if let random { secrets.take(random) }
        (flight, random) = (nil, nil)
    }

    /// Returns the server's certificates, its own first; later calls return none.
    func certificates() -> [[UInt8]] {
        defer { (flight, random) = (nil, nil) }
        return flight?.certificates(secret: random.flatMap { secrets.take($0) }) ?? []
    }
}
