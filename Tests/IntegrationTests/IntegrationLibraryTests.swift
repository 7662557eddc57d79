import AgentTestKit
import Foundation
import Glibc
import Synchronization
import Testing

@testable import NetlinkMonitor

/// The library in another program's process, in whatever namespace the tests run: it only looks.
struct IntegrationLibraryTests {
    @Test("the first update is the complete view and is available at once")
    func firstUpdate() async throws {
        var iterator = try NetworkMonitor.updates().makeAsyncIterator()
        let update = try #require(await iterator.next())
        #expect(update.changes.isEmpty)
        #expect(update.snapshot.isSynchronized)
        #expect(update.snapshot.links.values.contains { $0.kind == .loopback })
        #expect(Set(update.snapshot.internetAddresses) == Set(MonitorConfiguration.defaultInternetAddresses))
    }

    @Test("a single snapshot equals the view of the monitor's first update")
    func singleReading() async throws {
        var iterator = try NetworkMonitor.updates().makeAsyncIterator()
        let watched = try #require(await iterator.next()).snapshot
        let read = try NetworkMonitor.snapshot()
        #expect(read.links.values.map(\.index) == watched.links.values.map(\.index))
        #expect(read.defaultRoutes == watched.defaultRoutes)
        #expect(read.rules == watched.rules)
    }

    @Test("cancelling the task ends the iteration, even while it waits for the kernel")
    func cancellation() async throws {
        let updates = try NetworkMonitor.updates()
        let (started, didStart) = AsyncStream<Void>.makeStream()
        let task = Task {
            var count = 0
            for await _ in updates {
                count += 1
                didStart.finish()
            }
            return count
        }
        for await _ in started {}
        task.cancel()
        #expect(await task.value >= 1)
    }

    @Test("cancelling the task ends the monitor, although somebody keeps the sequence")
    func cancelledMonitor() async throws {
        let updates = try NetworkMonitor.updates()
        let thread = await withCheckedContinuation { next in
            updates.monitor.whenFree {
                next.resume(returning: try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self"))
            }
        }
        let directory = "/proc/\(try #require(thread))"
        #expect(FileManager.default.fileExists(atPath: directory))
        let task = Task { for await _ in updates {} }
        task.cancel()
        await task.value
        let deadline = ContinuousClock.now + .seconds(20)
        // The end of a thread is no event.
        while FileManager.default.fileExists(atPath: directory), .now < deadline { await Task.yield() }
        #expect(!FileManager.default.fileExists(atPath: directory))
        withExtendedLifetime(updates) {}
    }

    @Test("two callers may stop a monitor at the same time, and both wait until the handler no longer runs")
    func stoppingTwice() async throws {
        let monitor = try NetworkMonitor { _ in }
        let handler = Handler()
        await withCheckedContinuation { isRunning in
            monitor.whenFree {
                isRunning.resume()
                // A handler that takes its time: without a wait both would be back before its end.
                usleep(50_000)
                handler.hasEnded.withLock { $0 = true }
            }
        }
        let stop = { @Sendable in
            monitor.stop()
            return handler.hasEnded.withLock(\.self)
        }
        async let first = onThread(stop)
        async let second = onThread(stop)
        let waited = await (first, second)
        #expect(waited == (true, true))
    }

    private final class Handler: Sendable {
        let hasEnded = Mutex(false)
    }

    @Test("the monitor's thread calls back when idle, even while the kernel is silent, and never after the end")
    func callingBack() async throws {
        let monitor = try NetworkMonitor { _ in }
        for _ in 0..<3 { await withCheckedContinuation { next in monitor.whenFree { next.resume() } } }
        monitor.stop()
        monitor.whenFree { Issue.record("called after the end") }
        // Nobody is left who could call: the thread has been waited for.
        monitor.stop()
    }

    @Test("a monitor can be stopped more than once, and its statistics remain available")
    func stopping() throws {
        let monitor = try NetworkMonitor { _ in }
        monitor.stop()
        monitor.stop()
        #expect(monitor.statistics.malformed == 0)
        #expect(monitor.statistics.overruns == 0)
    }
}
