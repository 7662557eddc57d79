internal import CTestbed
internal import Glibc

/// Bytes as they come, cut at the ends of lines.
///
/// A line of more than the buffer's size is thrown away.
struct LineBuffer {
    private var bytes = [UInt8](repeating: 0, count: 256 << 10)
    private var count = 0

    /// What one read came to.
    enum Filled {
        /// There are bytes; CLOCK_MONOTONIC directly after they were read.
        case bytes(at: UInt64)
        /// Nothing came within the socket's time-out, or the kernel told of a loss: read again.
        case nothing
        case end
    }

    /// Reads once.
    mutating func fill(from descriptor: Int32) -> Filled {
        if count == bytes.count { count = 0 }
        let free = bytes.count - count
        let result = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress.map { $0 + count }, free) }
        let time = testbed_now()
        if result > 0 {
            count += result
            return .bytes(at: time)
        }
        return result < 0 && [EINTR, EAGAIN, ENOBUFS].contains(errno) ? .nothing : .end
    }

    /// Hands out the complete lines, without their ends, and keeps the rest.
    mutating func forEachLine(_ body: (UnsafeRawBufferPointer) -> Void) {
        var start = 0
        bytes.withUnsafeBytes { all in
            while let base = all.baseAddress, let end = memchr(base + start, 0x0A, count - start) {
                let length = UnsafeRawPointer(end) - (base + start)
                body(UnsafeRawBufferPointer(rebasing: all[start..<start + length]))
                start += length + 1
            }
        }
        bytes.withUnsafeMutableBytes { all in
            guard start > 0, let base = all.baseAddress else { return }
            memmove(base, base + start, count - start)
        }
        count -= start
    }

    /// Hands out everything as one.
    mutating func takeAll(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        count = 0
    }
}
