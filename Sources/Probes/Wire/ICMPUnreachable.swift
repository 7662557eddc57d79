/// The names of the ICMP errors that end an echo exchange (RFC 792, RFC 1812, section 5.2.7, RFC 4443, section 3).
enum ICMPUnreachable {
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
