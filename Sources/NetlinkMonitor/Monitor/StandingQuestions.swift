/// The lookups for every snapshot.
struct StandingQuestions {
    /// The targets, and the first address of each family that represents the Internet.
    let first: [LookupQuestion]
    /// The other addresses that represent the Internet: looked up if the first was not answered by a default route.
    let further: [LookupQuestion]
    private let internet: [IPAddress]

    init(_ configuration: MonitorConfiguration) {
        internet = AddressFamily.allCases.compactMap { family in
            configuration.internetAddresses.first { $0.family == family }
        }
        let asked = internet + configuration.targets
        let addresses = configuration.lookedUpAddresses
        first = addresses.filter(asked.contains).map { LookupQuestion(destination: $0) }
        further = addresses.filter { !asked.contains($0) }.map { LookupQuestion(destination: $0) }
    }

    /// Returns whether an address is the first of its family that represents the Internet.
    func stands(_ address: IPAddress) -> Bool { internet.contains(address) }
}
