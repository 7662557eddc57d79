internal import AgentEvents
internal import ArgumentParser
internal import ForeignText

/// The order of a table's rows.
enum FleetOrder: String, Sendable, CaseIterable, ExpressibleByArgument {
    /// The most urgent state first; of equal ones, the newest first.
    case state
    case device
    /// The most recently seen device first.
    case seen
    /// The most outages first.
    case outages
    /// The lowest availability first.
    case availability

    /// The next order, for a key that cycles through all.
    var next: FleetOrder {
        let all = Self.allCases
        guard let index = all.firstIndex(of: self) else { return self }
        return all[(index + 1) % all.count]
    }

    /// Sorts rows; equal ones by device.
    func sort(_ rows: inout [FleetRow]) {
        switch self {
        case .device: rows.sort { $0.device < $1.device }
        case .state: sort(&rows, by: { (Int64($0.state.rank), -($0.since?.microsecondsSince1970 ?? 0)) })
        case .seen: sort(&rows, by: { (-$0.lastSeen.microsecondsSince1970, 0) })
        case .outages: sort(&rows, by: { (-Int64($0.figures?.outages ?? 0), -($0.figures?.unavailable ?? 0)) })
        case .availability: sort(&rows, by: { ($0.figures?.millionths ?? .max, -($0.figures?.unavailable ?? 0)) })
        }
    }

    private func sort(_ rows: inout [FleetRow], by key: (FleetRow) -> (Int64, Int64)) {
        rows.sort { left, right in
            let (one, other) = (key(left), key(right))
            return one == other ? left.device < right.device : one < other
        }
    }
}

extension DeviceFigures {
    /// The available share of the known time in millionths; `nil` if nothing is known.
    var millionths: Int64? {
        known > 0 ? Int64(Int128(available) * 1_000_000 / Int128(known)) : nil
    }
}

/// The devices that a command shows.
struct FleetSelection: Sendable, Hashable {
    /// The states; empty for all.
    var states: Set<DeviceState> = []
    /// Names of devices or hosts, in which `*` matches any text; empty for all.
    var names: [ForeignText] = []

    func contains(_ row: FleetRow) -> Bool {
        (states.isEmpty || states.contains(row.state)) && includes(row.device, host: row.host)
    }

    /// Returns true for a device that the names select.
    func includes(_ device: ForeignText, host: String) -> Bool {
        names.isEmpty
            || names.contains { Self.matches(device.bytes, $0.bytes) || Self.matches(Array(host.utf8), $0.bytes) }
    }

    /// Returns true if a text matches a pattern; the worst case is linear in the product of the lengths.
    static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        var (place, at) = (0, 0)
        // The last star, and the end of the text that it matches so far.
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, at)
                place += 1
            } else if place < pattern.count, pattern[place] == text[at] {
                place += 1
                at += 1
            } else if let last = star {
                star = (last.pattern, last.text + 1)
                place = last.pattern + 1
                at = last.text + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
