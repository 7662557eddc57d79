internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import Glibc
internal import Hooks
internal import LinuxSupport

/// `reachagent hooks`: the programs and requests that run on changes.
struct HooksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks",
        abstract: "Show what runs when something changes; run a hook now.",
        discussion: """
            A hook is a program in /etc/reachagent/hooks.d, or a table [hook.NAME] of the configuration. These commands \
            read the directories and the configuration of the running agent, or those of 'reachagent run' without one. See \
            reachagent.toml(5).
            """,
        subcommands: [HooksListCommand.self, HooksRunCommand.self]
    )
}

/// `reachagent hooks list`: the hooks that would run, and the reasons that others would not.
struct HooksListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show which hooks run for which event, and why not.",
        usage: "reachagent hooks list [<options>]",
        discussion: """
            Shows the hooks in the order in which they are started, and of others why they do not run. Every file is \
            checked as it is before it runs, but for the calling user: the agent may run as another one, so run this \
            as the agent's user.

            EXAMPLES
              reachagent hooks list
              reachagent hooks list --event last
              reachagent history --type reachability.changed --last 1 --json |
                reachagent hooks list --event -

            EXIT STATUS
              0   done, also when there are hooks that do not run
              69  there is no journal, or no such event in it, or no agent answers at
                  the named socket
              75  no answer in time at the named socket, or it is not control.sock
              77  no permission to read the event or the journal, or to ask the agent
                  at the named socket
              78  the configuration, or the event, is bad
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only what would happen for this event: a file with one line of JSON, '-', or 'last' of the journal "
                + "that a hook is for.",
            valueName: "file|last"
        ),
        completion: .file()
    )
    var event: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var source: HookSourceOptions

    func run() throws {
        let listing = try source.listing()
        let event = try event.map { argument in
            try source.event(argument).event(of: listing.types) { _ in true }
        }
        if json {
            var writer = JSONWriter()
            HookListJSON(listing: listing, event: event).write(to: &writer)
            Terminal.print(writer.bytes)
        } else {
            Terminal.print(HookListText(listing: listing, style: .standardOutput(), event: event).text)
        }
    }
}

/// `reachagent hooks run`: runs one hook immediately.
struct HooksRunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run one hook now, for a past event.",
        usage: "reachagent hooks run <name> --event <file|last> [<options>]",
        discussion: """
            Prints the hook's output on standard output, and its exit status on standard error. The hook is checked, and \
            gets the same environment, input and timeout as from the agent; it runs as the calling user, or as the one that \
            its table names. Each failed attempt of a webhook is shown at once. Nothing is recorded, and a running agent is \
            not involved. A hook whose conditions do not match the event runs nevertheless, with a note. Ctrl-C, SIGTERM or \
            SIGHUP ends the hook as its timeout does, and then the command.

            EXAMPLES
              reachagent hooks run 10-log --event last
              reachagent hooks run vpn --event last --dry-run
              reachagent history --type reachability.changed --last 1 --json |
                  reachagent hooks run vpn --event -

            EXIT STATUS
              0   the hook succeeded
              1   it failed, or took too long
              69  there is no such hook, journal or event, or no agent answers at the
                  named socket
              75  the system could not create a process or an event loop, or no answer in
                  time at the named socket; try again
              77  no permission to read the event or the journal, or to ask the agent
                  at the named socket
              78  the hook is refused, or the configuration or the event is bad
            """
    )

    @Argument(
        help: "The hook: a table's name, or a file's, such as '10-log' or 'wifi.d/10-log'.",
        completion: .agentNames(of: .hooks)
    )
    var name: String

    @Option(
        help: ArgumentHelp(
            "The event: a file with one line of JSON, '-' for standard input, or 'last' of the journal for this hook.",
            valueName: "file|last"
        ),
        completion: .file()
    )
    var event: String

    @Flag(help: "Only show what would be run: the checked path, arguments, user, environment and input.")
    var dryRun = false

    @OptionGroup var source: HookSourceOptions

    func run() throws {
        let listing = try source.listing()
        let hook = try hook(in: listing)
        let event = try source.event(event).event(of: hook.types) { event in
            hook.matches(event) == .matches
        }
        guard let run = hook.run(for: event, timeout: listing.directoryTimeout) else {
            return try end(hook.name, because: "is not a program")
        }
        let number = event.sequence.map { " #\($0)" } ?? ""
        Terminal.printError(HookText.safe("event: \(event.type.shortName)\(number), \(event.time)"))
        if let reason = HookText.reason(hook.matches(event), of: hook) {
            Terminal.printError("the agent would not run it for this event: \(reason)")
        }
        if dryRun {
            let plan = run.plan()
            Terminal.print(HookPlanText(plan: plan, user: listing.user, style: .standardOutput()).text)
            if case .refused = plan.action { throw ExitCode(ExitStatus.badConfiguration) }
            return
        }
        let (completion, signal) = run.run(ownsProcess: true) { Terminal.printError(HookRunText.retry($0)) }
        let output = HookRunText.output(completion.output)
        if !output.isEmpty { Terminal.print(output) }
        let isStopped = completion.ending.outcome == "stopped"
        Terminal.printError(
            isStopped ? HookText.safe("hook \(completion.hook) was stopped") : HookRunText.ending(completion)
        )
        if let signal {
            // A shell ends its own script only if the command has ended by the signal.
            raise(signal)
            throw ExitCode(128 + signal)
        }
        switch completion.ending.outcome {
        case "succeeded": return
        case "refused": throw ExitCode(ExitStatus.badConfiguration)
        case "not_started": throw ExitCode(ExitStatus.tryAgain)
        default: throw ExitCode(ExitStatus.finding)
        }
    }

    /// Returns the named hook; throws with the reason if it is masked, disabled or put aside.
    private func hook(in listing: HookListing) throws -> ListedHook {
        guard let hook = listing.hook(named: name) else {
            let names = listing.hooks.filter { $0.obstacle == nil }.map(\.name)
            let more = names.count > 8 ? " and \(names.count - 8) more" : ""
            let shown = names.prefix(8).joined(separator: ", ") + more
            let known = names.isEmpty ? "there is none at all" : "there are \(shown)"
            Terminal.printError(HookText.safe("reachagent: there is no hook '\(name)'; \(known)"))
            throw ExitCode(ExitStatus.unavailable)
        }
        switch hook.obstacle {
        case nil, .refused: return hook
        case .masked(let path): try end(name, because: "is hidden by \(path)")
        case .skipped(_, let words): try end(name, because: "does not run: \(words)")
        }
        return hook
    }

    private func end(_ name: String, because reason: String) throws {
        Terminal.printError(HookText.safe("reachagent: hook '\(name)' \(reason)"))
        throw ExitCode(ExitStatus.badConfiguration)
    }
}

/// The files and directories that `reachagent hooks` works on: those of the running agent, unless others are named.
struct HookSourceOptions: ParsableArguments {
    @OptionGroup var source: AgentFileOptions

    @OptionGroup var place: HookDirectoryOptions

    @Option(
        help: ArgumentHelp(
            "The journal's directory, for '--event last' (default: the running agent's).",
            valueName: "dir"
        ),
        completion: .directory
    )
    var directory: String?

    /// Reads the configuration and the directories.
    ///
    /// Configuration errors are printed on standard error, and the exit status is 78.
    func listing() throws -> HookListing {
        let files = try source.files()
        let loaded: ConfigurationFile.Loaded
        do throws(ConfigurationErrors) {
            loaded = try files.load()
        } catch {
            throw AgentFileOptions.rejection(of: error)
        }
        return HookListing(
            place.hooks(of: loaded.settings, agent: files.agent),
            files: files,
            read: loaded.files,
            user: AccountDatabase.userName(number: geteuid()) ?? "UID \(geteuid())"
        )
    }

    /// The source of the event that an argument names.
    func event(_ argument: String) -> HookEventSource {
        HookEventSource(argument: argument, directory: directory, socket: source.agent.socket)
    }
}
