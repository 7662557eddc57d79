package import BenchmarkKit
internal import Glibc

/// TCP on 127.0.0.1.
package enum Loopback {
    /// A port that nobody listens on at this moment.
    package static func freePort() throws(BenchmarkError) -> UInt16 {
        let descriptor = try socket()
        defer { close(descriptor) }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var bound = sockaddr_in()
        let result = withAddress(port: 0) { bind(descriptor, $0, $1) }
        let named = withUnsafeMutableBytes(of: &bound) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
        }
        guard result == 0, named == 0 else { throw BenchmarkError("find a free port", errno: errno) }
        return UInt16(bigEndian: bound.sin_port)
    }

    /// A connected socket that blocks.
    package static func connect(to port: UInt16) throws(BenchmarkError) -> Int32 {
        let descriptor = try socket()
        guard withAddress(port: port, { Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let error = BenchmarkError("connect to 127.0.0.1:\(port)", errno: errno)
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Waits until a server listens; five seconds at the most.
    package static func waitForListener(on port: UInt16, of server: ChildProcess, named name: String)
        throws(BenchmarkError)
    {
        for _ in 0..<500 {
            if let descriptor = try? connect(to: port) {
                close(descriptor)
                return
            }
            guard server.isRunning else { break }
            usleep(10_000)
        }
        throw BenchmarkError("start \(name)", cause: "it does not listen on 127.0.0.1:\(port)")
    }

    private static func socket() throws(BenchmarkError) -> Int32 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BenchmarkError("open a socket", errno: errno) }
        return descriptor
    }

    private static func withAddress(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
