internal import BenchmarkKit
internal import Glibc
internal import WebTestbed

/// Fetches `/metrics` over a connection that is kept, as Prometheus does.
final class Scraper {
    /// Uncompressed: what differs is to be the making of the page.
    private static let request = Array(
        "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain;version=0.0.4\r\n\r\n".utf8
    )

    private let descriptor: Int32
    private var chunk = [UInt8](repeating: 0, count: 256 << 10)

    init(_ address: MetricsAddress) throws(BenchmarkError) { descriptor = try address.connect() }

    deinit { close(descriptor) }

    /// Fetches the page; one whose status is not 200 is an error.
    func page() throws(BenchmarkError) -> HTTPPage {
        guard send(descriptor, Self.request, Self.request.count, Int32(MSG_NOSIGNAL)) == Self.request.count else {
            throw BenchmarkError("ask for /metrics", errno: errno)
        }
        var bytes: [UInt8] = []
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else {
                throw BenchmarkError("fetch /metrics", cause: count < 0 ? String(cString: strerror(errno)) : "no page")
            }
            bytes += chunk[..<count]
            guard let page = HTTPPage(bytes) else { continue }
            guard page.status == 200 else {
                throw BenchmarkError("fetch /metrics", cause: "\(page.status) \(page.lines.first ?? "")")
            }
            return page
        }
    }
}
