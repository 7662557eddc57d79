internal import ArgumentParser
internal import EventEnvelope
internal import EventSchema
internal import NetlinkMonitor
internal import Reachability

/// `reachagent route ADDRESS`: the path that the agent derives for one address, with its reasons.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Show the path to one address, and why it is that.",
        usage: "reachagent route [<options>] <address>",
        discussion: """
            The kernel is asked how a packet of this user would leave; nothing is sent, and no agent is needed.

            EXAMPLES
              reachagent route 192.0.2.7
              reachagent route 2001:db8::7 --json

            EXIT STATUS
              0   there is a usable path
              1   there is none
              69  the kernel's netlink is not available
            """
    )

    @Argument(help: "An IPv4 or IPv6 address.", transform: Arguments.address)
    var address: IPAddress

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var watch: WatchOptions

    func run() throws {
        let destination = address
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(watch.monitorConfiguration(targets: [destination]))
        }
        let path = snapshot.lookups[destination].map { Path($0, in: snapshot) } ?? .unknown
        if json {
            var text = JSONWriter()
            TargetState(address: destination, path: path).write(to: &text)
            Terminal.print(text.bytes)
        } else {
            Terminal.print(StateText.lines(path, to: destination).joined(separator: "\n"))
        }
        guard path.via.isReachable else { throw ExitCode(ExitStatus.finding) }
    }
}
