internal import NetlinkMonitor
internal import ServiceLifecycle

/// Keeps the monitor running until the agent ends.
struct MonitorService: Service {
    let monitor: NetworkMonitor

    func run() async throws {
        try? await gracefulShutdown()
        monitor.stop()
    }
}
