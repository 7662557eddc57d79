internal import NetlinkMonitor
internal import Synchronization

/// The monitor of the kernel's view, between its start and its stop.
final class KernelSource: Sendable {
    private let configuration: MonitorConfiguration
    private let handle: @Sendable (NetworkEvent) -> Void
    private let monitor = Mutex<NetworkMonitor?>(nil)

    init(_ configuration: MonitorConfiguration, handle: @escaping @Sendable (NetworkEvent) -> Void) {
        self.configuration = configuration
        self.handle = handle
    }

    /// Opens the sockets and starts to read.
    func start() throws(NetlinkError) {
        let started = try NetworkMonitor(configuration, handler: handle)
        monitor.withLock { $0 = started }
    }

    /// Stops; nothing is handled any more when this returns.
    func stop() {
        let stopped = monitor.withLock { monitor in
            defer { monitor = nil }
            return monitor
        }
        stopped?.stop()
    }
}
