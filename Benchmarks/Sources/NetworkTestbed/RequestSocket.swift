package import BenchmarkKit
internal import CTestbed
internal import Glibc

/// A socket for requests, bound to the network namespace in which it was opened wherever the thread goes later.
package final class RequestSocket {
    private let descriptor: Int32

    package init() throws(BenchmarkError) {
        descriptor = testbed_open_route_socket(0)
        guard descriptor >= 0 else { throw BenchmarkError("open a netlink socket", errno: errno) }
    }

    deinit { close(descriptor) }

    /// Sends requests, of which the last asks for an acknowledgement, and waits for that.
    ///
    /// - Returns: CLOCK_MONOTONIC just before the first byte was handed to the kernel.
    @discardableResult
    package func perform(_ request: NetlinkRequest, _ operation: @autoclosure () -> String) throws(BenchmarkError)
        -> UInt64
    {
        let started = testbed_now()
        guard send(descriptor, request.bytes, request.bytes.count, 0) == request.bytes.count else {
            throw BenchmarkError(operation(), errno: errno)
        }
        try awaitAnswer(operation())
        return started
    }

    /// Reads up to the first error or acknowledgement.
    ///
    /// An error in the middle of a batch counts as the batch's.
    private func awaitAnswer(_ operation: @autoclosure () -> String) throws(BenchmarkError) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= MemoryLayout<nlmsghdr>.size + MemoryLayout<Int32>.size else {
            throw BenchmarkError(operation(), cause: count < 0 ? String(cString: strerror(errno)) : "a short answer")
        }
        let (type, code) = buffer.withUnsafeBytes {
            (
                $0.loadUnaligned(fromByteOffset: 4, as: UInt16.self),
                $0.loadUnaligned(fromByteOffset: MemoryLayout<nlmsghdr>.size, as: Int32.self)
            )
        }
        guard type == UInt16(NLMSG_ERROR), code == 0 else {
            throw BenchmarkError(operation(), errno: code < 0 ? -code : EPROTO)
        }
    }
}
