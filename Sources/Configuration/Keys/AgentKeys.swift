internal import EventJournal

/// The keys of `[agent]`.
struct AgentKeys: KeyTable {
    let journal = Setting(
        "journal",
        unset: \.agent.journal,
        .boolean,
        inEffect: true,
        reload: .needsRestart,
        "Keep a journal of all events"
    )
    let journalDirectory = Setting(
        "journal_directory",
        unset: \.agent.journalDirectory,
        .path,
        says: "the usual directory",
        example: "\"/var/lib/reachagent/journal\"",
        reload: .needsRestart,
        "Its directory"
    )
    // A journal segment has an eighth of it, and at most 8M, unless the command line sets another size.
    let journalSize = Setting(
        "journal_size",
        unset: \.agent.journalBytes,
        .size((8 << 20)...(1 << 40)),
        inEffect: 64 << 20,
        reload: .needsRestart,
        "Its maximum size, at least `\"8M\"`"
    )
    let journalAge = Setting(
        "journal_age",
        unset: \.agent.journalAge,
        .duration(.seconds(1) ... .seconds(36_500 * 86_400)),
        inEffect: .seconds(30 * 86_400),
        reload: .needsRestart,
        "The maximum age of events"
    )
    let historyAge = Setting(
        "history_age",
        \.agent.historyAge,
        .duration(.zero ... .seconds(36_500 * 86_400)),
        reload: .needsRestart,
        """
        The maximum age of settled changes, probe summaries, starts and stops, which are kept when `journal_age` and \
        `journal_size` remove other events; `"0s"` removes them too
        """
    )
    let historySize = Setting(
        "history_size",
        \.agent.historyBytes,
        .size((64 << 10)...(1 << 40)),
        reload: .needsRestart,
        "The maximum size of these, compressed and beside the journal's"
    )
    let journalSync = Setting(
        "journal_sync",
        unset: \.agent.journalSync,
        .sync,
        inEffect: .standard,
        reload: .needsRestart,
        "When events are forced to disk: `\"always\"`, `\"never\"`, or at most this long after"
    )
    let compressJournal = Setting(
        "compress_journal",
        unset: \.agent.compressesJournal,
        .boolean,
        inEffect: false,
        reload: .needsRestart,
        "Compress complete files of the journal (zstd)"
    )
    let sockets = Setting(
        "sockets",
        unset: \.agent.sockets,
        .boolean,
        inEffect: true,
        reload: .needsRestart,
        "Open `events.sock`, `control.sock` and `http.sock`"
    )
    let socketDirectory = Setting(
        "socket_directory",
        unset: \.agent.socketDirectory,
        .path,
        says: "the usual directory",
        example: "\"/run/reachagent\"",
        reload: .needsRestart,
        "Their directory"
    )
    let socketGroup = Setting(
        "socket_group",
        unset: \.agent.socketGroup,
        .string(1...64),
        says: "the process's",
        example: "\"netdev\"",
        reload: .needsRestart,
        "The group that may use them, by name or number"
    )
    let socketMode = Setting(
        "socket_mode",
        unset: \.agent.socketMode,
        .mode,
        inEffect: 0o660,
        reload: .needsRestart,
        "Their permission bits, in octal digits"
    )
    let maxConnections = Setting(
        "max_connections",
        unset: \.agent.maxConnections,
        .integer(1...1_000_000),
        inEffect: 4096,
        reload: .needsRestart,
        "The maximum number of connections to all of them; each user has a sixteenth ([protocol.md](protocol.md#limits))"
    )
    let metricsFile = Setting(
        "metrics_file",
        unset: \.agent.metricsFile,
        .path,
        example: "\"/var/lib/prometheus/node-exporter/reachagent.prom\"",
        reload: .needsRestart,
        """
        A file of [metrics](metrics.md#a-file) for node_exporter's textfile collector, written after a settled change, at \
        most once a minute; with `run --no-sockets` only by `--metrics-file`
        """
    )
    let logLevel = Setting(
        "log_level",
        unset: \.agent.logLevel,
        .choice,
        inEffect: .notice,
        "The least important messages that are logged: \(ValueFormat<LogLevel>.words)"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}
