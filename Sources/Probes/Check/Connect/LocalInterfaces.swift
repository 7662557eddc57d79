internal import CheckResults
internal import Glibc
internal import NIOCore
internal import Synchronization

/// Maps local addresses to interfaces, with getifaddrs(3).
///
/// The list is cached for five seconds: it requires a dump of all addresses, which is too expensive for a check every
/// few milliseconds.
final class LocalInterfaces: Sendable {
    /// The table of this process.
    static let shared = LocalInterfaces()

    private static let lifetime = TimeAmount.seconds(5)

    private struct Table {
        var names: [[UInt8]: String] = [:]
        var end = NIODeadline.uptimeNanoseconds(0)
    }

    private let table = Mutex(Table())

    /// Returns the interface that has the address; nil when none has, or more than one.
    func name(of address: [UInt8]) -> String? { entry(address).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns whether an interface of this machine has the address, which may be newer than the list.
    func contain(_ address: [UInt8]) -> Bool {
        if entry(address) != nil { return true }
        table.withLock { $0.end = .now() }
        return entry(address) != nil
    }

    private func entry(_ address: [UInt8]) -> String? {
        table.withLock { table in
            if table.end <= .now() { table = Table(names: Self.read(), end: .now() + Self.lifetime) }
            return table.names[address]
        }
    }

    /// Reads the interfaces by address; an address on two interfaces gets an empty name.
    private static func read() -> [[UInt8]: String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [:] }
        defer { freeifaddrs(list) }
        var names: [[UInt8]: String] = [:]
        var entry = list
        while let current = entry?.pointee {
            if let address = current.ifa_addr, let bytes = bytes(address), let name = current.ifa_name {
                let text = String(cString: name)
                names[bytes] = names[bytes].map { $0 == text ? text : "" } ?? text
            }
            entry = current.ifa_next
        }
        return names
    }

    private static func bytes(_ address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
        let pointer = UnsafeRawPointer(address)
        // getifaddrs(3) returns no lengths; the family determines them.
        let count: Int
        switch CInt(pointer.load(as: sa_family_t.self)) {
        case AF_INET: count = MemoryLayout<sockaddr_in>.size
        case AF_INET6: count = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        return HostAddress(socketAddress: UnsafeRawBufferPointer(start: pointer, count: count))?.bytes
    }
}
