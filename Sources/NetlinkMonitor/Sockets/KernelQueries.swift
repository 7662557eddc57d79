/// What is asked of the kernel, apart from listening to it.
///
/// The one implementation that talks to a kernel is ``RequestSocket``; tests script another.
protocol KernelQueries {
    /// Every interface of the namespace.
    mutating func links() throws(NetlinkError) -> [LinkMessage]
    /// Every IPv4 and IPv6 address.
    mutating func addresses() throws(NetlinkError) -> [InterfaceAddress]
    /// Every policy rule of both families, in the order of their priority.
    mutating func rules() throws(NetlinkError) -> [RoutingRule]
    /// The default routes of one table. A table that does not exist has none.
    ///
    /// Of a table that is too long to be read, those over `interfaces` are looked up one by one.
    mutating func defaultRoutes(
        _ family: AddressFamily,
        table: UInt32,
        over interfaces: () -> [UInt32]
    ) throws(NetlinkError) -> [Route]
    /// The states of these routers' neighbour entries.
    mutating func states(of routers: Set<Router>) throws(NetlinkError) -> [Router: RouterState]
    /// The time until the first of the routes expires that were read since the last call, if one of them has a lifetime.
    mutating func takeShortestLifetime() -> Duration?
    /// The kernel's answers, in the order of the questions.
    mutating func lookups(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup]
    /// The ways out alone, without the table entries that decide: half the work of ``lookups(_:)``.
    mutating func outcomes(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup.Outcome]
    /// The address that connect(2) would send from; `nil` where it fails. Nothing is sent.
    mutating func connectedSource(to destination: IPAddress) -> IPAddress?
    /// The Ethernet interface of each PPPoE session, by name.
    mutating func sessionInterfaces() -> [String]
}

/// One question to the kernel's route lookup.
struct LookupQuestion: Sendable, Hashable {
    let destination: IPAddress
    /// The firewall mark of the packet that is asked about; 0 for none.
    var mark: UInt32 = 0
    /// The address that the packet is sent from; `nil` leaves the choice to the kernel.
    var source: IPAddress?
    /// The interface that the packet is bound to; 0 for none.
    var interface: UInt32 = 0
}

extension KernelQueries {
    mutating func outcomes(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup.Outcome] {
        try lookups(questions).map(\.outcome)
    }

    /// How often a dump is begun again when the tables changed under it.
    static var dumpAttempts: Int { 8 }

    /// Runs a dump again when the kernel says that its result may be incomplete.
    mutating func retryingInterrupted<Result>(
        _ interrupted: inout UInt64,
        _ dump: (inout Self) throws(NetlinkError) -> Result
    ) throws(NetlinkError) -> Result {
        for _ in 1..<Self.dumpAttempts {
            do throws(NetlinkError) {
                return try dump(&self)
            } catch {
                guard error.cause == .dumpInterrupted else { throw error }
                interrupted += 1
            }
        }
        return try dump(&self)
    }
}
