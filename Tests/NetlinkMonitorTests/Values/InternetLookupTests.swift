internal import Testing

@testable internal import NetlinkMonitor

/// The selection of the answer that stands for "the Internet".
struct InternetLookupTests {
    /// The kernel's answer for one of the addresses that stand for the Internet.
    enum Answer: Sendable {
        case byDefault(UInt32)
        case byPrefix(Int, UInt32)
        case withoutEntry(UInt32)
        case refused
        case notAsked
    }

    /// The answers in the order of preference, and the interface of the one that counts.
    struct Row: Sendable {
        let answers: [Answer]
        let interface: UInt32?
        init(_ answers: Answer..., is interface: UInt32?) {
            self.answers = answers
            self.interface = interface
        }
    }

    @Test(
        "the first answer from a default route counts, or else the first with a route",
        arguments: [
            Row(.byDefault(1), .byDefault(2), is: 1),
            Row(.byPrefix(24, 1), .byDefault(2), is: 2),
            Row(.byPrefix(1, 1), .byDefault(2), is: 1),
            Row(.byPrefix(2, 1), .byPrefix(3, 2), is: 1),
            Row(.refused, .byDefault(2), is: 2),
            Row(.refused, .byPrefix(24, 2), is: 2),
            Row(.withoutEntry(1), .byDefault(2), is: 2),
            Row(.withoutEntry(1), .refused, is: 1),
            Row(.refused, .refused, is: nil),
            Row(.notAsked, .byPrefix(8, 2), is: 2),
            Row(.notAsked, .notAsked, is: nil),
        ]
    )
    func preference(_ row: Row) throws {
        let addresses = try ["198.41.0.4", "193.0.14.129"].map(ip)
        let lookups = try zip(addresses, row.answers).compactMap { try lookup($0, $1) }
        // Lookups of the other family do not count.
        let other = try #require(try lookup(try ip("2001:7fd::1"), .byDefault(9)))
        let snapshot = NetworkSnapshot(
            lookups: lookups + [other],
            internetAddresses: [other.destination] + addresses
        )
        #expect(snapshot.internetLookup(.ipv4)?.route?.interfaceIndex == row.interface)
        #expect((snapshot.internetLookup(.ipv4) == nil) == lookups.isEmpty)
        #expect(snapshot.internetLookup(.ipv6)?.route?.interfaceIndex == 9)
    }

    private func lookup(_ address: IPAddress, _ answer: Answer) throws -> RouteLookup? {
        func found(_ interface: UInt32, _ length: Int?) throws -> RouteLookup {
            let prefix = try length.map { try #require(IPPrefix(address: address, length: $0)) }
            return RouteLookup(
                destination: address,
                outcome: .route(ResolvedRoute(interfaceIndex: interface)),
                matched: prefix.map { Route(destination: $0) }
            )
        }
        switch answer {
        case .byDefault(let interface): return try found(interface, 0)
        case .byPrefix(let length, let interface): return try found(interface, length)
        case .withoutEntry(let interface): return try found(interface, nil)
        case .refused: return RouteLookup(destination: address, outcome: .refused(.noRoute))
        case .notAsked: return nil
        }
    }

    @Test(
        "a prefix counts as part of a default route up to /1 in IPv4 and /4 in IPv6",
        arguments: [
            ("0.0.0.0/0", true), ("128.0.0.0/1", true), ("192.0.0.0/2", false), ("2000::/4", true), ("2000::/5", false),
        ]
    )
    func defaultParts(text: String, isDefault: Bool) throws {
        let route = Route(destination: try prefix(text))
        let lookup = RouteLookup(
            destination: route.destination.address,
            outcome: .route(ResolvedRoute(interfaceIndex: 1)),
            matched: route
        )
        #expect(lookup.isAnsweredByDefault == isDefault)
    }
}
