import Glibc
import Synchronization

/// The thread of a ``TCPLink``.
struct TCPLinkLoop {
    /// The number of bytes under way in one direction, from which on its sender is not read any more.
    private static let maximumBytes = 1 << 20

    private let listener: Int32
    private let server: UInt16
    private let control: TCPLinkControl
    private var quality: TCPLinkQuality
    private var pairs: [Pair] = []

    /// Bytes under way.
    private struct Direction {
        /// The bytes with the moment of their arrival; none at the end of the stream.
        var segments: [(due: ContinuousClock.Instant, bytes: ArraySlice<UInt8>)] = []
        var bytes = 0
        /// True when the sender has ended.
        var isEnded = false
        /// True when the receiver knows of it.
        var hasArrived = false

        func isDue(_ now: ContinuousClock.Instant) -> Bool { segments.first.map { $0.due <= now } ?? false }
    }

    /// A connection: to the client, and to the server.
    private struct Pair {
        let client: Int32
        let server: Int32
        var up = Direction()
        var down = Direction()
        var isBroken = false

        var isOver: Bool { isBroken || up.hasArrived && down.hasArrived }
    }

    init(_ listener: Int32, _ server: UInt16, _ quality: TCPLinkQuality, _ control: TCPLinkControl) {
        self.listener = listener
        self.server = server
        self.quality = quality
        self.control = control
    }

    /// Forwards until it is to end.
    mutating func run() {
        defer {
            close(listener)
            for pair in pairs { Self.reset(pair) }
        }
        while true {
            let (orders, ready) = wait()
            guard !orders.isEnded else { return }
            if orders.isCut {
                for pair in pairs { Self.reset(pair) }
                pairs = []
                continue
            }
            for index in pairs.indices {
                move(index, \.up, from: pairs[index].client, to: pairs[index].server, ready)
                move(index, \.down, from: pairs[index].server, to: pairs[index].client, ready)
            }
            for pair in pairs where pair.isOver { Self.reset(pair) }
            pairs.removeAll(where: \.isOver)
            if ready[listener] != nil { accept() }
        }
    }

    /// Sleeps until something is to be done; returns the orders, and the events of the descriptors that are ready.
    private func wait() -> (TCPLinkControl.State, [Int32: Int16]) {
        let now = ContinuousClock.now
        var entries = [pollfd(fd: control.descriptor, events: Int16(POLLIN), revents: 0)]
        entries.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
        var next: ContinuousClock.Instant?
        for pair in pairs {
            for (descriptor, read, write) in [(pair.client, pair.up, pair.down), (pair.server, pair.down, pair.up)] {
                var events: Int32 = 0
                if !read.isEnded, read.bytes < Self.maximumBytes { events |= POLLIN }
                if write.isDue(now) {
                    events |= POLLOUT
                } else if let due = write.segments.first?.due {
                    next = min(next ?? due, due)
                }
                // An end that is known already would be told again and again.
                entries.append(pollfd(fd: events == 0 ? -1 : descriptor, events: Int16(events), revents: 0))
            }
        }
        let milliseconds = next.map { Int32(clamping: Int64(now.duration(to: $0) / .milliseconds(1)) + 1) } ?? -1
        _ = poll(&entries, nfds_t(entries.count), milliseconds)
        var byte = [UInt8](repeating: 0, count: 64)
        _ = read(control.descriptor, &byte, byte.count)
        let orders = control.state.withLock { state in
            defer { state.isCut = false }
            return state
        }
        let ready = entries.filter { $0.revents != 0 }.map { ($0.fd, $0.revents) }
        return (orders, Dictionary(ready) { first, _ in first })
    }

    private mutating func accept() {
        let client = Glibc.accept(listener, nil, nil)
        guard client >= 0 else { return }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        let upstream = Self.socket()
        var address = Self.loopback(server)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(upstream, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        control.state.withLock { $0.connections += 1 }
        let pair = Pair(client: client, server: upstream)
        guard result == 0 else { return Self.reset(pair) }
        for descriptor in [client, upstream] {
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        pairs.append(pair)
    }

    private mutating func move(
        _ index: Int,
        _ direction: WritableKeyPath<Pair, Direction>,
        from sender: Int32,
        to receiver: Int32,
        _ ready: [Int32: Int16]
    ) {
        guard !pairs[index].isBroken else { return }
        var flow = pairs[index][keyPath: direction]
        let now = ContinuousClock.now
        if !flow.isEnded, flow.bytes < Self.maximumBytes, ready[sender] != nil {
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(sender, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            if count >= 0 {
                // Nothing overtakes what was sent before.
                let due = max(now + quality.travel(), flow.segments.last?.due ?? now)
                flow.segments.append((due, chunk[..<count]))
                flow.bytes += count
                flow.isEnded = count == 0
            } else if errno != EAGAIN, errno != EINTR {
                pairs[index].isBroken = true
            }
        }
        while flow.isDue(now), let first = flow.segments.first {
            if first.bytes.isEmpty {
                shutdown(receiver, Int32(SHUT_WR))
                flow.hasArrived = true
                flow.segments.removeFirst()
                break
            }
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = first.bytes.withUnsafeBytes { send(receiver, $0.baseAddress, $0.count, flags) }
            guard count > 0 else {
                if errno != EAGAIN, errno != EINTR { pairs[index].isBroken = true }
                break
            }
            flow.bytes -= count
            if count == first.bytes.count {
                flow.segments.removeFirst()
            } else {
                flow.segments[0].bytes = first.bytes.dropFirst(count)
            }
        }
        pairs[index][keyPath: direction] = flow
    }

    /// Closes both ends with a reset.
    private static func reset(_ pair: Pair) {
        for descriptor in [pair.client, pair.server] {
            // Where both ends have ended in order, there is nothing left to be reset.
            if !(pair.up.hasArrived && pair.down.hasArrived) {
                var now = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            }
            close(descriptor)
        }
    }

    static func socket(_ flags: __socket_type? = nil) -> Int32 {
        let more = flags.map { Int32($0.rawValue) } ?? 0
        return Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | more, 0)
    }

    static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
