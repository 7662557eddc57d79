import Foundation

/// A service manager that takes notices and does nothing.
final class FakeManager {
    private let descriptor: CInt
    private let path: String?

    init(at name: String) throws {
        path = name.hasPrefix("/") ? name : nil
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        // A notice that does not come fails the test, and does not hang it.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if name.hasPrefix("@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (name.hasPrefix("/") ? 1 : 0))
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The next datagram.
    func next() -> String {
        var bytes = [UInt8](repeating: 0, count: 8192)
        // With a time limit recv(2) is not begun again after a signal (signal(7)), and other tests send some.
        var count = -1
        repeat { count = recv(descriptor, &bytes, bytes.count, 0) } while count < 0 && errno == EINTR
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
