import Glibc

/// A client of HTTP as anybody writes one.
final class HTTPClient {
    struct Response {
        var status: Int
        var headers: [String: String]
        var body: String
    }

    let client: Client

    init(_ path: String) throws { client = try Client(path) }

    /// Connects to a TCP port of this machine, from the address 127.0.0.`host`.
    init(port: UInt16, host: UInt8 = 1) throws { client = try Client(port: port, host: host) }

    /// Connects to a TCP port of this machine at 127.0.0.1, by a socket of IPv6.
    init(portOverIPv6 port: UInt16) throws { client = try Client(portOverIPv6: port) }

    func send(_ path: String, method: String = "GET", host: String? = "localhost", _ headers: [String] = []) throws {
        let lines = ["\(method) \(path) HTTP/1.1"] + (host.map { ["Host: \($0)"] } ?? []) + headers
        try client.send((lines + ["", ""]).joined(separator: "\r\n"))
    }

    /// Reads a response with a Content-Length, or to the end of the connection.
    func response(isHead: Bool = false) throws -> Response {
        let (status, headers) = try head()
        guard !isHead else { return Response(status: status, headers: headers, body: "") }
        guard let length = headers["content-length"].flatMap({ Int($0) }) else {
            return Response(status: status, headers: headers, body: try client.linesToEnd().joined(separator: "\n"))
        }
        return Response(status: status, headers: headers, body: try client.text(length))
    }

    /// Reads the head of a response.
    func head() throws -> (status: Int, headers: [String: String]) {
        var headers: [String: String] = [:]
        let status = try client.line().map { $0.split(separator: " ") } ?? []
        while let line = try client.line(), line != "\r" {
            let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
            headers[parts[0].lowercased()] = parts.last?.replacing("\r", with: "").replacing(
                " ",
                with: "",
                maxReplacements: 1
            )
        }
        return (status.count > 1 ? Int(status[1]) ?? 0 : 0, headers)
    }

    func get(_ path: String, host: String? = "localhost", _ headers: [String] = []) throws -> Response {
        try send(path, host: host, headers)
        return try response()
    }
}
