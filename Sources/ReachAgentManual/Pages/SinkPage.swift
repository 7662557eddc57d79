extension Manual {
    /// The sections of pages beyond the program's own help, in Markdown.
    static let sections = ["reachagent-sink": sinkSections]

    private static let sinkSections = [
        ("Operation", operation), ("Exit status", exitStatus), ("Signals", signals), ("Environment", environment),
        ("Files", files),
    ]

    private static let operation = """
        The agent writes the list of its sinks to `sinks.json` beside its sockets. `reachagent-sink.path` starts \
        `reachagent-sink.service` when the file exists; a reload of the agent adds, changes and removes sinks without a \
        restart. To stop the program for good, remove the sinks from the configuration and reload the agent, or stop both \
        units: `systemctl disable --now reachagent-sink.path` and `systemctl stop reachagent-sink.service`.

        Credentials are read from files, which the user `reachagent` must be able to read. A credential of systemd is a file \
        in `/run/credentials/reachagent-sink.service`, given to this service by a drop-in with `LoadCredential=`.

        A sink of NATS begins behind the newest event of this device that the broker has stored, and each event is stored \
        once and in order, whatever is killed meanwhile. A sink of MQTT begins behind its saved position, and delivers each \
        event at least once. Events that leave the agent's journal before the broker has them are published by the agent as \
        `sink.lost`.
        """

    private static let exitStatus = """
        | Status | Meaning |
        |---|---|
        | `0` | No sink is configured, or a signal ended the program. |
        | `64` | The command line is wrong. |
        | `73` | The positions cannot be kept. |
        | `75` | The agent cannot be followed, or the system has no threads or descriptors left. |
        """

    private static let signals = """
        | Signal | Meaning |
        |---|---|
        | `SIGTERM`, `SIGINT` | The connections are closed and the positions saved, within two seconds. The second of them ends the program at once. |
        | `SIGHUP` | The list of the sinks is read again. |
        """

    private static let environment = """
        | Variable | Meaning |
        |---|---|
        | `REACHAGENT_SOCKET` | The agent's control socket, where neither `--socket` nor `--runtime-directory` names one. |
        | `STATE_DIRECTORY` | The positions are in it (systemd.exec(5)). |
        | `XDG_STATE_HOME`, `HOME` | The positions are in `reachagent-sink`, or `.local/state/reachagent-sink`, below it. |
        | `NOTIFY_SOCKET` | The service manager that is told `READY=1`, `STATUS=` and `STOPPING=1` (sd_notify(3)). |
        """

    private static let files = """
        | File | Meaning |
        |---|---|
        | `/run/reachagent/sinks.json` | The list of the sinks, written by the agent; without secrets. |
        | `/var/lib/reachagent-sink/NAME.cursor` | The position of a sink: a hint, which the broker's newest event overrules where the broker can be asked. |
        """
}
