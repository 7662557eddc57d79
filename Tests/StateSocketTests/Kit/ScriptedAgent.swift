import AgentEvents
import Glibc
import LinuxSupport
import NotificationBus
import StateSocket
import Synchronization

/// An agent that says what the test wants.
final class ScriptedAgent: AgentInterface {
    typealias Reply = @Sendable (ControlReply) -> Void

    let streamID = "stream-a"
    let origin = EventOrigin(streamID: "stream-a", host: "test")
    let bus: NotificationBus<Event>
    /// The number that openings show; `nil` for what the bus has released.
    let shownSequence = Mutex<UInt64?>(nil)
    /// The calls that are not answered yet.
    let calls = Mutex<[(request: AgentRequest, user: UInt32?, reply: Reply)]>([])
    let answersAtOnce = Mutex(true)
    private let unnumbered = Atomic<UInt64>(0)

    init(_ bus: NotificationBus<Event>) { self.bus = bus }

    func event(_ type: EventType, subject: String = "default", padding: Int = 0, number: UInt64) -> Event {
        // A second for each number.
        let time = Timestamp(microsecondsSince1970: Int64(clamping: number) * 1_000_000)
        let content = NetlinkResynchronization(
            code: String(repeating: "x", count: padding),
            attempts: Int(clamping: number),
            tookMilliseconds: 0,
            corrections: 0,
            corrected: [],
            observed: time
        )
        let draft = EventDraft(type, subject: subject, .netlinkResynced(content))
        return Event(draft, from: origin, at: time, number: number)
    }

    private func plain(_ type: EventType, subject: String, _ number: UInt64) -> Event {
        let draft = EventDraft(type, subject: subject, .subscriberLagged(SubscriberLagged(lastSequence: number)))
        let id = unnumbered.add(1, ordering: .relaxed).newValue
        return Event(draft, from: origin, at: Timestamp(microsecondsSince1970: 0), number: id)
    }

    /// The number of subscriptions that have asked for their start.
    var openingCount: Int { opened.load(ordering: .relaxed) }
    private let opened = Atomic<Int>(0)

    func opening() -> StreamOpening {
        opened.add(1, ordering: .relaxed)
        let number = shownSequence.withLock { $0 } ?? bus.lastReleased
        return StreamOpening(
            hello: plain(.networkSnapshot, subject: "hello", number),
            snapshot: plain(.networkSnapshot, subject: "snapshot", number),
            sequence: number
        )
    }

    func lagged(lastSequence: UInt64) -> Event { plain(.subscriberLagged, subject: "agent", lastSequence) }

    /// Called with the number of each request for the status, before it is answered.
    let whenAskedForStatus = Mutex<(@Sendable (Int) -> Void)?>(nil)
    private let asked = Atomic<Int>(0)

    /// The number of spaces in a status.
    let statusPadding = Mutex(0)

    func status(connections: Int) -> [UInt8] {
        let number = asked.add(1, ordering: .relaxed).newValue
        whenAskedForStatus.withLock { $0 }?(number)
        let padding = [UInt8](repeating: UInt8(ascii: " "), count: statusPadding.withLock { $0 })
        return Array(#"{"connections":\#(connections)}"#.utf8) + padding
    }

    /// The number of requests for the status.
    var statusCount: Int { asked.load(ordering: .relaxed) }

    /// The names of threads that answer, and of one that never does.
    let silentThread = Mutex<String?>(nil)

    var threads: [AgentThread] {
        let silent = silentThread.withLock { $0 }
        return [AgentThread(name: "one") { $0() }] + (silent.map { [AgentThread(name: $0) { _ in }] } ?? [])
    }

    /// The number of bytes behind the line of a document.
    let documentPadding = Mutex(0)

    /// Called for each document, on the thread that makes it.
    let whenMakingDocument = Mutex<(@Sendable () -> Void)?>(nil)
    private let made = Atomic<Int>(0)

    /// The number of documents that were made.
    var documentCount: Int { made.load(ordering: .relaxed) }

    func document(_ kind: AgentDocument.Kind, connections: Int) -> AgentDocument {
        made.add(1, ordering: .relaxed)
        whenMakingDocument.withLock { $0 }?()
        let padding = [UInt8](repeating: UInt8(ascii: "x"), count: documentPadding.withLock { $0 })
        return AgentDocument(
            contentType: "text/plain",
            contentSecurityPolicy: "sandbox",
            body: Array("the \(kind)\n".utf8) + padding
        )
    }

    /// The stages that a report may have reached.
    enum ReportStage: Sendable { case begun, released, cancelled }

    private let reportStages = Monitor<Set<ReportStage>>([])

    private func note(_ stage: ReportStage) {
        reportStages.withLock { _ = $0.insert(stage) }
        reportStages.wakeAll()
    }

    /// Waits until a report has reached a stage; `false` after a long time.
    func waitForReport(_ stage: ReportStage) -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        return reportStages.wait { stages in
            guard !stages.contains(stage) else { return .done(true) }
            let rest = ContinuousClock.now.duration(to: deadline)
            return rest > .zero ? .sleep(rest) : .done(false)
        }
    }

    /// Lets reports on the month `held` go on.
    func releaseReports() { note(.released) }

    /// A report on the month `slow` waits until it is given up, one on `held` until it is released.
    func report(_ request: ReportRequest, isCancelled: @escaping @Sendable () -> Bool) throws(ReportRefusal)
        -> AgentDocument
    {
        note(.begun)
        if let month = request.values["month"], month.hasPrefix("never") { throw .invalid("there is no '\(month)'") }
        if request.values["probe"] == "none" { throw .absent("there is no such probe") }
        while request.values["month"] == "slow" {
            guard !isCancelled() else {
                note(.cancelled)
                throw .failed("the client has gone")
            }
            usleep(1000)
        }
        if request.values["month"] == "held", !waitForReport(.released) { throw .failed("nobody has released it") }
        let text = request.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        return AgentDocument(contentType: "application/json", body: Array("{\(text)}\n".utf8))
    }

    /// Called before the agent answers anything but the status.
    let whenAnswered = Mutex<(@Sendable () -> Void)?>(nil)

    func answer(_ request: AgentRequest, from client: AgentClient, reply: @escaping Reply) {
        whenAnswered.withLock { $0 }?()
        if answersAtOnce.withLock({ $0 }) { return reply(.parameters(Array(#"{"did":"\#(request)"}"#.utf8))) }
        calls.withLock { $0.append((request, client.user, reply)) }
    }
}
