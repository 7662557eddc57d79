extension InterfaceAddress: CustomStringConvertible {
    /// CIDR notation, followed by the relevant flags.
    public var description: String {
        var words = ["\(address)/\(prefixLength)"]
        if flags.contains(.duplicateDetected) { words.append("dadfailed") }
        if flags.contains(.tentative) { words.append("tentative") }
        if flags.contains(.deprecated) { words.append("deprecated") }
        // For IPv4 the same bit means "secondary".
        if flags.contains(.temporary), address.family == .ipv6 { words.append("temporary") }
        return words.joined(separator: " ")
    }
}

extension Route {
    /// Returns the route in the format of `ip route`, with interface names.
    public func describe(in snapshot: NetworkSnapshot) -> String {
        var words = [destination.isDefault ? "default" : destination.description]
        if let sourcePrefix { words += ["from", sourcePrefix.description] }
        if type != .unicast { words.insert(type.description, at: 0) }
        for hop in nextHops {
            if let gateway = hop.gateway { words += ["via", gateway.description] }
            if let interface = hop.interfaceIndex { words += ["dev", snapshot.interfaceName(interface)] }
        }
        if metric != 0 { words += ["metric", "\(metric)"] }
        if table != Route.mainTable { words += ["table", "\(table)"] }
        return words.joined(separator: " ")
    }
}

extension RouteLookup {
    /// Returns the kernel's answer as text, with the interface name.
    public func describe(in snapshot: NetworkSnapshot) -> String {
        switch outcome {
        case .route(let route):
            var words = ["dev", snapshot.interfaceName(route.interfaceIndex)]
            if let gateway = route.gateway { words = ["via", gateway.description] + words }
            if let source = route.source { words += ["src", source.description] }
            return words.joined(separator: " ")
        case .refused(let refusal): return refusal.description
        }
    }
}

extension RouteLookup.Refusal: CustomStringConvertible {
    /// The refusal as text.
    public var description: String {
        switch self {
        case .noRoute: "no route"
        case .unreachable: "an unreachable route"
        case .blackhole: "a blackhole route"
        case .prohibited: "a prohibit route"
        case .failed(let errno): "refused with errno \(errno)"
        }
    }
}
