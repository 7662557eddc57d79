internal import ForeignText
internal import NetlinkMonitor

/// The interfaces as an operator reads them: a line each with the evidence for the kind, and below it the addresses.
struct InterfacesText {
    let style: TerminalStyle

    /// The lines for the interfaces of a snapshot, in the kernel's order.
    func text(_ links: [Link], _ snapshot: NetworkSnapshot) -> String {
        var table = FittedTable(["NAME", "KIND", "STATE", "EVIDENCE"])
        for link in links {
            let addresses = snapshot.addresses.filter { $0.interfaceIndex == link.index }.map(\.description)
            table.add(
                [
                    .init(ForeignText.line(link.name)),
                    .init(link.kind.rawValue + (link.classification.isGuess ? "?" : "")),
                    .init(link.stateDescription),
                    .init(ForeignText.line(link.classification.evidence.map(\.description).joined(separator: " "))),
                ],
                note: ForeignText.line(addresses.joined(separator: ", "))
            )
        }
        return table.lines(style, wrapsLast: true).joined(separator: "\n")
    }
}
