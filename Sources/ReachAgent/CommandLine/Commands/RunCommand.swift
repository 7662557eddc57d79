internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import EventJournal
internal import ForeignText
internal import FoundationEssentials
internal import Glibc
internal import LinuxSupport
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Reachability
internal import StateSocket

/// `reachagent run`: the agent in the foreground.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the agent: watch, and publish every change.",
        usage: "reachagent run [<options>]",
        discussion: """
            Prints the state at the start, then each change at once: 'path.changed' for every edge as the kernel reports it, \
            'reachability.changed' when a change has held for the settle time, 'probe.changed' for a probe's verdict. \
            With '--format human', 'path.changed' is left out unless '--all' is given. Log messages go to standard error.

            Every event is kept in a journal ('reachagent history'), sockets let others follow ('reachagent watch', \
            'reachagent status'), and hooks run when something changes ('reachagent hooks list'). SIGINT and SIGTERM end the \
            agent, and SIGHUP makes it read its configuration again.

            EXAMPLES
              reachagent run --format human
              reachagent run --probe https://example.org/ --probe icmp://192.0.2.1
              reachagent run --config reachagent.toml
              reachagent run --target office=192.0.2.7 --settle-down 3s
              reachagent run --format none --socket-group netdev
              reachagent run --no-journal --no-sockets | jq -c .data.to
            """
    )

    @Option(help: "The format of events: one JSON object a line, lines for people, or nothing.")
    var format: OutputFormat = .json

    @Flag(name: .customLong("all"), help: "Also print every 'path.changed' with '--format human'.")
    var all = false

    @Flag(
        help: """
            Check every probe once, print the state, and end: with status 0 when the machine is reachable and no required \
            probe fails, else 1.
            """
    )
    var once = false

    @Option(
        name: .customLong("target"),
        help: ArgumentHelp(
            "Also watch the path to one address (repeatable, at most \(MonitorConfiguration.maximumTargets)).",
            valueName: "name=address"
        ),
        transform: Arguments.target
    )
    var targets: [Target] = []

    @Option(
        help: ArgumentHelp(
            "The time that an improvement must hold before it counts (default: 250ms).",
            valueName: "time"
        ),
        transform: Arguments.duration
    )
    var settleUp: Duration?

    @Option(
        help: ArgumentHelp("The time that a loss must hold before it counts (default: 1s).", valueName: "time"),
        transform: Arguments.duration
    )
    var settleDown: Duration?

    @Option(
        help: ArgumentHelp(
            "Record everything that the state is derived from in a new file, for 'reachagent replay' and bug reports.",
            valueName: "file"
        ),
        completion: .file()
    )
    var record: String?

    @Option(
        help: ArgumentHelp(
            "Write metrics for node_exporter's textfile collector after settled changes, at most once a minute.",
            valueName: "file"
        ),
        completion: .file(extensions: ["prom"]),
        transform: AbsolutePath.of
    )
    var metricsFile: String?

    @OptionGroup var colors: ColorOptions

    @OptionGroup(title: "Configuration and probes") var configuration: ConfigurationOptions

    @OptionGroup(title: "Hooks") var hooks: HookOptions

    @OptionGroup(title: "Journal options") var journal: JournalOptions

    @OptionGroup(title: "Socket options") var sockets: StateSocketOptions

    @OptionGroup(title: "Log") var log: LogOptions

    @OptionGroup(title: "Expert options") var watch: WatchOptions

    func validate() throws {
        var names: Set<String> = []
        for target in targets where !names.insert(target.name).inserted {
            throw ValidationError("target '\(target.name)' is given twice; each needs its own name")
        }
        guard targets.count <= MonitorConfiguration.maximumTargets else {
            throw ValidationError(
                "\(targets.count) targets are given; at most \(MonitorConfiguration.maximumTargets) are watched"
            )
        }
    }

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        // A file at the limit of its size (RLIMIT_FSIZE) is like a full disk, which ends nothing.
        signal(SIGXFSZ, SIG_IGN)
        defer { AgentLogger.finish() }
        AgentLogger.setLevel(log.logLevel)
        let source = ConfigurationSource(
            path: configuration.path,
            searched: configuration.searched,
            override: override
        )
        let loaded = try BadConfiguration.orExit(source.load)
        AgentLogger.setLevel(loaded.settings.agent.logLevel)
        for warning in loaded.warnings { AgentLogger.make().warning("\(warning)") }
        let settings = loaded.settings
        FreedMemory.limit()
        if once {
            return try RunOnce(
                settings: settings,
                monitor: Self.monitor(settings, watch),
                format: format,
                readsNoConfiguration: configuration.noConfig
            ).run()
        }
        warnOfMissingHooks()
        let socketSettings = socketConfiguration(settings)
        try StartFailure.orExit {
            try AgentServices(
                AgentConfiguration(
                    source: source,
                    loaded: loaded,
                    monitor: { [watch] in Self.monitor($0, watch) },
                    hooks: { [hooks] in hooks.hooks(of: $0) },
                    format: EventFormat(
                        format,
                        style: .standardOutput(color: colors.color),
                        showsPaths: all,
                        today: .now
                    ),
                    recording: record,
                    journal: journalConfiguration(settings.agent),
                    needsJournal: journal.journalDirectory != nil || settings.agent.journalDirectory != nil
                        || ProcessInfo.processInfo.environment["STATE_DIRECTORY"] != nil,
                    sockets: socketSettings,
                    needsSockets: sockets.socketDirectory != nil || settings.agent.socketDirectory != nil
                        || ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"] != nil,
                    metricsFile: metricsPath(settings.agent, hasSockets: socketSettings != nil)
                )
            ).run()
        }
    }

    /// Warns of the named hook directories that do not exist; a file system that hangs delays only the warning.
    private func warnOfMissingHooks() {
        let directories = hooks.place.directories.map(AbsolutePath.of)
        guard !directories.isEmpty else { return }
        try? NamedThread.start("hooks-missing") {
            for directory in directories where HookLocation.isMissing(directory) {
                AgentLogger.make().warning(
                    "--hooks: \(ForeignText.line(directory)) does not exist; its hooks run once it does"
                )
            }
        }
    }

    /// Applies the options of the command line to the settings of the file.
    private var override: @Sendable (inout Settings) throws(ConfigurationErrors) -> Void {
        let (up, down, targets, options, level) = (settleUp, settleDown, targets, configuration, log.logLevel)
        return { settings throws(ConfigurationErrors) in
            settings.agent.logLevel = level ?? settings.agent.logLevel
            settings.settle = SettlePolicy(up: up ?? settings.settle.up, down: down ?? settings.settle.down)
            let named = Set(targets.map(\.name))
            settings.targets = settings.targets.filter { !named.contains($0.name) } + targets
            let (count, maximum) = (settings.targets.count, MonitorConfiguration.maximumTargets)
            guard count <= maximum else {
                let message = "\(count) targets, with those of the configuration; at most \(maximum) are watched"
                throw ConfigurationErrors([ConfigurationError(file: "--target", message: message)])
            }
            settings.probes += try options.definitions(besides: Set(settings.probes.map(\.name)))
        }
    }

    private static func monitor(_ settings: Settings, _ watch: WatchOptions) -> MonitorConfiguration {
        watch.monitorConfiguration(
            targets: settings.targets.map(\.address),
            kindOverrides: settings.kindOverrides,
            internetAddresses: settings.internetAddresses
        )
    }

    private func journalConfiguration(_ settings: AgentSettings) -> JournalConfiguration? {
        guard !journal.noJournal, settings.journal ?? true || journal.journalDirectory != nil else { return nil }
        let named = journal.journalDirectory ?? settings.journalDirectory
        guard let directory = JournalLocation().directoryToWrite(named) else {
            AgentLogger.make().notice(
                "there is no journal: neither XDG_STATE_HOME nor HOME says where; give --journal-directory"
            )
            return nil
        }
        return journal.configuration(in: directory, settings)
    }

    /// Returns the file of metrics; that of the configuration belongs to the service, which runs beside an agent that was
    /// started without sockets, or that records without them.
    func metricsPath(_ settings: AgentSettings, hasSockets: Bool) -> String? {
        let isBesideService = sockets.noSockets || record != nil && !hasSockets
        guard metricsFile == nil, isBesideService, let left = settings.metricsFile else {
            return metricsFile ?? settings.metricsFile
        }
        AgentLogger.make().notice(
            "\(ForeignText.line(left)) is left to the service: without sockets only '--metrics-file' writes metrics"
        )
        return nil
    }

    private func socketConfiguration(_ settings: Settings) -> StateSocketConfiguration? {
        guard !sockets.noSockets, settings.agent.sockets ?? true || sockets.socketDirectory != nil else { return nil }
        guard let configuration = sockets.configuration(settings.agent, http: settings.http) else {
            AgentLogger.make().notice(
                "there are no sockets: XDG_RUNTIME_DIR does not say where; give --socket-directory"
            )
            return nil
        }
        return configuration
    }
}

/// The messages on standard error.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least important messages to log: trace, debug, info, notice, warning, error or critical.",
            discussion: """
                Default: 'log_level' of the configuration, or notice. With '--format none' every change of the state is \
                logged too, a loss as a warning; where events are printed, only from debug on. Repeated messages are \
                counted instead. SIGUSR1 logs the state, whatever the level.
                """,
            valueName: "level"
        ),
        completion: .list(LogLevel.allCases.map(\.rawValue)),
        transform: Self.level
    )
    var logLevel: LogLevel?

    private static func level(_ text: String) throws -> LogLevel {
        guard let level = LogLevel(rawValue: text) else {
            let words = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(ForeignText.shown(text, limit: 64))' is not a log level; accepted are \(words)")
        }
        return level
    }
}
