internal import NetlinkTestKit

@testable internal import NetlinkMonitor

/// The tables of a kernel that exists only in a test, and its failures.
final class ScriptedNetwork {
    var links: [UInt32: Link] = [:]
    var addresses: [InterfaceAddress] = []
    var rules = AddressFamily.allCases.map { RoutingRule(family: $0, priority: 32766, table: Route.mainTable) }
    var defaultRoutes: [Route] = []
    /// The families that the kernel has.
    var families = Set(AddressFamily.allCases)
    /// The states of the neighbours; the others have no entry.
    var routerStates: [Router: NeighbourState] = [:]
    /// The lifetime that the default routes are read with.
    var lifetime: Duration?
    /// True while a default route has expired that the kernel keeps.
    var hasExpired = false
    /// The number of the next dumps of links that are interrupted.
    var interruptions = 0
    /// The number of the next lookups that fail.
    var failingLookups = 0
    /// Called during the next dump of links.
    var duringNextDump: (() -> Void)?
    /// Called before the next lookups.
    var beforeNextLookups: (() -> Void)?
    private(set) var linkDumps = 0
    /// The number of tables that were read for their default routes.
    fileprivate(set) var tableDumps = 0
    /// Every question to the route lookup, in order.
    fileprivate(set) var questions: [LookupQuestion] = []
    /// Answers to questions that the routes do not decide.
    var answers: [LookupQuestion: RouteLookup.Outcome] = [:]
    /// The deciding entries of these answers.
    var matches: [LookupQuestion: Route] = [:]
    /// The result of connect(2) in IPv6.
    var connectedSource = ConnectedSource.unknown

    /// A default route over an interface; lookups are answered by the one with the lowest metric.
    func setDefault(_ interface: UInt32?, metric: UInt32 = 100) {
        defaultRoutes =
            interface.map {
                [Route(destination: .everything(.ipv4), metric: metric, nextHops: [NextHop(interfaceIndex: $0)])]
            } ?? []
    }

    fileprivate func dumpLinks() throws(NetlinkError) -> [LinkMessage] {
        linkDumps += 1
        let links = links
        duringNextDump?()
        duringNextDump = nil
        if interruptions > 0 {
            interruptions -= 1
            throw NetlinkError(operation: "dump links", cause: .dumpInterrupted)
        }
        return links.values.map { LinkMessage(link: $0, isComplete: true, hasName: true) }
    }

    fileprivate func lookUp(_ destination: IPAddress) -> RouteLookup {
        let candidates = defaultRoutes.filter { route in
            guard route.family == destination.family else { return false }
            guard let hop = route.nextHops.first, let index = hop.interfaceIndex, let gateway = hop.gateway else {
                return true
            }
            return routerStates[Router(interfaceIndex: index, address: gateway)] != .failed
        }
        let best = candidates.min { $0.metric < $1.metric }
        guard let best, let interface = best.nextHops.first?.interfaceIndex else {
            return RouteLookup(destination: destination, outcome: .refused(.noRoute))
        }
        return RouteLookup(
            destination: destination,
            outcome: .route(ResolvedRoute(interfaceIndex: interface)),
            matched: best
        )
    }
}

/// Answers from a ``ScriptedNetwork``.
struct ScriptedKernel: KernelQueries {
    let network: ScriptedNetwork

    func links() throws(NetlinkError) -> [LinkMessage] { try network.dumpLinks() }
    func addresses() -> [InterfaceAddress] { network.addresses }
    func rules() -> [RoutingRule] { network.rules }

    func states(of routers: Set<Router>) -> [Router: NeighbourState] {
        Dictionary(
            uniqueKeysWithValues: routers.map { router in
                (router, network.routerStates[router] ?? NeighbourState(bits: nil, router.address.family))
            }
        )
    }

    func takeShortestLifetime() -> Duration? { network.lifetime }

    func takeHasExpired() -> Bool { network.hasExpired }

    func defaultRoutes(_ family: AddressFamily, table: UInt32, over interfaces: () -> [UInt32]) -> [Route] {
        network.tableDumps += 1
        var answer = DefaultRouteAnswer(family: family, table: table)
        // In place of a family that it lacks, the kernel dumps all others.
        for route in network.defaultRoutes where route.family == family || !network.families.contains(family) {
            if answer.take(.route(route), until: { _ in .more }) == .enough { break }
        }
        return answer.routes
    }

    func lookups(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup] {
        network.beforeNextLookups?()
        network.beforeNextLookups = nil
        if network.failingLookups > 0 {
            network.failingLookups -= 1
            throw NetlinkError(operation: "look up a route", cause: .timedOut)
        }
        network.questions += questions
        return questions.map { question in
            network.answers[question].map {
                RouteLookup(destination: question.destination, outcome: $0, matched: network.matches[question])
            }
                ?? network.lookUp(question.destination)
        }
    }

    func connectedSource(to destination: IPAddress, over interface: UInt32) -> ConnectedSource {
        network.connectedSource
    }

    func sessionInterfaces() -> [String] { [] }
}

/// The entries that wait to be read, in order.
final class ScriptedQueue {
    enum Entry {
        case datagram(NetlinkDatagram)
        case overrun
        case truncated
        case foreign
        case failure(NetlinkError)
    }

    var entries: [Entry] = []
    var drops: UInt32 = 0
    /// The number of the next attempts to reopen the source that fail.
    var failingReopens = 0
    fileprivate(set) var reopened = 0
    fileprivate(set) var watched: [WatchedNetwork] = []
    private var lent: UnsafeMutableRawBufferPointer?

    deinit { lent?.deallocate() }

    /// Lends a copy of the bytes, valid until the next one is lent.
    fileprivate func lend(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        lent?.deallocate()
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
        copy.copyBytes(from: bytes)
        lent = copy
        return UnsafeRawBufferPointer(copy)
    }
}

/// Notifications from a ``ScriptedQueue``.
struct ScriptedSource: NotificationSource {
    let queue: ScriptedQueue

    func receive() throws(NetlinkError) -> NetlinkSocket.Received {
        guard !queue.entries.isEmpty else { return .drained }
        switch queue.entries.removeFirst() {
        case .datagram(let datagram): return .datagram(queue.lend(datagram.bytes))
        case .overrun: return .overrun
        case .truncated: return .truncated
        case .foreign: return .foreign
        case .failure(let error): throw error
        }
    }

    func watch(_ watched: WatchedNetwork) { queue.watched.append(watched) }

    func takeDrops() -> UInt32 {
        defer { queue.drops = 0 }
        return queue.drops
    }

    func reopen(watching watched: WatchedNetwork) throws(NetlinkError) {
        if queue.failingReopens > 0 {
            queue.failingReopens -= 1
            throw NetlinkError(operation: "open a netlink socket", cause: .errno(24))
        }
        queue.reopened += 1
        queue.entries = []
    }
}
