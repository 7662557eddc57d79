internal import CLibNL
internal import Glibc
internal import Synchronization

/// Watches the kernel's links, addresses, routes and rules, and reports every change as a complete view.
///
/// ```swift
/// for await update in try NetworkMonitor.updates() {
///     print(update.snapshot.internetLookup(.ipv4)?.describe(in: update.snapshot) ?? "no way out")
/// }
/// ```
///
/// A monitor owns two netlink sockets and one thread, needs no privilege, and sends nothing to the network. Losses of
/// messages are noticed, reported and repaired (``NetworkEvent/overrun(_:)``, ``NetworkEvent/resynchronized(_:)``).
///
/// **Ordering.** Events are reported one at a time, in the order in which they happened. The first is always an update
/// with the complete view.
///
/// **Concurrency.** The handler runs on the monitor's own thread; while it runs nothing is read, so it must return
/// quickly. ``updates(_:)`` is for consumers that take their time.
public final class NetworkMonitor: Sendable {
    private let thread: ListenerThread
    private let sharedStatistics: SharedStatistics

    /// Starts watching.
    ///
    /// The first view has been read and reported when this returns: the sockets are opened, and belong to the network
    /// namespace, of the calling thread.
    ///
    /// - Parameters:
    ///   - configuration: What to watch.
    ///   - handler: Called for every event, one at a time: first on the calling thread, then on the monitor's own.
    /// - Throws: ``NetlinkError`` when there is no netlink (a sandbox) or the kernel refuses to be asked.
    public init(
        _ configuration: MonitorConfiguration = .init(),
        handler: @escaping @Sendable (NetworkEvent) -> Void
    ) throws(NetlinkError) {
        var core = MonitorCore(
            configuration: configuration,
            kernel: try RequestSocket(),
            source: try EventSocket(
                receiveBufferBytes: configuration.receiveBufferBytes,
                watching: WatchedNetwork(addresses: Set(configuration.lookedUpAddresses))
            ),
            clock: { .now },
            report: handler
        )
        try core.start()
        let thread = try ListenerThread()
        let statistics = SharedStatistics(core.statistics)
        self.thread = thread
        self.sharedStatistics = statistics
        try thread.start {
            while thread.wait(for: core.isSourceBroken ? -1 : core.source.descriptor, until: core.wakeDue) {
                core.takeTurn()
                statistics.value = core.statistics
            }
        }
    }

    deinit {
        thread.requestStop()
        thread.join()
    }

    /// What was counted so far.
    public var statistics: MonitorStatistics { sharedStatistics.value }

    /// Stops watching and waits until the handler runs no more.
    ///
    /// Any number of calls, from any thread but the handler's.
    public func stop() {
        thread.requestStop()
        thread.join()
    }

    /// Has the monitor's thread call a closure as soon as it is free: a proof that it is not stuck.
    ///
    /// Safe from any thread, and quick. The closure is called once, between two events; never after ``stop()``, and not when
    /// 64 others wait already. What it does holds the monitor up.
    public func whenFree(_ body: @escaping @Sendable () -> Void) { thread.whenFree(body) }

    /// Reads the view once, without watching: a few system calls.
    ///
    /// - Throws: ``NetlinkError`` when there is no netlink or the kernel refuses to be asked.
    public static func snapshot(
        _ configuration: MonitorConfiguration = .init()
    ) throws(NetlinkError) -> NetworkSnapshot {
        var core = MonitorCore(
            configuration: configuration,
            kernel: try RequestSocket(),
            source: SilentSource(),
            clock: { .now },
            report: { _ in }
        )
        try core.readEverything()
        return try core.currentSnapshot()
    }
}

/// No notifications: for a single reading.
private struct SilentSource: NotificationSource {
    func receive() -> NetlinkSocket.Received { .drained }
    func watch(_ watched: WatchedNetwork) {}
    func takeDrops() -> UInt32 { 0 }
    func reopen(watching watched: WatchedNetwork) {}
}

/// The counters, copied out of the listener's thread after each turn.
private final class SharedStatistics: Sendable {
    private let storage: Mutex<MonitorStatistics>

    init(_ value: MonitorStatistics) { storage = Mutex(value) }

    var value: MonitorStatistics {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

extension ObservedTime {
    /// This moment on both clocks.
    public static var now: ObservedTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return ObservedTime(
            instant: .now,
            microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        )
    }
}
