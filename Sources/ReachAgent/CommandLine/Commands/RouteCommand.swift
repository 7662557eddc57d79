internal import ArgumentParser
internal import NetlinkMonitor
internal import Reachability

internal import struct AgentEvents.JSONWriter

/// `reachagent route`: the path that the agent derives for one destination, with its reasons.
struct RouteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "route",
        abstract: "Show the path to a destination, and why.",
        usage: "reachagent route [<options>] <destination>",
        discussion: """
            Looks up how a packet of this user would leave, in the kernel; nothing is sent there, and no agent is needed. A \
            destination is an address, a target or a probe of the configuration, a host name (also as HOST:PORT or HOST/, as \
            for 'reachagent probe'), or a URL; names of hosts are looked up in the system's resolver, and each of their \
            addresses is shown. The kinds of interface are those of the configuration.

            EXAMPLES
              reachagent route 192.0.2.7
              reachagent route www.example.org
              reachagent route office --json

            EXIT STATUS
              0   there is a usable path to one of the addresses
              1   there is none
              64  the destination is neither an address, a host name, a URL, nor a
                  name of the configuration
              69  the kernel's netlink is not available, or no agent answers at the
                  named socket
              75  the host was not found, or no answer in time at the named socket
              77  no permission to ask the agent at the named socket
              78  the file of '--config' is bad, or for a name without a dot the
                  configuration
            """
    )

    @Argument(
        help: "An address, a target or probe of the configuration, a host name, or a URL.",
        completion: .agentNames(of: .destinations)
    )
    var destination: String

    @Flag(help: "Print one JSON object for each address, one a line.")
    var json = false

    @OptionGroup(title: "Configuration") var source: AgentFileOptions

    @OptionGroup(title: "Expert options") var watch: WatchOptions

    func run() throws {
        // A target of the configuration takes precedence over a host of the same name.
        let settings = try source.settings(isRequired: CheckTarget.isOnlyName(destination))
        let found: RouteDestination
        do {
            found = try RouteDestination(destination, settings)
        } catch let failure as RouteDestination.Failure {
            Terminal.printError("reachagent: \(failure)")
            throw ExitCode(ExitStatus.tryAgain)
        } catch {
            throw WrongUsage.exit("\(error)")
        }
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in
            try NetworkMonitor.snapshot(
                watch.monitorConfiguration(
                    targets: found.addresses,
                    kindOverrides: settings.kindOverrides,
                    internetAddresses: settings.internetAddresses
                )
            )
        }
        let paths = found.addresses.map { address in
            (address, snapshot.lookups[address].map { Path($0, in: snapshot) } ?? .unknown)
        }
        if !json, let name = found.name { Terminal.print("\(name) has \(Self.count(paths.count))") }
        for (address, path) in paths {
            if json {
                Terminal.print(JSONWriter.text(of: TargetState(address: address, path: path).published))
            } else {
                Terminal.print(StateText.lines(path, to: address, style: .standardOutput()).joined(separator: "\n"))
            }
        }
        guard paths.contains(where: { $0.1.via.isReachable }) else { throw ExitCode(ExitStatus.finding) }
    }

    private static func count(_ addresses: Int) -> String { addresses == 1 ? "1 address" : "\(addresses) addresses" }
}
