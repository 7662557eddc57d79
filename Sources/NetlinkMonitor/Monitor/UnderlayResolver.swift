/// Finds out what carries a tunnel's own packets, as far as that can be told without rights.
///
/// In this order: the route to the far end that the kernel knows; the device that the tunnel was created on; the way of
/// packets with the mark that the policy rules exempt from the tunnel (`not fwmark 0xca6c lookup 51820`, as wg-quick
/// sets it up); the best default route that does not leave through a tunnel.
struct UnderlayResolver {
    let view: KernelView
    let internetAddresses: [IPAddress]

    /// The underlay of a tunnel, or `nil` where nothing tells.
    func underlay(
        of tunnel: Link,
        family: AddressFamily,
        kernel: inout some KernelQueries
    ) throws(NetlinkError) -> Underlay? {
        if let remote = tunnel.tunnelRemote {
            return Underlay(
                interfaceIndex: try wayOut([LookupQuestion(destination: remote)], &kernel),
                evidence: .remoteRoute
            )
        }
        if let lower = tunnel.lowerIndex, view.links[lower] != nil {
            return Underlay(interfaceIndex: lower, evidence: .lowerDevice)
        }
        if let mark = exemptedMark(family) {
            let questions = internetAddresses.filter { $0.family == family }
                .map { LookupQuestion(destination: $0, mark: mark) }
            return Underlay(interfaceIndex: try wayOut(questions, &kernel), evidence: .markExemption)
        }
        let candidates = AddressFamily.allCases.flatMap { view.defaultRoutes[$0] ?? [] }
        let next = candidates.filter { $0.type == .unicast }.sorted { $0.metric < $1.metric }
            .lazy.compactMap { $0.nextHops.first?.interfaceIndex }
            .first { view.links[$0].map { $0.kind != .tunnel } ?? false }
        return next.map { Underlay(interfaceIndex: $0, evidence: .nextDefaultRoute) }
    }

    /// The remotes that routes must be watched for, beside the addresses asked for.
    static func watchedRemotes(_ view: KernelView) -> Set<IPAddress> {
        Set(view.links.values.compactMap(\.tunnelRemote))
    }

    private func wayOut(
        _ questions: [LookupQuestion],
        _ kernel: inout some KernelQueries
    ) throws(NetlinkError) -> UInt32? {
        let ways = try kernel.lookups(questions).lazy.compactMap { $0.route?.interfaceIndex }
        return ways.first { view.links[$0].map { $0.kind != .tunnel } ?? false }
    }

    /// The mark of a rule "everything but packets with this mark", which sends the rest into a tunnel's table.
    private func exemptedMark(_ family: AddressFamily) -> UInt32? {
        view.rules.first { $0.family == family && $0.isInverted && ($0.mark ?? 0) != 0 }?.mark
    }
}
