extension Manual {
    /// Returns reachagent(8), from the program's description of its own command line.
    func agentPage(_ tool: ToolDescription) throws -> RoffPage {
        let root = tool.command
        var page = page(root.commandName, 8, "report network reachability and its changes")
        let help = HelpText.blocks(root.discussion ?? "")
        let status = help.firstIndex(of: .heading("EXIT STATUS")) ?? help.endIndex
        page.section("Synopsis")
        let options: [Span] = [.plain(" ["), .emphasis("option"), .plain("]...")]
        page.lines([[.literal(root.commandName), .plain(" "), .emphasis("command")] + options])
        page.section("Description")
        page.set(Array(help[..<status]))
        page.set(try Self.blocks(Self.agentDescription, page: "reachagent"))
        page.section("Commands")
        page.paragraph(HelpText.spans("All commands know --help and --version. A value follows a space or '='."))
        for (path, command) in root.leaves {
            page.item([.page(name: Self.pageName(path), section: 8)], [HelpText.spans(command.abstract ?? "")])
        }
        page.section("Exit status")
        page.set(Array(help[status...].dropFirst()))
        page.paragraph([
            .plain("The unit of systemd does not restart the agent after 64 and 78: no restart mends that.")
        ])
        for (title, text) in Self.agentSections {
            page.section(title)
            page.set(try Self.blocks(text, page: "reachagent"))
        }
        return page
    }

    /// The description beyond the program's own help.
    static let agentDescription = """
        `reachagent run` is the agent: it watches the kernel, checks the targets that reachagent.toml(5) names, publishes \
        each change with its reason as an event (reachagent-events(7)), keeps them in a journal, serves three sockets and \
        runs hooks. The package starts it as `reachagent.service`. All other commands ask that agent, read its journal, or \
        look for themselves; none of them needs to be root. The sockets are open to the group `reachagent`.
        """

    /// The sections after the commands, in Markdown.
    static let agentSections = [
        ("Signals", signals), ("Environment", environment), ("Files", files), ("Examples", examples),
        ("See also", seeAlso),
    ]

    private static let signals = """
        For `reachagent run`:

        | Signal | Meaning |
        |---|---|
        | `SIGTERM`, `SIGINT` | Orderly shutdown: `agent.stopping` is published and recorded, subscribers get their pending events, and programs that run as hooks have `stop_grace` to finish. A second signal ends the agent at once. |
        | `SIGHUP` | Reload the configuration, as `reachagent reload` does; errors are logged, and leave it unchanged. An agent whose terminal was closed stops instead. |
        | `SIGUSR1` | The state, as `reachagent status --full` shows it, is written to the log, whatever the log's level is. |
        | `SIGPIPE` | Ignored: the agent outlives the reader of its log, and stops in order when that of its output is gone. |
        | `SIGXFSZ` | Ignored: a file at the limit of its size is like a full disk. |
        """

    private static let environment = """
        | Variable | Meaning |
        |---|---|
        | `REACHAGENT_SOCKET` | The control socket that commands use without `--socket`, or its directory. |
        | `CONFIGURATION_DIRECTORY` | The directory of `reachagent.toml` (systemd.exec(5)). |
        | `CREDENTIALS_DIRECTORY` | The directory of the files that the configuration calls `credential:NAME`. |
        | `STATE_DIRECTORY` | The journal is in `journal` below it. Commands that find none there look where an agent outside a service has it. |
        | `RUNTIME_DIRECTORY` | The directory of the sockets: the first of several. Commands use a `control.sock` in one of them only if it exists, or if the directory's name is `reachagent`, because systemd sets the variable for any service. |
        | `XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_RUNTIME_DIR`, `HOME` | Where configuration and hooks, the journal, and the sockets are for a user who is not root. |
        | `NOTIFY_SOCKET` | The service manager's socket, for `READY=1`, `STATUS=`, `RELOADING=1` and `STOPPING=1` (sd_notify(3)). |
        | `WATCHDOG_USEC`, `WATCHDOG_PID` | The interval at which the service manager expects a keep-alive, which is sent only while the loop, the reader of kernel messages and the event loops all answer. |
        | `LISTEN_FDS`, `LISTEN_PID`, `LISTEN_FDNAMES` | Sockets from the service manager, named `events`, `control` and `http` (sd_listen_fds(3)). |
        | `JOURNAL_STREAM` | Standard error is systemd's journal: lines start with a priority instead of a time. |
        | `NATS_URL` | The server of `reachagent fleet`, unless `--server` names one. |
        | `NO_COLOR`, `TERM` | No colours when the first is set and not empty, when the second is `dumb`, or when the output is not a terminal. With `dumb` nothing is redrawn in place either. |
        | `LC_ALL`, `LC_CTYPE`, `LANG` | The first that is set and not empty is the locale. Symbols such as `→` are printed only in a UTF-8 locale, also into files and pipes. |
        | `LANGUAGE`, `LC_MESSAGES` | With the former, the `Accept-Language` of requests. |

        Hooks have an environment of their own: see reachagent.toml(5).
        """

    private static let files = """
        | File | Meaning |
        |---|---|
        | `/etc/reachagent/reachagent.toml` | The configuration; reachagent.toml(5). |
        | `/etc/reachagent/reachagent.toml.d/` | Drop-ins, read after it in the order of their names. |
        | `/usr/lib/reachagent/` | The same of a vendor. |
        | `/etc/reachagent/hooks.d/` | Programs that run when something changes. |
        | `/var/lib/reachagent/journal/` | The journal: every event as one line of JSON. |
        | `/run/reachagent/events.sock` | Connect and read: a greeting, the state, then each event. |
        | `/run/reachagent/control.sock` | Requests: the state, subscriptions, checks, reload. |
        | `/run/reachagent/http.sock` | Over HTTP: a page of the state, metrics, and each event. |
        | `\(installed)/` | More documentation: hooks, the protocol of the sockets, the journal, replays, examples. |
        """

    private static let examples = """
        What the state is, since when and why; then each change as it happens:

            reachagent status
            reachagent watch

        What is broken, from link to TLS, as a page to attach to a report:

            reachagent diagnose --output report.txt

        Without the service, in a terminal, with a check besides:

            reachagent run --format human --probe https://www.example.org/

        Begin a transfer as soon as there is Wi-Fi or a cable:

            reachagent wait-online --via wifi --via wired --timeout 60s &&
                rsync -a /srv/data backup.example:

        Try a configuration before the agent takes it:

            reachagent config check && systemctl reload reachagent

        A program of your own, in any language, begins by reading lines:

            socat -u UNIX-CONNECT:/run/reachagent/events.sock - | jq .type
        """

    private static let seeAlso = """
        reachagent.toml(5), reachagent-events(7), systemd.service(5), journalctl(1), ip(8)

        Documentation in `\(installed)`.
        """
}
