internal import ArgumentParser
internal import ForeignText
internal import NetlinkMonitor

internal import struct AgentEvents.Interface
internal import struct AgentEvents.JSONWriter

/// `reachagent interfaces`: every interface, its kind, and the evidence for the kind.
struct InterfacesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interfaces",
        abstract: "Show every interface with its kind.",
        usage: "reachagent interfaces [<options>]",
        discussion: """
            Reads the kernel's interfaces; no agent is needed. EVIDENCE is the reason for the kind; \
            alternative names and addresses stand below. A kind followed by '?' is a guess: the evidence fits another \
            kind as well, as a phone tethered by USB looks like Ethernet. Correct such kinds with 'kinds' in the \
            configuration, which applies here too, or with --interface-kind.

            EXAMPLES
              reachagent interfaces
              reachagent interfaces --interface-kind 'usb*=wwan'

            EXIT STATUS
              0   done
              69  the kernel's netlink is not available, or no agent answers at the
                  named socket
              75  no answer in time at the named socket, or it is not control.sock
              77  no permission to ask the agent at the named socket
              78  the file of '--config' is bad
            """
    )

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup(title: "Configuration") var source: AgentFileOptions

    @OptionGroup(title: "Expert options") var watch: WatchOptions

    func run() throws {
        let kinds = try source.settings().kindOverrides
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(watch.monitorConfiguration(kindOverrides: kinds))
        }
        if json {
            for interface in Interface.all(in: snapshot) { Terminal.print(JSONWriter.text(of: interface)) }
        } else {
            Terminal.print(InterfacesText(style: .standardOutput()).text(snapshot.links.values, snapshot))
        }
    }
}

/// The interfaces as an operator reads them: a line each with the evidence for the kind, and below it its alternative names and
/// addresses.
struct InterfacesText {
    let style: TerminalStyle

    /// The lines for the interfaces of a snapshot, in the kernel's order.
    func text(_ links: [Link], _ snapshot: NetworkSnapshot) -> String {
        var table = FittedTable(["NAME", "KIND", "STATE", "EVIDENCE"])
        let addresses = snapshot.addressesByInterface
        for link in links {
            var notes = (addresses[link.index] ?? []).map(\.description)
            let names = link.alternativeNames
            if !names.isEmpty { notes.insert("also " + names.joined(separator: " "), at: 0) }
            table.add(
                [
                    .init(ForeignText.line(link.name)),
                    .init(link.kind.rawValue + (link.classification.isGuess ? "?" : "")),
                    .init(link.stateDescription),
                    .init(ForeignText.line(link.classification.evidence.map(\.description).joined(separator: " "))),
                ],
                note: ForeignText.line(notes.joined(separator: ", "))
            )
        }
        return table.lines(style, wrapsLast: true).joined(separator: "\n")
    }
}
