internal import AgentEvents

extension StatusText {
    /// The maximum number of uplinks that are listed.
    private static let maximumListed = 20

    /// The availability of the default path and of each uplink: `today 100.000 %, 30 days 99.953 %`.
    var availability: [String] {
        func text(_ share: Status.Availability.Share) -> String { share.percent.map { "\($0) %" } ?? "unknown" }
        let rows = reply.availability.prefix(Self.maximumListed).map { entry in
            (
                label: entry.uplink.map { safe($0) } ?? "default path",
                text: "today \(text(entry.today)), 30 days \(text(entry.thirtyDays))"
            )
        }
        return section("AVAILABILITY", labelled(rows))
    }
}
