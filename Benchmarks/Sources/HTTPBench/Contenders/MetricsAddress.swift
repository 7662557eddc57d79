internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import WebTestbed

/// The address at which `/metrics` is served.
enum MetricsAddress {
    /// A TCP port of the loopback interface.
    case port(UInt16)
    /// The path of a Unix domain socket.
    case socket(String)

    /// Returns a connected, blocking socket whose reads time out after ten seconds.
    func connect() throws(BenchmarkError) -> Int32 {
        let descriptor: Int32
        switch self {
        case .port(let port): descriptor = try Loopback.connect(to: port)
        case .socket(let path):
            descriptor = testbed_connect(path)
            guard descriptor >= 0 else { throw BenchmarkError("connect to \(path)", errno: errno) }
        }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }
}
