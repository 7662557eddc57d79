internal import BenchmarkKit
internal import CTestbed
internal import Glibc
internal import WebTestbed

/// Where `/metrics` is served.
enum MetricsAddress {
    /// At a port of the loopback.
    case port(UInt16)
    /// At a socket's path.
    case socket(String)

    /// A connected socket that blocks, and gives up after ten seconds.
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
