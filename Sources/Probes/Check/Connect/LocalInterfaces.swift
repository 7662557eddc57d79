internal import CheckResults
internal import Glibc
internal import NIOCore
internal import Synchronization

/// Maps local addresses to interfaces, with getifaddrs(3).
///
/// The list is cached for five seconds: it requires a dump of all addresses, which is too expensive for a check every
/// few milliseconds. An address that it lacks may be newer than the list, which is then read again.
final class LocalInterfaces: Sendable {
    /// The table of this process.
    static let shared = LocalInterfaces()

    /// The maximum number of times that ``name(of:)`` reads the list again within its lifetime.
    private static let maximumRereads = 8

    private struct Table {
        var names: [[UInt8]: String] = [:]
        var end = NIODeadline.uptimeNanoseconds(0)
        var rereads = 0
    }

    private let table = Mutex(Table())
    private let lifetime: TimeAmount
    private let read: @Sendable () -> [[UInt8]: String]

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - lifetime: The time for which the list is cached.
    ///   - read: Returns the interfaces by address; an address on two interfaces has an empty name.
    init(
        lifetime: TimeAmount = .seconds(5),
        read: @escaping @Sendable () -> [[UInt8]: String] = LocalInterfaces.readAddresses
    ) {
        (self.lifetime, self.read) = (lifetime, read)
    }

    /// Returns the interface that has the address; nil when none has, or more than one.
    func name(of address: [UInt8]) -> String? {
        table.withLock { table in
            refresh(&table)
            if table.names[address] == nil, table.rereads < Self.maximumRereads {
                table.rereads += 1
                table.names = read()
            }
            return table.names[address].flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// Returns whether an interface of this machine has the address.
    func contain(_ address: [UInt8]) -> Bool {
        table.withLock { table in
            refresh(&table)
            if table.names[address] == nil { table.names = read() }
            return table.names[address] != nil
        }
    }

    private func refresh(_ table: inout Table) {
        if table.end <= .now() { table = Table(names: read(), end: .now() + lifetime) }
    }

    @Sendable
    private static func readAddresses() -> [[UInt8]: String] {
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
