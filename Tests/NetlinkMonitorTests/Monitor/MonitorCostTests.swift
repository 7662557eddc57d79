import AgentTestKit
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The cost of many addresses and routes: twice as many take about twice the time.
struct MonitorCostTests {
    private static let counts = [1000, 2000, 4000]

    /// A started monitor without a default route, which looks up all of so many addresses, half of each family.
    private static func harness(_ count: Int) throws -> CoreHarness {
        let numbers = 0..<count / 2
        let addresses =
            try numbers.map { try ip("198.18.\($0 >> 8).\($0 & 0xFF)") }
            + numbers.map { try ip("2001:db8::\(String($0, radix: 16))") }
        let harness = try CoreHarness(internetAddresses: addresses)
        harness.network.setDefault(nil)
        harness.network.addresses = [
            InterfaceAddress(interfaceIndex: 2, address: try ip("192.0.2.7"), prefixLength: 24),
            InterfaceAddress(interfaceIndex: 2, address: try ip("2001:db8:1::7"), prefixLength: 64),
        ]
        try harness.start()
        return harness
    }

    /// Adds an IPv4 default route, and removes it again; returns the numbers of the further lookups after each step.
    private static func toggleRoute(_ harness: CoreHarness) -> [Int] {
        harness.network.setDefault(2)
        let routes = harness.network.defaultRoutes
        var counts: [Int] = []
        for isPresent in [true, false] {
            let messages = routes.map { isPresent ? MessageBuilder.route($0) : .routeRemoved($0) }
            harness.network.setDefault(isPresent ? 2 : nil)
            harness.queue.entries.append(.datagram(NetlinkDatagram(messages)))
            harness.turn()
            counts.append(harness.core.furtherQuestions.count)
        }
        return counts
    }

    @Test func `a default route that comes and goes costs no more than the addresses are many`() throws {
        let growth = try CostGrowth.measure(Self.counts.count, noise: 0.01) { index in
            let count = Self.counts[index]
            let harness = try Self.harness(count)
            #expect(harness.core.furtherQuestions.count == count - 2)
            var further: [Int] = []
            let seconds = CostGrowth.seconds { further = Self.toggleRoute(harness) }
            // With a default route in IPv4, only IPv6 is looked up further.
            #expect(further == [count / 2 - 1, count - 2])
            return seconds
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test func `routes that lookups no longer find are found at a cost that grows with the number of both`() throws {
        let growth = try CostGrowth.measure(Self.counts.count, noise: 0.01) { index in
            let count = Self.counts[index]
            let routes = (0..<count).map { Route(destination: .everything(.ipv4), metric: UInt32($0)) }
            let destination = try ip("192.0.2.7")
            func lookups(_ table: UInt32) -> [RouteLookup] {
                (0..<count).map { number in
                    let route = Route(destination: .everything(.ipv4), table: table, metric: UInt32(number))
                    return RouteLookup(destination: destination, outcome: .refused(.noRoute), matched: route)
                }
            }
            let (other, own) = (lookups(100), lookups(Route.mainTable))
            var results: [Bool] = []
            let seconds = CostGrowth.seconds {
                // None was found before, all are still found, and the last one is no longer found.
                for (old, new) in [(other, own), (own, own), (own, own.dropLast() + other.suffix(1))] {
                    results.append(MonitorCore<ScriptedKernel, ScriptedSource>.haveAbandoned(routes, since: old, new))
                }
            }
            #expect(results == [false, false, true])
            return seconds
        }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test func `a nexthop object that no default route uses costs no reading of tables`() throws {
        let harness = try CoreHarness()
        try harness.start()
        let read = harness.network.tableDumps
        let messages = (1...20).map { MessageBuilder.nextHopObject($0, hop: NextHop(interfaceIndex: 2)) }
        harness.queue.entries = messages.map { .datagram(NetlinkDatagram([$0])) }
        harness.turn()
        while let due = harness.core.wakeDue {
            harness.clock.advance(by: harness.clock.now.instant.duration(to: due))
            harness.turn()
        }
        #expect(harness.network.tableDumps == read)
    }

    @Test func `many routers of one metric cost no more than routes of as many metrics`() throws {
        let count = Self.counts[2]
        let growth = try CostGrowth.measure(2, noise: 0.01) { index in
            let isOneMetric = index == 1
            let harness = try CoreHarness()
            harness.network.defaultRoutes = try (1...count).map { number in
                let router = NextHop(interfaceIndex: 2, gateway: try ip("fe80::\(String(number, radix: 16))"))
                let metric = isOneMetric ? 1024 : UInt32(number)
                return Route(destination: .everything(.ipv6), metric: metric, nextHops: [router])
            }
            let seconds = try CostGrowth.seconds { try harness.start() }
            #expect(harness.lastSnapshot?.defaultRoutes.count == (isOneMetric ? Route.maximumRouters : count))
            return seconds
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
