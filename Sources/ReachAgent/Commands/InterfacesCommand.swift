internal import ArgumentParser
internal import EventEnvelope
internal import EventSchema
internal import NetlinkMonitor

/// `reachagent interfaces`: every interface, its kind, and the evidence for the kind.
struct InterfacesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "interfaces",
        abstract: "Show every interface, and what kind it is.",
        usage: "reachagent interfaces [<options>]",
        discussion: """
            The kernel is asked, no agent is needed. EVIDENCE is what the kind rests on. A kind followed by '?' is a guess: \
            another kind could hide behind the same evidence, as a phone tethered by USB looks like Ethernet. Set such kinds \
            right with --interface-kind, and for the agent in its configuration.

            EXAMPLES
              reachagent interfaces
              reachagent interfaces --interface-kind 'usb*=wwan'

            EXIT STATUS
              0   done
              69  the kernel's netlink is not available
            """
    )

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @OptionGroup var watch: WatchOptions

    func run() throws {
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(watch.monitorConfiguration())
        }
        let links = snapshot.links.values.sorted { $0.index < $1.index }
        if json {
            for link in links {
                var text = JSONWriter()
                link.write(addresses: addresses(of: link, snapshot), in: snapshot, to: &text)
                Terminal.print(text.bytes)
            }
        } else {
            Terminal.print(table(links, snapshot))
        }
    }

    private func addresses(of link: Link, _ snapshot: NetworkSnapshot) -> [InterfaceAddress] {
        snapshot.addresses.filter { $0.interfaceIndex == link.index }
    }

    private func table(_ links: [Link], _ snapshot: NetworkSnapshot) -> String {
        var table = TextTable(header: ["NAME", "KIND", "STATE", "ADDRESSES", "EVIDENCE"])
        for link in links {
            table.add([
                link.name,
                link.kind.rawValue + (link.classification.isGuess ? "?" : ""),
                link.stateDescription,
                addresses(of: link, snapshot).map(\.description).joined(separator: ", "),
                link.classification.evidence.map(\.description).joined(separator: " "),
            ])
        }
        return table.text
    }
}
