/// Asking as connect(2) does: a second time with the source, where rules or routes look at it.
extension MonitorCore {
    /// The answers as a connected socket gets them.
    ///
    /// In IPv4 connect(2) looks up again with the source that the first lookup chose. In IPv6 the first answer stands;
    /// only where there is none a source is chosen all the same, and looked up with.
    mutating func connected(_ answers: [RouteLookup]) throws(NetlinkError) -> [RouteLookup] {
        var answers = answers
        var asked: [(position: Int, source: IPAddress)] = []
        for (position, answer) in answers.enumerated() where view.looksAtSources(answer.destination.family) {
            let source =
                switch (answer.destination.family, answer.outcome) {
                case (.ipv4, .route(let route)) where route.type == .unicast: route.source
                case (.ipv6, .refused) where view.hasSource(for: .ipv6):
                    kernel.connectedSource(to: answer.destination)
                default: nil as IPAddress?
                }
            if let source { asked.append((position, source)) }
        }
        if !asked.isEmpty {
            let second = try kernel.lookups(
                asked.map { LookupQuestion(destination: answers[$0.position].destination, source: $0.source) }
            )
            for (question, answer) in zip(asked, second) {
                answers[question.position] = view.connected(
                    answers[question.position],
                    second: answer,
                    source: question.source
                )
            }
        }
        return answers.map(view.namingRule)
    }
}

extension KernelView {
    /// Whether a lookup with a source may be answered otherwise than one without.
    func looksAtSources(_ family: AddressFamily) -> Bool {
        rules.contains { $0.family == family && $0.source != nil }
            || (defaultRoutes[family] ?? []).contains { $0.sourcePrefix != nil }
    }

    /// The first answer, replaced by the second one where connect(2) would act on that.
    fileprivate func connected(_ first: RouteLookup, second: RouteLookup, source: IPAddress) -> RouteLookup {
        let destination = first.destination
        switch (first.outcome, second.outcome) {
        case (_, .route(let route)):
            // The kernel does not repeat the source that it was asked with.
            let outcome = RouteLookup.Outcome.route(route.from(source))
            let isElsewhere = first.route.map { $0.from(source) != route.from(source) } ?? false
            return RouteLookup(
                destination: destination,
                outcome: outcome,
                matched: second.matched,
                unconnected: isElsewhere ? first.outcome : nil
            )
        // An address that has just gone is refused like a blackhole; its message is on the way.
        case (.route, .refused(.blackhole)) where !hasBlackhole(destination.family): return first
        case (.route, .refused):
            return RouteLookup(
                destination: destination,
                outcome: namingRule(second, from: source).outcome,
                unconnected: first.outcome
            )
        case (.refused, .refused): return first
        }
    }

    private func hasBlackhole(_ family: AddressFamily) -> Bool {
        rules.contains { $0.family == family && $0.action == 6 }
            || (defaultRoutes[family] ?? []).contains { $0.type == .blackhole }
    }

    /// An `unreachable` rule refuses with the errno that says "no route" too.
    ///
    /// No table before the rule has answered, or there would be an answer: so a rule that fits is what refuses.
    fileprivate func namingRule(_ answer: RouteLookup) -> RouteLookup { namingRule(answer, from: nil) }

    private func namingRule(_ answer: RouteLookup, from source: IPAddress?) -> RouteLookup {
        guard answer.outcome == .refused(.noRoute),
            rules.contains(where: { $0.isUnreachable && $0.fits(from: source, to: answer.destination) })
        else { return answer }
        return RouteLookup(
            destination: answer.destination,
            outcome: .refused(.unreachable),
            matched: answer.matched,
            unconnected: answer.unconnected
        )
    }
}

extension ResolvedRoute {
    fileprivate func from(_ source: IPAddress) -> ResolvedRoute {
        ResolvedRoute(interfaceIndex: interfaceIndex, gateway: gateway, source: source, table: table, type: type)
    }
}
