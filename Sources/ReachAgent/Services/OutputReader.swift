internal import Dispatch
internal import Glibc

/// The process that reads our standard output.
enum OutputReader {
    /// Ends this process with status 0 as soon as nobody reads its output any more, even while nothing is printed.
    static func endWhenGone() {
        signal(SIGPIPE, SIG_IGN)
        DispatchQueue(label: "reachagent.output").async {
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents != 0 { exit(0) }
        }
    }
}
