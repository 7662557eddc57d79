internal import NetlinkMonitor

extension MessageBuilder {
    /// Parses the messages of a recording, one for each line; empty lines and the recorder's remarks (`----`) are
    /// skipped.
    ///
    /// ```
    /// 4.437 NEWLINK idx=3 name=wlan1 type=1 flags=<UP,BROADCAST,LOWER_UP> oper=dormant carrier=1
    /// 4.945 NEWADDR idx=3 192.168.50.2/24 scope=global flags=0x80
    /// 4.981 NEWROUTE v4 0.0.0.0/0 type=unicast table=254 via=192.168.50.1 oif=3 metric=600 proto=boot
    /// ```
    ///
    /// The leading time is optional, and so is every irrelevant word.
    ///
    /// - Returns: `nil` in place of an invalid line.
    public static func recorded(_ text: String) -> [MessageBuilder?] {
        text.split(separator: "\n").filter { !$0.contains("----") && $0.contains { !$0.isWhitespace } }
            .map { MessageBuilder(recordedLine: $0) }
    }

    /// Parses one line of a recording; `nil` if it is invalid.
    public init?(recordedLine line: some StringProtocol) {
        var words = String(line).split { $0.isWhitespace }.map(String.init)
        if let first = words.first, Double(first) != nil { words.removeFirst() }
        guard let kind = words.first else { return nil }
        let fields = RecordedFields(words.dropFirst())
        let message: MessageBuilder? =
            switch kind {
            case "NEWLINK": fields.link
            case "DELLINK": fields.number("idx").map { .linkRemoved($0, fields["name"] ?? "") }
            case "NEWADDR": fields.address.map { .address($0) }
            case "DELADDR": fields.address.map { .addressRemoved($0) }
            case "NEWROUTE": fields.route.map { .route($0) }
            case "DELROUTE": fields.route.map { .routeRemoved($0) }
            default: nil
            }
        guard let message else { return nil }
        self = message
    }
}

/// The words of one recorded line: `key=value`, and bare ones.
private struct RecordedFields {
    private var values: [String: String] = [:]
    private var bare: [String] = []

    init(_ words: some Sequence<String>) {
        for word in words {
            guard let separator = word.firstIndex(of: "=") else {
                bare.append(word)
                continue
            }
            values[String(word[..<separator])] = String(word[word.index(after: separator)...])
        }
    }

    subscript(_ key: String) -> String? { values[key] }

    func number(_ key: String) -> UInt32? { values[key].flatMap { UInt32($0) } }

    var link: MessageBuilder? {
        guard let index = number("idx"), let name = values["name"] else { return nil }
        if values.keys.contains(where: { $0.hasPrefix("WIRELESS") }) { return .wirelessEvent(index, name, flags) }
        var attributes: [NetlinkAttribute] = []
        if let kind = values["kind"] { attributes.append(.linkInfo(kind)) }
        if let parent = values["parent"] { attributes.append(.parentDevice(String(parent.drop { $0 == "/" }))) }
        return .link(
            index,
            name,
            flags,
            OperationalState.allCases.first { $0.description == values["oper"] } ?? .unknown,
            hardwareType: number("type").flatMap { UInt16(exactly: $0) } ?? 1,
            attributes: attributes
        )
    }

    private var flags: LinkFlags {
        let bits: [String: UInt32] = [
            "UP": 0x1, "BROADCAST": 0x2, "LOOPBACK": 0x8, "POINTOPOINT": 0x10, "RUNNING": 0x40, "NOARP": 0x80,
            "LOWER_UP": 0x10000, "DORMANT": 0x20000,
        ]
        let names = values["flags"]?.split { "<>,".contains($0) } ?? []
        return LinkFlags(rawValue: names.reduce(0) { $0 | (bits[String($1)] ?? 0) })
    }

    var address: InterfaceAddress? {
        guard let index = number("idx"), let prefix = prefix else { return nil }
        let flags = values["flags"].flatMap { UInt32($0.dropFirst(2), radix: 16) } ?? 0
        return InterfaceAddress(
            interfaceIndex: index,
            address: prefix.address,
            prefixLength: prefix.length,
            scope: ["global": 0, "link": 253, "host": 254][values["scope"] ?? ""] ?? 0,
            flags: .init(rawValue: flags)
        )
    }

    var route: Route? {
        guard let destination = prefix else { return nil }
        let types: [RouteType] = [.unicast, .local, .broadcast, .multicast, .blackhole, .unreachable, .prohibit]
        return Route(
            destination: destination,
            table: number("table") ?? Route.mainTable,
            protocol: ["kernel": 2, "boot": 3, "static": 4, "ra": 9, "dhcp": 16][values["proto"] ?? ""] ?? 0,
            type: types.first { $0.description == values["type"] } ?? .unicast,
            metric: number("metric") ?? 0,
            nextHops: [NextHop(interfaceIndex: number("oif"), gateway: values["via"].flatMap { IPAddress($0) })]
        )
    }

    private var prefix: IPPrefix? {
        guard let text = bare.first(where: { $0.contains("/") }) else { return nil }
        let parts = text.split(separator: "/")
        guard parts.count == 2, let address = IPAddress(String(parts[0])), let length = Int(parts[1]) else {
            return nil
        }
        return IPPrefix(address: address, length: length)
    }
}
