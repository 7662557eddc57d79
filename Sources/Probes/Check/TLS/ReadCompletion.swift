internal import NIOCore

/// Stands before the TLS handler, and has it hand over what it decrypted before an error ends the connection.
///
/// The TLS handler keeps that until a read is complete, and a read that ends in an error never is: without this, a reset
/// right behind a complete response would hide the response.
final class ReadCompletion: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireChannelReadComplete()
        context.fireErrorCaught(error)
    }
}
