internal import AgentEvents
internal import Availability
internal import ForeignText

extension FleetRow {
    /// Returns the device as one JSON object on one line; members that do not apply are absent.
    ///
    /// - Parameter objective: The objective of the error budget; `nil` for figures without one.
    func json(objective: Objective? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("device", String(decoding: device.bytes, as: UTF8.self))
            if !host.isEmpty { json.member("host", host) }
            json.member("state", state.rawValue)
            json.member("since", ifPresent: since) { $1.write(to: &$0) }
            json.member("last_seen", lastSeen)
            json.member("seq", sequence)
            json.member("version", ifPresent: version)
            json.member("path", ifPresent: path) { json, path in
                json.object { json in
                    json.member("via", path.via.rawValue)
                    json.member("interface", ifPresent: path.interface)
                    json.member("connectivity", ifPresent: path.connectivity?.rawValue)
                    json.member("reason", ifPresent: path.reason)
                    json.member("probe", ifPresent: path.probe)
                    json.member("since", path.since)
                }
            }
            json.name("uplinks")
            json.array(uplinks) { json, uplink in
                json.object { json in
                    json.member("interface", uplink.interface)
                    json.member("kind", uplink.kind)
                    json.member("connectivity", uplink.connectivity)
                    json.member("used", uplink.isUsed)
                    json.member("reason", ifPresent: uplink.reason)
                }
            }
            if lost > 0 { json.member("lost", lost) }
            json.member("window", ifPresent: figures) { $1.write(to: &$0, objective) }
        }
        return json.bytes
    }
}

extension DeviceFigures {
    /// Writes the figures as one object; durations are whole microseconds.
    func write(to json: inout JSONWriter, _ objective: Objective?) {
        json.object { json in
            json.member("availability_percent", decimal: Figures.percent(available, of: known))
            json.member("available_us", available)
            json.member("unavailable_us", unavailable)
            json.member("unknown_us", unknown)
            json.member("outage_count", outages)
            if longest > 0 { json.member("longest_us", longest) }
            json.member("segment", ifPresent: segment?.rawValue)
            guard let objective, let budget = budget(objective) else { return }
            json.name("error_budget")
            json.object { json in
                json.member("objective_percent", decimal: objective.percent)
                json.member("allowed_us", budget.allowed)
                json.member("spent_us", unavailable)
                json.member("left_us", budget.left)
            }
        }
    }
}
