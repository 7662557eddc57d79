import Glibc
import NIOCore
import NIOPosix

/// Reads a program's output as soon as it is available, while the program runs.
///
/// Used only on the loop.
final class HookOutputReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private var buffer = HookOutputBuffer()
    private var channel: (any Channel)?
    /// A duplicate descriptor of the pipe: the channel's may be closed at any time.
    private let descriptor: Int32

    /// - Throws: `HookStreams.Refusal` when there is no descriptor left.
    init(_ reader: Int32) throws(HookStreams.Refusal) {
        descriptor = fcntl(reader, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw HookStreams.Refusal(action: "copy a descriptor", number: errno) }
    }

    /// The output so far.
    var output: HookOutput { buffer.output }

    /// Starts to read, and takes ownership of `reader`; the future completes when reading has started.
    func begin(_ reader: Int32, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let bound = NIOLoopBound(self, eventLoop: loop)
        return NIOPipeBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(bound.value) }
            }
            .takingOwnershipOfDescriptor(input: reader)
            .flatMapErrorThrowing { error in
                close(reader)
                throw error
            }
            .map { bound.value.channel = $0 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        unwrapInboundIn(data).withUnsafeReadableBytes { buffer.append($0) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    /// Reads the rest of the pipe, and closes it.
    ///
    /// The program has ended, so this includes all of its own output. Later output is not read: processes left behind
    /// may hold the pipe, and write to it, forever.
    func finish() -> HookOutput {
        var rest = HookStreams.waiting(in: descriptor)
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while rest > 0 {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, min(rest, $0.count)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            chunk.withUnsafeBytes { buffer.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            rest -= count
        }
        close(descriptor)
        channel?.close(promise: nil)
        channel = nil
        return buffer.output
    }
}
