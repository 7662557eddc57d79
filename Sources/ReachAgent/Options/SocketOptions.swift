internal import ArgumentParser

/// Which agent to ask.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The agent's control socket (default: the usual places, in their order).",
            discussion: """
                $REACHAGENT_SOCKET, $RUNTIME_DIRECTORY/control.sock, $XDG_RUNTIME_DIR/reachagent/control.sock, \
                /run/reachagent/control.sock.
                """,
            valueName: "path"
        )
    )
    var socket: String?
}
