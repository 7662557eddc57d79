internal import AgentEvents
internal import FoundationEssentials
internal import Glibc
internal import Logging
internal import NotificationBus
internal import ServiceSupport
internal import StateSocket

extension AgentServices {
    /// Returns the reporter to the service manager; `nil` where there is none.
    static func reporter(_ board: StatusBoard, _ loop: AgentLoop) -> ServiceReporter? {
        let environment = ProcessInfo.processInfo.environment
        do throws(NotifySocketError) {
            guard let socket = try NotifySocket.named(in: environment) else { return nil }
            return ServiceReporter(
                socket: socket,
                watchdog: WatchdogTimeout(in: environment, of: getpid()),
                sentence: { StateText.headline(board.reachability) },
                wake: loop.wake
            )
        } catch {
            AgentLogger.make().warning("\(error)")
            return nil
        }
    }

    /// The part that starts last and stops first: when everything is at work it says so.
    ///
    /// - Parameter threads: Those that the agent cannot do without.
    static func reporting(
        _ reporter: ServiceReporter,
        _ bus: NotificationBus<Event>,
        _ loop: AgentLoop,
        _ threads: [AgentThread]
    ) -> AgentPart {
        let feed = EventFeed(bus: bus) { event in
            if event.type == .reachabilityChanged { reporter.stateChanged() }
        }
        return AgentPart(name: "service manager") {
            feed.start()
            reporter.ready(threads)
        } stop: {
            feed.end()
            reporter.stopping(because: loop.reason ?? "the agent ends")
        }
    }
}
