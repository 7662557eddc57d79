internal import AgentEvents
internal import Logging
internal import NotificationBus

/// Tells the log what is published: a line for every change, with its reason.
///
/// Events are taken on the thread that publishes: the log never blocks, so this needs no thread of its own.
final class EventLog: Sendable {
    private let feed: EventFeed

    /// - Parameter isPrinted: Whether events are printed anyway: then they are logged from `debug` on only.
    init(bus: NotificationBus<Event>, logger: Logger, isPrinted: Bool) {
        feed = EventFeed(bus: bus) { event in
            guard !isPrinted || logger.logLevel <= .debug, let level = EventLogLine.level(of: event),
                level >= logger.logLevel
            else { return }
            logger.log(level: level, "\(EventLogLine.text(of: event))")
        }
    }

    /// Subscribes: what is published from now on is logged, until the bus is finished.
    func start() { feed.start() }
}
