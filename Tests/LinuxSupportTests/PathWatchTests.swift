import AgentTestKit
import Glibc
import Testing

@testable import LinuxSupport

/// The changes of real files that a watch of their paths reports.
@Suite(.onOwnThread) struct PathWatchTests {
    /// A layout of files before a change, the change, and whether it may be one of the file `etc/conf`.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let before: String
        let change: String
        var isReported = true

        init(_ description: String, _ before: String, _ change: String, isReported: Bool = true) {
            (testDescription, self.before, self.change, self.isReported) = (description, before, change, isReported)
        }
    }

    private static let file = "mkdir etc; echo one > etc/conf"
    /// As of systemd-resolved.
    private static let linked = "mkdir -p etc run/a/b; echo one > run/a/b/stub; ln -s ../run/a/b/stub etc/conf"
    /// Through a second link, and a directory that is a link.
    private static let chained = """
        mkdir -p etc run/a; ln -s run/a var; ln -s "$PWD"/var/first etc/conf
        ln -s last run/a/first; echo one > run/a/last
        """

    @Test(arguments: [
        Case("written in place", file, "echo two > etc/conf"),
        Case("appended to", file, "echo two >> etc/conf"),
        Case("emptied", file, ": > etc/conf"),
        Case("written by another name", "\(file); ln etc/conf other", "echo two > other"),
        Case("renamed over", file, "echo two > etc/new; mv etc/new etc/conf"),
        Case("renamed over from elsewhere", file, "echo two > new; mv new etc/conf"),
        Case("renamed away", file, "mv etc/conf etc/old"),
        Case("removed", file, "rm etc/conf"),
        Case("made unreadable", file, "chmod 0 etc/conf"),
        Case("replaced by a link", file, "echo two > other; ln -sf ../other etc/conf"),
        Case("in a directory that is moved", file, "mv etc old"),
        Case("in a directory that is replaced", file, "mv etc old; mkdir etc; echo two > etc/conf"),
        Case("created", "mkdir etc", "echo one > etc/conf"),
        Case("created with its directory", ":", "mkdir etc"),
        Case("created in a directory that was renamed to its place", "mkdir new; echo one > new/conf", "mv new etc"),
        Case("written behind a link", linked, "echo two > run/a/b/stub"),
        Case("renamed over behind a link", linked, "echo two > run/a/b/new; mv run/a/b/new run/a/b/stub"),
        Case("behind another link", linked, "echo two > other; ln -s ../other etc/new; mv -T etc/new etc/conf"),
        Case("behind a link that is removed", linked, "rm etc/conf"),
        Case("in a directory behind a link that is removed", linked, "rm -r run/a/b"),
        Case("in a directory behind a link that is moved", linked, "mv run/a run/c"),
        Case("created behind a link", "mkdir -p etc run; ln -s ../run/stub etc/conf", "echo one > run/stub"),
        Case("created with its directories behind a link", "mkdir etc; ln -s ../run/b/stub etc/conf", "mkdir run"),
        Case("written behind a chain of links", chained, "echo two > run/a/last"),
        Case("behind a chain whose second link is replaced", chained, "ln -sf other run/a/first"),
        Case("behind a directory's link that is replaced", chained, "ln -sfn run var"),
        Case("behind a link to itself that is replaced", "mkdir etc; ln -s conf etc/conf", "ln -sf other etc/conf"),
        Case("beside one that is written", "\(file); echo one > etc/b", "echo two > etc/b", isReported: false),
        Case("beside one that is created", file, "echo two > etc/conf.new", isReported: false),
        Case("beside one that is removed", "\(file); echo one > etc/b", "rm etc/b", isReported: false),
        Case("beside its link's neighbour", linked, "echo two > run/a/b/other", isReported: false),
        Case("only read", file, "cat etc/conf", isReported: false),
        Case("missing beside others", "mkdir etc", "echo two > etc/b; mkdir run", isReported: false),
    ])
    func `what changes a file is reported, and nothing else`(_ scene: Case) throws {
        let directory = try TemporaryDirectory()
        try Self.run(scene.before, in: directory)
        let watch = try PathWatch(["\(directory.path)/etc/conf"])
        let isReportedBefore = Self.reports(watch)
        try Self.run(scene.change, in: directory)
        let isReported = Self.reports(watch)
        #expect(!isReportedBefore && isReported == scene.isReported)
    }

    @Test func `each of several files is watched`() throws {
        let directory = try TemporaryDirectory()
        try Self.run("mkdir etc run; echo one > etc/conf", in: directory)
        for change in ["echo two > etc/conf", "echo one > run/conf"] {
            let watch = try PathWatch(["\(directory.path)/etc/conf", "\(directory.path)/run/conf"])
            try Self.run(change, in: directory)
            let isReported = Self.reports(watch)
            #expect(isReported)
        }
    }

    @Test func `names that are no UTF-8 are watched`() throws {
        let directory = try TemporaryDirectory()
        try Self.run(#"mkdir etc; ln -s "$(printf '../\377')" etc/conf"#, in: directory)
        let watch = try PathWatch(["\(directory.path)/etc/conf"])
        try Self.run(#"echo one > "$(printf '\376')""#, in: directory)
        let isOther = !Self.reports(watch)
        try Self.run(#"echo one > "$(printf '\377')""#, in: directory)
        let isReported = Self.reports(watch)
        #expect(isOther && isReported)
    }

    /// Reads everything that was reported.
    private static func reports(_ watch: borrowing PathWatch) -> Bool {
        while true {
            var entry = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 0) == 1 else { return false }
            if watch.takeChange() { return true }
        }
    }

    private static func run(_ script: String, in directory: TemporaryDirectory) throws {
        let command = try FinishedCommand(["-ec", "cd '\(directory.path)'\n\(script)"], of: "/bin/sh")
        try #require(command.status == 0, "\(command.error)")
    }
}
