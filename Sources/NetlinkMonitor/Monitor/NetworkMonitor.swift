internal import LinuxSupport
internal import Synchronization

/// Monitors the kernel's links, addresses, routes and rules, and reports every change with a complete snapshot.
///
/// ```swift
/// for await update in try NetworkMonitor.updates() {
///     if let path = update.snapshot.internetPath(.ipv4) { print(path) }
/// }
/// ```
///
/// A monitor owns two netlink sockets and one thread, needs no privilege, and sends nothing to the network. Lost
/// messages are detected, reported and repaired (``NetworkEvent/overrun(_:)``, ``NetworkEvent/resynchronized(_:)``).
///
/// **Ordering.** Events are reported one at a time, in order. The first is always an update with the complete snapshot.
///
/// **Concurrency.** The handler runs on the monitor's own thread; while it runs nothing is read, so it must return
/// quickly. ``updates(_:)`` is for slow consumers.
public final class NetworkMonitor: Sendable {
    private let thread: ListenerThread
    private let sharedStatistics: SharedStatistics

    /// Starts a monitor.
    ///
    /// The first snapshot has been read and reported when this returns: the sockets are opened on the calling thread,
    /// and belong to its network namespace.
    ///
    /// - Parameters:
    ///   - configuration: The configuration.
    ///   - handler: Called for every event, one at a time: first on the calling thread, then on the monitor's own.
    /// - Throws: ``NetlinkError`` when netlink is not available (a sandbox), the kernel rejects queries, or there is no
    ///   descriptor or thread left; the handler was not called then.
    public init(
        _ configuration: MonitorConfiguration = .init(),
        handler: @escaping @Sendable (NetworkEvent) -> Void
    ) throws(NetlinkError) {
        var core = MonitorCore(
            configuration: configuration,
            kernel: try NetlinkQueries(),
            source: try EventSocket(
                receiveBufferBytes: configuration.receiveBufferBytes,
                watching: WatchedNetwork(addresses: Set(configuration.lookedUpAddresses))
            ),
            clock: { .now },
            report: handler
        )
        let thread = try ListenerThread()
        let statistics = SharedStatistics(core.statistics)
        // Before the first report, which must not come from a monitor that cannot continue.
        let isReported = Monitor(false)
        try thread.start {
            isReported.waitForSignal()
            while thread.wait(for: core.isSourceBroken ? -1 : core.source.descriptor, until: core.wakeDue) {
                core.takeTurn()
                statistics.value = core.statistics
            }
        }
        do throws(NetlinkError) {
            try core.start()
        } catch {
            thread.requestStop()
            isReported.signal()
            thread.join()
            throw error
        }
        statistics.value = core.statistics
        self.thread = thread
        self.sharedStatistics = statistics
        isReported.signal()
    }

    deinit {
        thread.requestStop()
        thread.join()
    }

    /// The current counters.
    public var statistics: MonitorStatistics { sharedStatistics.value }

    /// Stops the monitor and waits until the handler no longer runs.
    ///
    /// May be called any number of times, from any thread except that of the handler.
    public func stop() {
        thread.requestStop()
        thread.join()
    }

    /// Stops the monitor as soon as it is idle, without waiting for that.
    func requestStop() { thread.requestStop() }

    /// Calls a closure on the monitor's thread as soon as it is idle, which proves that it is not stuck.
    ///
    /// Safe to call from any thread, and quick. The closure is called once, between two events; never after ``stop()``,
    /// and not when 64 others are queued. It blocks the monitor while it runs.
    package func whenFree(_ body: @escaping @Sendable () -> Void) { thread.whenFree(body) }

    /// Reads one snapshot, without monitoring: a few system calls.
    ///
    /// - Throws: ``NetlinkError`` when netlink is not available or the kernel rejects queries.
    public static func snapshot(
        _ configuration: MonitorConfiguration = .init()
    ) throws(NetlinkError) -> NetworkSnapshot {
        var core = MonitorCore(
            configuration: configuration,
            kernel: try NetlinkQueries(),
            source: SilentSource(),
            clock: { .now },
            report: { _ in }
        )
        try core.readEverything()
        return try core.currentSnapshot()
    }
}

/// A source without notifications, for a single snapshot.
private struct SilentSource: NotificationSource {
    func receive() -> NetlinkSocket.Received { .drained }
    func watch(_ watched: WatchedNetwork) {}
    func takeDrops() -> UInt32 { 0 }
    func reopen(watching watched: WatchedNetwork) {}
}

/// The counters, copied from the listener's thread after each turn.
private final class SharedStatistics: Sendable {
    private let storage: Mutex<MonitorStatistics>

    init(_ value: MonitorStatistics) { storage = Mutex(value) }

    var value: MonitorStatistics {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
