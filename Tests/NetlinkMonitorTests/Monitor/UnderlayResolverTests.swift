internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// What is found to carry a tunnel, from the best evidence to the weakest.
struct UnderlayResolverTests {
    /// Answers lookups by destination and mark.
    private struct Answers: KernelQueries {
        var ways: [LookupQuestion: UInt32] = [:]
        func links() -> [LinkMessage] { [] }
        func addresses() -> [InterfaceAddress] { [] }
        func rules() -> [RoutingRule] { [] }
        func defaultRoutes(_ family: AddressFamily, table: UInt32) -> [Route] { [] }
        func lookups(_ questions: [LookupQuestion]) -> [RouteLookup] {
            questions.map { question in
                let outcome = ways[question].map { RouteLookup.Outcome.route(ResolvedRoute(interfaceIndex: $0)) }
                return RouteLookup(destination: question.destination, outcome: outcome ?? .refused(.noRoute))
            }
        }
    }

    private var view: KernelView
    private var kernel = Answers()
    private let internet: IPAddress
    private var tunnel = Link(index: 9, name: "tun0", classification: .init(kind: .tunnel, evidence: []))

    init() throws {
        internet = try ip("198.41.0.4")
        view = KernelView()
        view.links = [
            2: Link(index: 2, name: "eth0", classification: .init(kind: .wired, evidence: [])),
            3: Link(index: 3, name: "wwan0", classification: .init(kind: .wwan, evidence: [])),
            9: tunnel,
        ]
    }

    private mutating func resolve(_ family: AddressFamily = .ipv4) throws -> Underlay? {
        try UnderlayResolver(view: view, internetAddresses: [internet])
            .underlay(of: tunnel, family: family, kernel: &kernel)
    }

    private func defaultRoute(_ interface: UInt32, metric: UInt32, type: RouteType = .unicast) -> Route {
        Route(
            destination: .everything(.ipv4),
            type: type,
            metric: metric,
            nextHops: [NextHop(interfaceIndex: interface)]
        )
    }

    @Test("the kernel's way to the far end comes first")
    mutating func remoteRoute() throws {
        let remote = try ip("203.0.113.9")
        tunnel.tunnelRemote = remote
        tunnel.lowerIndex = 2
        kernel.ways[LookupQuestion(destination: remote)] = 3
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .remoteRoute))
    }

    @Test("a far end without a way, or with one through the tunnel itself, has no underlay")
    mutating func remoteWithoutWay() throws {
        let remote = try ip("203.0.113.9")
        tunnel.tunnelRemote = remote
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .remoteRoute))
        kernel.ways[LookupQuestion(destination: remote)] = 9
        #expect(try resolve() == Underlay(interfaceIndex: nil, evidence: .remoteRoute))
    }

    @Test("then the device that the tunnel was created on, if it is there")
    mutating func lowerDevice() throws {
        tunnel.lowerIndex = 2
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .lowerDevice))
        tunnel.lowerIndex = 77
        #expect(try resolve() == nil)
    }

    @Test("then the way of packets with the mark that wg-quick's rule exempts")
    mutating func markExemption() throws {
        view.rules = [
            RoutingRule(family: .ipv6, priority: 1, table: 51820, mark: 7, isInverted: true),
            RoutingRule(family: .ipv4, priority: 2, table: 100, mark: 5),
            RoutingRule(family: .ipv4, priority: 3, table: 51820, mark: 0xCA6C, isInverted: true),
        ]
        view.defaultRoutes[.ipv4] = [defaultRoute(3, metric: 1)]
        kernel.ways[LookupQuestion(destination: internet)] = 9
        kernel.ways[LookupQuestion(destination: internet, mark: 0xCA6C)] = 2
        #expect(try resolve() == Underlay(interfaceIndex: 2, evidence: .markExemption))
    }

    @Test("at last the best default route that leaves through no tunnel")
    mutating func nextDefaultRoute() throws {
        view.defaultRoutes[.ipv4] = [
            defaultRoute(9, metric: 0), defaultRoute(2, metric: 5, type: .unreachable), defaultRoute(2, metric: 600),
            defaultRoute(3, metric: 100),
        ]
        #expect(try resolve() == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
        #expect(try resolve(.ipv6) == Underlay(interfaceIndex: 3, evidence: .nextDefaultRoute))
    }

    @Test("where nothing tells, nothing is claimed")
    mutating func nothing() throws {
        #expect(try resolve() == nil)
    }
}
