internal import EventSchema

/// A JSON value that was read.
enum ReadValue: Decodable, Sendable, Hashable {
    case text(String)
    /// A number as it is shown.
    case number(String)
    case boolean(Bool)
    case array([ReadValue])
    case object([String: ReadValue])
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .number(String(value))
        } else if let value = try? container.decode(UInt64.self) {
            self = .number(String(value))
        } else if let value = try? container.decode(Double.self) {
            self = .number(String(value))
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([String: ReadValue].self) {
            self = .object(value)
        } else {
            self = .array(try container.decode([ReadValue].self))
        }
    }

    /// A member of an object.
    subscript(name: String) -> ReadValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// A text or a number; `nil` for anything else.
    var text: String? {
        switch self {
        case .text(let text), .number(let text): text
        default: nil
        }
    }

    /// A whole number; `nil` for anything else.
    var number: Int64? {
        guard case .number(let text) = self else { return nil }
        return Int64(text)
    }

    /// The elements of an array; none of anything else.
    var elements: [ReadValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    /// The texts of an array.
    var texts: [String]? {
        guard case .array(let elements) = self else { return nil }
        return elements.compactMap(\.text)
    }

    /// The members that are neither arrays nor objects, in a few words: `code=timeout, target=office`.
    static func compact(_ members: [String: ReadValue]) -> String {
        let words = members.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
            switch value {
            case .text(let text), .number(let text): "\(name)=\(text)"
            case .boolean(let value): "\(name)=\(value)"
            case .array, .object, .null: nil
            }
        }
        return words.prefix(8).joined(separator: ", ")
    }
}

// MARK: - States

extension ReadValue {
    /// A state of the machine or of a target in a few words: `wifi wlan0 IPv4, full`, or `none (link_down wlan0)`.
    var stateSummary: String? {
        guard let path = self["path"], let summary = path.pathSummary else { return self["via"]?.text }
        let flapping = self["flapping"] == .boolean(true) ? ", flapping" : ""
        guard path.isReachable else { return summary + flapping }
        let families = [("ipv4", "IPv4"), ("ipv6", "IPv6")].filter { path[$0.0]?.isReachable == true }.map(\.1)
        let beyond = self["connectivity"]?.text.map { connectivity in
            SummaryText.connectivity(
                connectivity,
                code: self["connectivity_reason"]?.text,
                probe: self["connectivity_probe"]?.text
            )
        }
        return (families.isEmpty ? summary : "\(summary) \(families.joined(separator: "+"))") + (beyond ?? "")
            + flapping
    }

    /// How a probe fares in a few words: `up`, or `down (connect_refused)`.
    var standingSummary: String? {
        guard let verdict = self["verdict"]?.text else { return nil }
        return SummaryText.standing(
            verdict: verdict,
            code: self["code"]?.text,
            portalURL: self["portal_url"]?.text,
            isFlapping: self["flapping"] == .boolean(true)
        )
    }

    private var isReachable: Bool { self["via"]?.text.map { !["none", "unknown"].contains($0) } ?? false }

    private var pathSummary: String? {
        guard let via = self["via"]?.text else { return nil }
        let name = self["interface"]?.text.map { " \($0)" } ?? ""
        guard isReachable else { return self["reason"]?.text.map { "\(via) (\($0)\(name))" } ?? via }
        let below = self["underlay"]?["interface"]?.text.map { " over \($0)" } ?? ""
        let legs = SummaryText.deadLegs(self["dead_legs"]?.elements.compactMap { $0["interface"]?.text } ?? [])
        return "\(via)\(name)\(below)\(legs)"
    }
}
