internal import CTestbed
internal import Glibc

/// A buffer that splits the bytes that are read into lines.
///
/// Bytes that fill the whole buffer without the end of a line are discarded.
struct LineBuffer {
    private var bytes = [UInt8](repeating: 0, count: 256 << 10)
    private var count = 0

    /// The result of one read.
    enum Filled {
        /// Bytes were read; CLOCK_MONOTONIC directly afterwards.
        case bytes(at: UInt64)
        /// The socket's timeout expired, a signal interrupted the read, or the kernel reported an overrun: read again.
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

    /// Calls a closure with each complete line, without its terminator, and keeps the rest.
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

    /// Calls a closure with all bytes at once, and empties the buffer.
    mutating func takeAll(_ body: (UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        count = 0
    }
}
