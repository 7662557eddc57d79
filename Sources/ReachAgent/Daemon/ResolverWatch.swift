internal import Configuration
internal import Glibc
internal import LinuxSupport
internal import Logging

/// Reports that the configuration of the system's resolver has changed, which is often replaced shortly after a route.
///
/// The files are watched by a thread of their own (inotify(7)), because their disk may hang. A report is only a hint to
/// look names up again; without inotify the checks do so when they are due.
final class ResolverWatch: Sendable {
    /// The C library's file, and the one in which systemd-resolved lists the name servers behind its stub.
    private static let files = [ResolverConfiguration.file, ResolverConfiguration.upstreamFile]
    /// The time that the thread has for the first reading, and for its end.
    private static let patience: Duration = .seconds(1)

    private struct State {
        var isRunning = false
        var isStopped = false
        /// `true` if the thread has read the files.
        var hasRead = false
        /// Ends the thread.
        var wakeup: Wakeup?
        /// The contents that were last read, also by an earlier thread.
        var changes = ResolverChanges()
        var hasWarned = false
    }

    private let files: [String]
    private let whenChanged: @Sendable () -> Void
    private let logger = AgentLogger.make()
    private let monitor = Monitor(State())

    /// - Parameters:
    ///   - files: The absolute paths of the files.
    ///   - whenChanged: Called on the thread when what the files say has changed, at most once a second.
    init(files: [String] = files, whenChanged: @escaping @Sendable () -> Void) {
        self.files = files
        self.whenChanged = whenChanged
    }

    /// Starts the watch unless it runs or has been stopped; logs the first failure, after which it may be retried.
    ///
    /// Unless the files' disk hangs, every change after this returns is reported.
    func start() {
        let mayStart = monitor.withLock { state in
            guard !state.isStopped, !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        guard mayStart else { return }
        do throws(SystemError) {
            let wakeup = try Wakeup()
            monitor.withLock { state in
                state.wakeup = wakeup
                if state.isStopped { wakeup.signal() }
            }
            try NamedThread.start("resolver-watch") { self.run(wakeup) }
        } catch {
            return end(error)
        }
        wait { $0.hasRead || !$0.isRunning }
    }

    /// Ends the watch; unless the files' disk hangs, the thread has ended when this returns.
    func stop() {
        monitor.withLock { state in
            state.isStopped = true
            state.wakeup?.signal()
        }
        wait { !$0.isRunning }
    }

    private func wait(until isDone: (State) -> Bool) {
        let end = ContinuousClock.now + Self.patience
        monitor.wait { state in
            let left = ContinuousClock.now.duration(to: end)
            return isDone(state) || left <= .zero ? .done(()) : .sleep(left)
        }
    }

    private func run(_ wakeup: Wakeup) {
        do throws(SystemError) {
            try watch(until: wakeup)
            end(nil)
        } catch {
            end(error)
        }
    }

    /// Watches the files until the wake-up is signaled.
    private func watch(until wakeup: Wakeup) throws(SystemError) {
        while true {
            // Before the files are read, so that no change is missed.
            let watch = try PathWatch(files)
            read()
            repeat {
                let reason = wakeup.sleep(untilReady: watch.descriptor, for: POLLIN, deadline: nil)
                guard reason != .woken else { return }
            } while !watch.takeChange()
            let time = monitor.withLock { $0.changes.readingTime(reported: .now) }
            guard wakeup.sleep(deadline: time) != .woken else { return }
        }
    }

    private func read() {
        let contents = files.map { try? RegularFile.bytes(of: $0, max: ResolverConfiguration.maximumBytes) }
        let isChange = monitor.withLock { state in
            state.hasRead = true
            return state.changes.take(contents, at: .now) && !state.isStopped
        }
        monitor.wakeAll()
        guard isChange else { return }
        logger.debug("the configuration of the resolver has changed: names are looked up again")
        whenChanged()
    }

    /// Notes that there is no thread.
    private func end(_ error: SystemError?) {
        let mustWarn = monitor.withLock { state in
            (state.isRunning, state.hasRead, state.wakeup) = (false, false, nil)
            guard error != nil, !state.hasWarned else { return false }
            state.hasWarned = true
            return true
        }
        monitor.wakeAll()
        guard mustWarn, let error else { return }
        logger.warning("cannot watch \(files[0]): \(error); a change of it alone causes no recheck (inotify(7))")
    }
}

/// Decides when the resolver's files are read after a reported change, and whether what they say has changed.
///
/// Pure. However often the files are written, they are read at most once a second, and the time between two changes that
/// count doubles while they continue: each of them restarts checks, which must still be able to complete.
struct ResolverChanges: Sendable {
    /// The content of each file; `nil` for one that cannot be read.
    typealias Contents = [[UInt8]?]
    typealias Instant = ContinuousClock.Instant

    /// The time for which a change settles: several files are written one after the other, or a file in several steps.
    static let settling: Duration = .milliseconds(100)
    /// The minimum time between two readings.
    static let shortestPause: Duration = .seconds(1)
    /// The minimum time between two changes that count while they continue; most checks have completed by then.
    static let longestPause: Duration = .seconds(32)

    private var known: Contents?
    private var lastChange: Instant?
    private var pause = shortestPause
    private var nextReading: Instant?

    /// Returns the time of the reading that follows a report.
    func readingTime(reported now: Instant) -> Instant { max(now + Self.settling, nextReading ?? now) }

    /// Takes the contents that were read, and returns whether they have changed; the first ones have not.
    mutating func take(_ contents: Contents, at now: Instant) -> Bool {
        defer { known = contents }
        guard let known else { return false }
        guard contents != known else {
            nextReading = now + Self.shortestPause
            return false
        }
        let continues = lastChange.map { now - $0 <= pause * 2 } ?? false
        pause = continues ? min(pause * 2, Self.longestPause) : Self.shortestPause
        (lastChange, nextReading) = (now, now + pause)
        return true
    }
}
