import AgentTestKit
import Dispatch
import Testing

@testable import ReachAgent

/// The watch of the resolver's files, here those of a test.
@Suite(.onOwnThread) struct ResolverWatchTests {
    /// A watch of `etc/resolv.conf` and `run/upstream.conf` in a directory.
    private final class Fixture {
        let watch: ResolverWatch
        private let directory: TemporaryDirectory
        private let reports = DispatchSemaphore(value: 0)

        init(_ layout: String) throws {
            let directory = try TemporaryDirectory()
            self.directory = directory
            watch = ResolverWatch(
                files: ["\(directory.path)/etc/resolv.conf", "\(directory.path)/run/upstream.conf"]
            ) { [reports] in _ = reports.signal() }
            try run(layout)
        }

        deinit { watch.stop() }

        func run(_ script: String) throws {
            let command = try FinishedCommand(["-ec", "cd '\(directory.path)'\n\(script)"], of: "/bin/sh")
            try #require(command.status == 0, "\(command.error)")
        }

        /// Waits for the next report.
        func reports(within patience: DispatchTimeInterval = .seconds(60)) -> Bool {
            reports.wait(timeout: .now() + patience) == .success
        }
    }

    private static let file = "mkdir etc; echo nameserver 192.0.2.1 > etc/resolv.conf"
    private static let link = "mkdir etc; echo nameserver 192.0.2.1 > etc/one; ln -s one etc/resolv.conf"
    /// The stub of systemd-resolved, which does not run yet.
    private static let dangling = "mkdir etc; ln -s ../run/stub.conf etc/resolv.conf"

    @Test(arguments: [
        (file, "echo nameserver 192.0.2.2 > etc/resolv.conf", "echo options edns0 >> etc/resolv.conf"),
        (file, "echo nameserver 192.0.2.2 > etc/new; mv etc/new etc/resolv.conf", "rm etc/resolv.conf"),
        (link, "echo nameserver 192.0.2.2 > etc/two; ln -sf two etc/resolv.conf", "echo > etc/two"),
        (dangling, "mkdir run; echo nameserver 192.0.2.1 > run/stub.conf", "echo > run/new; mv run/new run/stub.conf"),
        (":", "mkdir etc; echo nameserver 192.0.2.1 > etc/resolv.conf", "mv etc old"),
        (file, "mkdir run; echo nameserver 192.0.2.1 > run/upstream.conf", "rm -r run"),
    ])
    func `a change is reported, and the next one too`(layout: String, change: String, next: String) throws {
        let fixture = try Fixture(layout)
        fixture.watch.start()
        try fixture.run(change)
        #expect(fixture.reports())
        try fixture.run(next)
        #expect(fixture.reports())
    }

    @Test func `a watch that has stopped reports nothing, and does not start again`() throws {
        let fixture = try Fixture(Self.file)
        fixture.watch.start()
        fixture.watch.stop()
        fixture.watch.start()
        try fixture.run("echo nameserver 192.0.2.2 > etc/resolv.conf")
        #expect(!fixture.reports(within: .milliseconds(0)))
    }

    @Test(arguments: [0, 1] as [UInt])
    func `a watch that could not start does so at the next attempt`(_ spare: UInt) async {
        // One descriptor is enough for the wake-up alone.
        await #expect(processExitsWith: .success) { [spare] in
            let fixture = try Fixture(Self.file)
            let shortage = try DescriptorShortage(sparing: spare)
            fixture.watch.start()
            try shortage.end()
            fixture.watch.start()
            try fixture.run("echo nameserver 192.0.2.2 > etc/resolv.conf")
            #expect(fixture.reports())
        }
    }
}
