internal import ArgumentParser

/// The agent to ask.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The agent's control socket (default: $REACHAGENT_SOCKET, else control.sock in $RUNTIME_DIRECTORY, \
            $XDG_RUNTIME_DIR/reachagent or /run/reachagent).
            """,
            valueName: "path"
        ),
        completion: .file(extensions: ["sock"])
    )
    var socket: String?
}
