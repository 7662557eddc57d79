internal import Glibc

/// The property of a device at a broker that two sinks must not share.
public enum SinkOverlap: Sendable, Hashable {
    /// NATS: the newest stored event of the device, after which a sink continues, and the ids by which the stream drops
    /// what it has.
    case events
    /// MQTT: the retained messages, of which each sink makes the presence `offline` at its end.
    case retained
}

extension SinkSettings {
    /// Returns the property that this sink and another one must not share, and do; `nil` if both can ship.
    ///
    /// - Parameter other: Another sink of the same machine.
    public func overlap(with other: SinkSettings) -> SinkOverlap? {
        guard device == other.device, broker.sharesServer(with: other.broker) else { return nil }
        guard let mqtt, let otherMQTT = other.mqtt else {
            // Without a name, both subjects may belong to one stream, which compares ids over all its subjects.
            if let stream, let otherStream = other.stream, stream != otherStream { return nil }
            return .events
        }
        guard mqtt.keepsState, otherMQTT.keepsState else { return nil }
        let sharesDiscovery = mqtt.discoveryPrefix != nil && mqtt.discoveryPrefix == otherMQTT.discoveryPrefix
        return sharesDiscovery || statusTopic == other.statusTopic ? .retained : nil
    }

    private var statusTopic: String? { (try? template())?.statusTopic(device: device) }
}

extension BrokerAddress {
    /// Returns true if both addresses have a server in common, as far as their text shows it.
    fileprivate func sharesServer(with other: BrokerAddress) -> Bool {
        guard scheme.isNATS == other.scheme.isNATS else { return false }
        return !Set(servers.map(\.normalized)).isDisjoint(with: other.servers.map(\.normalized))
    }
}

extension BrokerAddress.Server {
    /// The server in one spelling: without the dot at the end of a name, and with the shortest form of an IPv6 address.
    fileprivate var normalized: Self {
        Self(host: Self.shortened(host.last == "." ? String(host.dropLast()) : host), port: port)
    }

    private static func shortened(_ host: String) -> String {
        let parts = host.split(separator: "%", maxSplits: 1)
        var address = in6_addr()
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard let first = parts.first, inet_pton(AF_INET6, String(first), &address) == 1,
            let short = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        else { return host }
        return ([String(cString: short)] + parts.dropFirst().map(String.init)).joined(separator: "%")
    }
}
