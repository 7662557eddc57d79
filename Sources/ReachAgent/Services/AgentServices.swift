internal import ArgumentParser
internal import EventEnvelope
internal import EventSchema
internal import Glibc
internal import Logging
internal import NetlinkMonitor
internal import NotificationBus
internal import Reachability
internal import ServiceLifecycle

/// The parts of a running agent and how they hang together: kernel → state machine → bus → consumers.
///
/// Every part is a service of one group. They start in the order of the list and stop in the reverse one: first the
/// source, then the state machine, whose last event ends the bus, then the consumers when they have passed on what was
/// published.
struct AgentServices {
    /// How long the parts may take to stop, all together.
    private static let shutdownDeadline: Duration = .seconds(8)

    private let loop: AgentLoop
    private let parts: [AgentPart]
    private let logger = AgentLogger.make()

    init(
        _ configuration: MonitorConfiguration,
        settle: SettlePolicy,
        targets: [Target],
        format: OutputFormat
    ) throws {
        let loop = try AgentLoop()
        let bus = NotificationBus<Event>(whenHeld: loop.timeRecorder)
        let origin = EventOrigin.current()
        let board = StatusBoard(
            agent: AgentFacts(version: Agent.version, processID: getpid(), started: .now, origin: origin),
            targets: targets
        )
        let driver = ReachabilityDriver(
            bus: bus,
            board: board,
            origin: origin,
            settle: settle,
            targets: targets,
            whenEarlier: loop.wake
        )
        loop.setWork(AgentLoop.Work(tick: driver.tick, bypassRecorder: bus.bypassRecorder))
        let printer = try EventPrinter(bus: bus, format: format, origin: driver.origin)
        let monitor = KernelSource(configuration) { driver.handle($0) }
        self.loop = loop
        parts = [
            AgentPart(name: "standard output") {
                printer.start { loop.stop(because: "the reader of standard output has gone") }
            } stop: {
                printer.finish()
            },
            AgentPart(name: "state machine") {
            } stop: {
                driver.finish(because: loop.reason ?? "the agent ends")
            },
            AgentPart(name: "netlink") {
                try monitor.start()
            } stop: {
                monitor.stop()
            },
        ]
    }

    /// Runs until a signal comes or a part ends; then stops all parts in order.
    ///
    /// - Throws: The status to end with, once it was said why.
    func run() throws {
        var configuration = ServiceGroupConfiguration(
            services: parts.map {
                ServiceGroupConfiguration.ServiceConfiguration(
                    service: $0,
                    successTerminationBehavior: .gracefullyShutdownGroup,
                    failureTerminationBehavior: .gracefullyShutdownGroup,
                    serviceName: $0.name
                )
            },
            logger: logger
        )
        configuration.services.append(
            ServiceGroupConfiguration.ServiceConfiguration(
                service: loop,
                successTerminationBehavior: .gracefullyShutdownGroup,
                serviceName: "loop"
            )
        )
        configuration.maximumGracefulShutdownDuration = Self.shutdownDeadline
        let group = ServiceGroup(configuration: configuration)
        let failure = Blocking.run { () -> (any Error)? in
            do {
                try await group.run()
                return nil
            } catch {
                return error
            }
        }
        switch failure {
        case nil: return
        case let error as NetlinkError: try Unavailable.orExit { () throws(NetlinkError) in throw error }
        case let error?: throw error
        }
    }
}
