internal import CheckResults

/// The key of a check, shared by every point with this identity and vantage.
struct CheckKey: Hashable {
    let identity: String
    let vantage: Vantage

    init(_ scheduled: ScheduledProbe) {
        identity = scheduled.identity
        vantage = scheduled.point.vantage
    }
}

extension Probe {
    /// The host and port that a check connects to first, to which the limit per target applies.
    var destination: String {
        switch (target, connectTo) {
        case (.http, .some(let place)), (.tcp, .some(let place)): "\(place.host) \(place.port)"
        case (.http(let url), .none): "\(url.host) \(url.port)"
        case (.tcp(let host, let port), .none): "\(host) \(port)"
        case (.icmp(let host), _): "\(host) icmp"
        case (.dns(let resolver, let port, _, _), _): "\(resolver) \(port)"
        }
    }

    /// `true` if the check may leave through a cellular interface, by both its request and its serializer.
    var allowsCellularAccess: Bool { request.allowsCellularAccess && serializer.allowsCellularAccess ?? true }
}
