internal import ArgumentParser
internal import EventEnvelope
internal import EventJournal
internal import EventSchema
internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Reachability
internal import StateSocket

/// `reachagent run`: the agent in the foreground.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Watch, publish every change, and print it as one JSON object a line.",
        discussion: """
            The first lines tell the state at the start; then follows one line for each change, flushed at once:
            'path.changed' for every edge as the kernel reports it, 'reachability.changed' when a change has held for \
            the settle time. Every event is kept in a journal ('reachagent history'), and sockets let others follow \
            ('reachagent watch', 'reachagent status'). Log messages go to standard error. SIGINT or SIGTERM end the agent.

            EXAMPLES
              reachagent run --format human
              reachagent run --target office=192.0.2.7 --settle-down 3s
              reachagent run --format none --socket-group netdev
              reachagent run --no-journal --no-sockets
              reachagent run | jq -r 'select(.type == "reachagent.reachability.changed") | .data.to.via'
            """
    )

    @Option(help: "How to print events: 'json' (one object a line), 'human', or 'none'.")
    var format: OutputFormat = .json

    @Flag(help: "Print the current state and end: status 0 when reachable, 1 when not.")
    var once = false

    @Option(
        name: .customLong("target"),
        help: ArgumentHelp(
            "Also watch the path to one address (repeatable, at most \(MonitorConfiguration.mostTargets)).",
            valueName: "name=address"
        ),
        transform: Arguments.target
    )
    var targets: [Target] = []

    @Option(
        help: ArgumentHelp("How long an improvement must hold before it counts (default: 250ms).", valueName: "time"),
        transform: Arguments.duration
    )
    var settleUp: Duration?

    @Option(
        help: ArgumentHelp("How long a loss must hold before it counts (default: 1s).", valueName: "time"),
        transform: Arguments.duration
    )
    var settleDown: Duration?

    @OptionGroup var watch: WatchOptions

    @OptionGroup(title: "Journal options") var journal: JournalOptions

    @OptionGroup(title: "Socket options") var sockets: StateSocketOptions

    func validate() throws {
        var names: Set<String> = []
        for target in targets where !names.insert(target.name).inserted {
            throw ValidationError("target '\(target.name)' is given twice; each needs a name of its own")
        }
        guard targets.count <= MonitorConfiguration.mostTargets else {
            throw ValidationError(
                "\(targets.count) targets are given; at most \(MonitorConfiguration.mostTargets) are watched"
            )
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let monitor = watch.monitorConfiguration(targets: targets.map(\.address))
        if once { return try printOnce(monitor, targets) }
        let configuration = AgentConfiguration(
            monitor: monitor,
            settle: SettlePolicy(
                up: settleUp ?? SettlePolicy.standard.up,
                down: settleDown ?? SettlePolicy.standard.down
            ),
            targets: targets,
            format: format,
            journal: journalConfiguration,
            needsJournal: journal.journalDirectory != nil
                || ProcessInfo.processInfo.environment["STATE_DIRECTORY"] != nil,
            sockets: socketConfiguration,
            needsSockets: sockets.socketDirectory != nil
                || ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"] != nil
        )
        try StartFailure.orExit { try AgentServices(configuration).run() }
    }

    private var journalConfiguration: JournalConfiguration? {
        guard !journal.noJournal else { return nil }
        guard let directory = JournalLocation().directoryToWrite(journal.journalDirectory) else {
            AgentLogger.make().notice(
                "there is no journal: neither XDG_STATE_HOME nor HOME says where; give --journal-directory"
            )
            return nil
        }
        return journal.configuration(in: directory)
    }

    private var socketConfiguration: StateSocketConfiguration? {
        guard !sockets.noSockets else { return nil }
        guard let configuration = sockets.configuration() else {
            AgentLogger.make().notice(
                "there are no sockets: XDG_RUNTIME_DIR does not say where; give --socket-directory"
            )
            return nil
        }
        return configuration
    }

    private func printOnce(_ configuration: MonitorConfiguration, _ targets: [Target]) throws {
        let snapshot = try Unavailable.orExit { () throws(NetlinkError) in try NetworkMonitor.snapshot(configuration) }
        var machine = ReachabilityMachine(settle: .none, targets: targets)
        let observed = ObservedTime.now
        _ = machine.handle(NetworkUpdate(snapshot: snapshot, changes: [], observed: observed))
        let draft = EventDraft.networkSnapshot(snapshot, state: machine.state, targets: machine.targetPaths)
        let event = Event(draft, from: .current(), at: Timestamp(observed), number: 1)
        switch format {
        case .json: Terminal.print(event.line)
        case .human: Terminal.print(StateText.lines(snapshot, machine).joined(separator: "\n"))
        case .none: break
        }
        guard machine.state.via.isReachable else { throw ExitCode(ExitStatus.finding) }
    }
}
