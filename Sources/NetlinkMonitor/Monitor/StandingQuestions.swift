/// The questions that every view asks the kernel's route lookup.
struct StandingQuestions {
    /// The targets, and the first address of each family that stands for the Internet.
    let first: [LookupQuestion]
    /// The other addresses that stand for the Internet: asked where the first was not answered by a default route.
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

    /// Whether an address is the first of its family that stands for the Internet.
    func stands(_ address: IPAddress) -> Bool { internet.contains(address) }
}
