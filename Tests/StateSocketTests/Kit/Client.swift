import AgentEvents
import Glibc

/// A client as anybody writes one: a socket, bytes, and lines.
final class Client {
    struct Failure: Error {
        var operation: String
        var number: Int32
    }

    let descriptor: Int32
    private var buffer: [UInt8] = []
    private(set) var isAtEnd = false

    init(_ path: String, type: Int32 = Int32(SOCK_STREAM.rawValue)) throws {
        descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { throw Failure(operation: "socket", number: errno) }
        // Only against a test that would hang.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setReceiveTimeout(milliseconds: 20_000)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw Failure(operation: "connect", number: errno) }
    }

    /// Connects to a TCP port of this machine, from the address 127.0.0.`host`.
    init(port: UInt16, host: UInt8 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(operation: "socket", number: errno) }
        setReceiveTimeout(milliseconds: 20_000)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0000 | UInt32(host)).bigEndian
        // Else a server could not listen at all addresses on the port that this socket gets (FreePort).
        var isShared: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isShared, socklen_t(MemoryLayout<Int32>.size))
        guard call(bind, address) == 0 else { throw Failure(operation: "bind", number: errno) }
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard call(connect, address) == 0 else { throw Failure(operation: "connect", number: errno) }
    }

    /// Connects to a TCP port of this machine at 127.0.0.1, by a socket of IPv6.
    init(portOverIPv6 port: UInt16) throws {
        descriptor = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(operation: "socket", number: errno) }
        setReceiveTimeout(milliseconds: 20_000)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr)
        guard call(connect, address) == 0 else { throw Failure(operation: "connect", number: errno) }
    }

    private func call<Address>(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ address: Address
    ) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// The next bytes as a text.
    func text(_ count: Int) throws -> String {
        while buffer.count < count, try receive() {}
        defer { buffer.removeFirst(min(count, buffer.count)) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    func setReceiveTimeout(milliseconds: Int) {
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Failure(operation: "send", number: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends as much as goes without waiting; gives how much that was.
    func sendWithoutWaiting(_ bytes: [UInt8]) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        return bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
    }

    /// Sends these bytes again and again, until the server has read nothing for 100 ms; gives how much that was, up to
    /// a limit.
    ///
    /// Nothing reports that a server reads no more: its silence is all that can be seen.
    func sendWhileRead(_ bytes: [UInt8], limit: Int) -> Int {
        var sent = 0
        while sent < limit {
            let count = sendWithoutWaiting(bytes)
            if count > 0 {
                sent += count
                continue
            }
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&entry, 1, 100) == 1, entry.revents == Int16(POLLOUT) else { break }
        }
        return sent
    }

    /// Discards what has arrived; gives the error of the connection: 0 at its end, EAGAIN while it is open.
    func discardWithoutWaiting() -> Int32 {
        var room = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(descriptor, &room, room.count, Int32(MSG_DONTWAIT))
            if count <= 0 { return count < 0 ? errno : 0 }
        }
    }

    func shutSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// The next line; `nil` at the end.
    func line() throws -> String? { try lineBytes().map { String(decoding: $0, as: UTF8.self) } }

    func lineBytes() throws -> ArraySlice<UInt8>? {
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return buffer[..<end]
            }
            searched = buffer.count
            guard try receive() else { return nil }
        }
    }

    /// All lines to the end.
    func linesToEnd() throws -> [String] {
        while try receive() {}
        return buffer.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    func lines(_ count: Int) throws -> [String] {
        var lines: [String] = []
        while lines.count < count, let line = try line() { lines.append(line) }
        return lines
    }

    /// Reads until a numbered event with the number comes; gives all numbers.
    ///
    /// With the C library's searches: tests read millions of lines, and are not optimised.
    func sequences(through last: UInt64) throws -> [UInt64] {
        var found: [UInt64] = []
        while true {
            // strstr(3) needs an end.
            buffer.append(0)
            let used = buffer.withUnsafeBytes { bytes in
                var position = 0
                while found.last ?? 0 < last, let start = bytes.baseAddress.map({ $0 + position }),
                    let end = memchr(start, 10, bytes.count - position)
                {
                    let length = UnsafeRawPointer(end) - start
                    let text = start.assumingMemoryBound(to: CChar.self)
                    if let name = strstr(text, #","seq":"#), UnsafePointer(name) - text < length {
                        found.append(UInt64(strtoull(name + 7, nil, 10)))
                    }
                    position += length + 1
                }
                return position
            }
            buffer.removeLast()
            buffer.removeFirst(used)
            if found.last ?? 0 >= last { return found }
            guard try receive() else { return found }
        }
    }

    static func sequence(of line: [UInt8]) -> UInt64? {
        let prefix = Array("{\"parameters\":".utf8)
        let suffix = Array(",\"continues\":true}".utf8)
        let isReply = line.starts(with: prefix) && line.count > prefix.count + suffix.count
        let event = isReply ? Array(line.dropFirst(prefix.count).dropLast(suffix.count)) : line
        return ScannedLine(event.span)?.sequence
    }

    private func receive() throws -> Bool {
        var room = [UInt8](repeating: 0, count: 65_536)
        var count = recv(descriptor, &room, room.count, 0)
        while count < 0, errno == EINTR { count = recv(descriptor, &room, room.count, 0) }
        guard count >= 0 else { throw Failure(operation: "recv", number: errno) }
        buffer.append(contentsOf: room.prefix(count))
        if count == 0 { isAtEnd = true }
        return count > 0
    }
}
