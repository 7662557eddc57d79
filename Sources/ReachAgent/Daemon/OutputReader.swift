internal import Glibc
internal import LinuxSupport

/// The process that reads our standard output.
enum OutputReader {
    /// Ends this process with status 0 as soon as nobody reads its output any more, even while nothing is printed.
    static func endWhenGone() {
        signal(SIGPIPE, SIG_IGN)
        // Without a thread to spare a reader that goes is noticed with the next line.
        try? NamedThread.start("output-reader") {
            var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while poll(&entry, 1, -1) < 0, errno == EINTR {}
            if entry.revents != 0 { exit(0) }
        }
    }
}
