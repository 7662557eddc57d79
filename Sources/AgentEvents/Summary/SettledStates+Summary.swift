extension SettledStates {
    /// The maximum number of uplinks, and of probes, that are shown.
    private static let maximumShown = 8

    /// `now wifi wlan0 IPv4, full; uplink wwan0: wwan, standby, full; probe web: down (timeout)`: the probes that are up are
    /// not shown.
    package var summary: String {
        let notUp = probes.filter { $0.verdict.verdict != "up" }
        var parts = ["now \(state.summary)"]
        parts += uplinks.prefix(Self.maximumShown).map { "uplink \($0.interface): \($0.summary)" }
        parts += notUp.prefix(Self.maximumShown).map { probe in
            "probe \(probe.point.probe): \(probe.point.place)\(probe.verdict.summary)"
        }
        let more = uplinks.count + notUp.count + 1 - parts.count
        if more > 0 { parts.append("and \(more) more") }
        return parts.joined(separator: "; ")
    }
}
