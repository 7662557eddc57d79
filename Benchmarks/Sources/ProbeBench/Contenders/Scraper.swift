internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// Fetches a page again and again over connections that are kept, as Prometheus does.
struct Scraper {
    struct Result {
        var latencies = LatencyHistogram()
        /// Pages that do not say that the probe succeeded.
        var failures = 0
    }

    /// A connection, and the page that is under way on it.
    private struct Connection {
        let descriptor: Int32
        var bytes: [UInt8] = []
        var started: UInt64 = 0
    }

    let port: UInt16
    let path: String
    let concurrency: Int

    private static let timeoutMilliseconds: Int32 = 20_000

    /// Fetches so many pages.
    func fetch(_ count: Int) throws(BenchmarkError) -> Result {
        var result = Result()
        var connections: [Connection] = []
        defer { for connection in connections { close(connection.descriptor) } }
        var left = count
        while connections.count < concurrency, left > 0 {
            connections.append(Connection(descriptor: try Loopback.connect(to: port)))
            try ask(&connections[connections.count - 1])
            left -= 1
        }
        var waiting = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var underWay = connections.count
        while underWay > 0 {
            guard poll(&waiting, nfds_t(waiting.count), Self.timeoutMilliseconds) > 0 else {
                throw BenchmarkError("fetch \(path)", cause: "no answer")
            }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard let page = try receive(&connections[index]) else { continue }
                let latency = MonotonicClock.nanoseconds - connections[index].started
                if !result.latencies.record(latency) || !page.showsSuccess { result.failures += 1 }
                if left > 0 {
                    left -= 1
                    try ask(&connections[index])
                } else {
                    underWay -= 1
                    // poll(2) passes over it.
                    waiting[index].fd = -1
                }
            }
        }
        return result
    }

    private func ask(_ connection: inout Connection) throws(BenchmarkError) {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8)
        connection.bytes.removeAll(keepingCapacity: true)
        connection.started = MonotonicClock.nanoseconds
        guard send(connection.descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchmarkError("fetch \(path)", errno: errno)
        }
    }

    /// Takes what has come; the page once it is complete.
    private func receive(_ connection: inout Connection) throws(BenchmarkError) -> ScrapedPage? {
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(connection.descriptor, &chunk, chunk.count, 0)
        guard count > 0 else {
            throw BenchmarkError("fetch \(path)", cause: count < 0 ? String(cString: strerror(errno)) : "closed early")
        }
        connection.bytes += chunk[..<count]
        return ScrapedPage(connection.bytes)
    }
}
