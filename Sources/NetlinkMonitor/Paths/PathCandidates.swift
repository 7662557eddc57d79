/// The kernel's answer to a lookup and the legs of a multipath route, each as a path of its own.
package struct PathCandidates: Sendable {
    /// The path by the kernel's answer.
    package let answer: NetworkPath
    /// The path by each leg of a multipath route, in its order, including that of the answer.
    package let legs: [NetworkPath]

    /// Derives the candidates for the path of a lookup.
    package init(_ lookup: RouteLookup, in snapshot: NetworkSnapshot) {
        answer = NetworkPath(lookup.outcome, of: lookup, in: snapshot)
        legs = lookup.legs(in: snapshot).map { NetworkPath(.route($0), of: lookup, in: snapshot) }
    }

    /// The usable candidates.
    package var usable: [NetworkPath] { ([answer] + legs).filter(\.isUsable) }

    /// The first usable candidate, or else one that may be usable (``NetworkPath/isCertain``), or the kernel's answer.
    package var selected: NetworkPath {
        answer.isUsable ? answer : legs.first(where: \.isUsable) ?? legs.first { !$0.isCertain } ?? answer
    }
}

extension RouteLookup {
    /// Returns each leg of a multipath route, with the source that its interface offers, or else the answer's if its
    /// owner lends it, including the leg of the answer itself.
    func legs(in snapshot: NetworkSnapshot) -> [ResolvedRoute] {
        if let otherLegs { return (route.map { [$0] } ?? []) + otherLegs }
        guard let route, let hops = matched?.nextHops, hops.count > 1 else { return [] }
        return hops.compactMap { hop in
            guard let index = hop.interfaceIndex else { return nil }
            if index == route.interfaceIndex, hop.gateway == route.gateway { return route }
            return ResolvedRoute(
                interfaceIndex: index,
                gateway: hop.gateway,
                source: matched?.preferredSource ?? snapshot.addresses.source(toward: hop, destination.family)
                    ?? snapshot.lentSource(of: route),
                table: route.table,
                type: route.type
            )
        }
    }
}
