internal import CheckResults

/// The findings for the ICMP errors that end an exchange, and the names of these errors (RFC 792, RFC 1812, section 5.2.7,
/// RFC 4443, section 3).
enum ICMPUnreachable {
    /// Returns the finding for an error about a target; nil when the error does not concern the target's reachability.
    ///
    /// An error from an address of this machine is no answer: it is of its own neighbour discovery or firewall.
    ///
    /// - Parameters:
    ///   - code: The code of an error that the target or a router sent.
    ///   - hasRoute: Whether this machine has a route to the target; asked for an error of its own neighbour discovery.
    ///   - isOwn: Whether an address is one of this machine.
    static func finding(
        _ error: QueuedError,
        to target: WireEndpoint,
        code: FindingCode,
        hasRoute: @autoclosure () -> Bool,
        isOwn: ([UInt8]) -> Bool = LocalInterfaces.shared.contain
    ) -> Finding? {
        guard let reason = reason(error) else { return nil }
        let subject = target.description
        guard let offender = error.offender else {
            return Finding(code, subject: subject, evidence: "an unknown host answered: \(reason)")
        }
        let sender = IPAddressText.text(of: offender)
        // 0.0.0.0 and :: are this machine, which answers from another address.
        guard offender != target.bytes, target.bytes.contains(where: { $0 != 0 }), isOwn(offender) else {
            var finding = Finding(code, subject: subject, evidence: "\(sender) answered: \(reason)")
            finding.isFromTarget = offender == target.bytes
            return finding
        }
        let evidence = "this machine (\(sender)) reported: \(reason)"
        let localCode = localCode(error) ?? code
        // No neighbour, because the address is not one: the packet had no route.
        if localCode == .hostUnreachable, !hasRoute() { return Finding(.noRoute, subject: subject, evidence: evidence) }
        return Finding(localCode, subject: subject, evidence: evidence)
    }

    /// Returns the code of an error that this machine has sent to itself; nil for an error that has nothing to do with
    /// the machine's own rules and neighbours.
    private static func localCode(_ error: QueuedError) -> FindingCode? {
        switch (error.origin, error.type, error.code) {
        // Neighbour discovery failed, or a tunnel has no peer for the address.
        case (.icmp, 3, 1), (.icmpv6, 1, 3): .hostUnreachable
        case (.icmp, 3, 4): nil
        // The answers that a rule of the output chain can be told to give.
        case (.icmp, 3, _), (.icmpv6, 1, _): .localFirewall
        default: nil
        }
    }

    /// Returns the reason as text; nil when the error does not concern the target's reachability.
    static func reason(_ error: QueuedError) -> String? {
        switch error.origin {
        case .icmp: internetProtocol4(type: error.type, code: error.code, info: error.info)
        case .icmpv6: internetProtocol6(type: error.type, code: error.code, info: error.info)
        case .local, nil: nil
        }
    }

    private static func internetProtocol4(type: UInt8, code: UInt8, info: UInt32) -> String? {
        switch (type, code) {
        case (3, 0): "network unreachable"
        case (3, 1): "host unreachable"
        case (3, 2): "protocol unreachable"
        case (3, 3): "port unreachable"
        case (3, 4): "fragmentation needed (MTU \(info))"
        case (3, 5): "source route failed"
        case (3, 6): "network unknown"
        case (3, 7): "host unknown"
        case (3, 9): "network administratively prohibited"
        case (3, 10): "host administratively prohibited"
        case (3, 11): "network unreachable for this type of service"
        case (3, 12): "host unreachable for this type of service"
        case (3, 13): "communication administratively prohibited"
        case (3, _): "destination unreachable (code \(code))"
        case (11, 0): "time to live exceeded"
        case (11, _): "time exceeded (code \(code))"
        case (12, _): "parameter problem (code \(code))"
        default: nil
        }
    }

    private static func internetProtocol6(type: UInt8, code: UInt8, info: UInt32) -> String? {
        switch (type, code) {
        case (1, 0): "no route to destination"
        case (1, 1): "administratively prohibited"
        case (1, 2): "beyond scope of source address"
        case (1, 3): "address unreachable"
        case (1, 4): "port unreachable"
        case (1, 5): "source address failed ingress or egress policy"
        case (1, 6): "route rejected"
        case (1, _): "destination unreachable (code \(code))"
        case (2, _): "packet too big (MTU \(info))"
        case (3, 0): "hop limit exceeded"
        case (3, _): "time exceeded (code \(code))"
        case (4, _): "parameter problem (code \(code))"
        default: nil
        }
    }
}
