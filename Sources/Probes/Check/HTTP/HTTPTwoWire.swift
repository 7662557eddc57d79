internal import NIOCore

/// Reads the headers of the server's frames (RFC 9113, section 4.1) on their way to the HTTP/2 library.
///
/// The library closes a stream in the same way for a reset by the server and for a protocol error; only the frames tell
/// the two apart.
final class HTTPTwoWire: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private static let headerBytes = 9
    private static let resetStream: UInt8 = 3

    private let exchanges: HTTPTwoExchanges
    private var header: [UInt8] = []
    private var payload: [UInt8] = []
    private var payloadLeft = 0

    init(_ exchanges: HTTPTwoExchanges) { self.exchanges = exchanges }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        take(unwrapInboundIn(data).readableBytesView)
        context.fireChannelRead(data)
    }

    private func take(_ bytes: ByteBufferView) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if payloadLeft > 0 {
                let piece = rest.prefix(payloadLeft)
                if isReset { payload += piece }
                payloadLeft -= piece.count
                rest = rest.dropFirst(piece.count)
            } else {
                let piece = rest.prefix(Self.headerBytes - header.count)
                header += piece
                rest = rest.dropFirst(piece.count)
                guard header.count == Self.headerBytes else { return }
                payloadLeft = Int(header[0]) << 16 | Int(header[1]) << 8 | Int(header[2])
            }
            if payloadLeft == 0 { endFrame() }
        }
    }

    /// `true` for an RST_STREAM frame of the mandatory size; the library rejects others.
    private var isReset: Bool { header[3] == Self.resetStream && header[..<3].elementsEqual([0, 0, 4]) }

    private func endFrame() {
        if isReset, payload.count == 4 { exchanges.reset(with: payload.reduce(0) { $0 << 8 | UInt32($1) }) }
        header.removeAll(keepingCapacity: true)
        payload.removeAll(keepingCapacity: true)
    }
}
