internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

/// A transfer, from the response to its first request to its report.
///
/// First the target's head is requested, over redirects; then the idle round trips are measured on a second connection,
/// which stays open for the small requests under load; then the download and the upload run.
///
/// `@unchecked Sendable`: used only on the check's event loop.
final class TransferRun: @unchecked Sendable {
    /// The states of a transfer.
    enum State {
        case opening
        case idle
        case leg(TransferDirection)
        /// A leg has ended, and the last small requests that it delayed are awaited.
        case settling(TransferDirection)
        case suspended
        case over
    }

    /// The interval at which the clock, the counters and the small requests are polled.
    static let tick = TimeAmount.milliseconds(50)
    /// The bytes of a small request and its response on the link, assumed until they have been measured.
    private static let assumedSmallBytes = 1200
    /// The maximum window of an HTTP/2 connection: the product of 1 Gbit/s and half a second.
    private static let largestWindow = 64 << 20

    let run: CheckRun
    let plan: TransferPlan
    var state = State.opening
    /// The request for the target after all redirects.
    var target: SerializedRequest?
    /// The request of the small exchanges; nil if the server answers none.
    var small: SerializedRequest?
    var object = TransferObject()
    /// The connection of the legs.
    var main: TransferConnection?
    /// The exchange of the running leg.
    var exchange: HTTPExchange?
    /// The connection of the small requests.
    var separate: TransferConnection?
    /// The additional connections, open or being opened.
    var parts: [ObjectIdentifier: CheckRun] = [:]
    /// The number of times that the connection for small requests was reopened.
    var reopenings = 0
    var isReopening = false

    var idle = RoundTripMeter()
    var smallBytes = TransferRun.assumedSmallBytes
    var download: TransferLegMeter?
    var upload: TransferLegMeter?
    var seams: [TransferSeam] = []
    /// The part of the object that the running request asks for, and what its response announced.
    var part = RequestedPart()
    var answer: RequestedPart.Accepted?
    /// The suspension of the download; nil while it runs.
    var suspension: Suspension?
    /// The number of interruptions and stalled attempts to resume.
    var interruptions = 0
    /// The payload bytes received before the current object: above zero after the server has sent it from its start
    /// again.
    var objectBegin = 0
    /// The bytes acknowledged on the connection before the upload.
    var acknowledgedBefore: Int?
    var isUploadAnswered = false

    /// The time of the last byte, or of the last change of state.
    var lastSign = NIODeadline.now()
    private var lastProgress = NIODeadline.uptimeNanoseconds(0)
    private var timer: RepeatedTask?
    private let began = NIODeadline.now()

    init(_ plan: TransferPlan, of run: CheckRun) {
        (self.plan, self.run) = (plan, run)
    }

    /// `true` once the target has answered.
    var isUnderWay: Bool { if case .opening = state { false } else { true } }

    /// Publishes the first progress.
    func start() { show(.started) }

    /// Starts the transfer's only timer.
    func startTimer() {
        guard timer == nil else { return }
        timer = run.loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) {
            [weak self] _ in
            self?.poll()
        }
    }

    /// The window of HTTP/2 connections: no larger than the download, so that a server that sends more is soon stopped.
    var window: Int { min(max(plan.downloadBytes, 64 << 10), Self.largestWindow) }

    /// Opens an additional connection, with the same resolution, race, handshake and trust as the check's own.
    func open(
        to request: SerializedRequest,
        then opened: @escaping (Result<TransferConnection, PartFailure>) -> Void
    ) {
        let pending = PendingPart(opened)
        var probe = run.probe
        probe.timeout = max(run.timeLeft, .zero)
        let part = CheckRun(probe, on: run.gate, services: run.services, meter: run.meter) { [weak self] part, report in
            self?.parts[ObjectIdentifier(part)] = nil
            let code = report.verdict.code ?? .connectionClosed
            let finding = report.findings.first { $0.code == code }
            pending.end(.failure(PartFailure(finding: finding ?? Finding(code, subject: report.target, evidence: ""))))
        }
        parts[ObjectIdentifier(part)] = part
        part.openPart(of: run, to: request) { [self] channel, chosen in
            do {
                let connection = try TransferConnection(
                    channel,
                    applicationProtocol: chosen,
                    owner: part,
                    window: window
                )
                pending.end(.success(connection))
            } catch {
                part.fail(.httpProtocol, subject: request.url.authority, evidence: String(describing: error))
            }
        }
    }

    /// Ends the transfer with the check, and returns its measurements.
    func end(isComplete: Bool) -> TransferReport {
        guard !isOver else { return report }
        noteRetransmissions()
        let report = report
        show(isComplete ? .completed : .cancelled)
        state = .over
        timer?.cancel()
        for part in parts.values { part.cancel() }
        exchange?.abandon()
        (parts, main, separate, exchange) = ([:], nil, nil, nil)
        return report
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    /// The measurements so far.
    var report: TransferReport {
        let idle = idle.figures()
        return TransferReport(
            download: download?.leg(idle: idle),
            upload: upload?.leg(idle: idle),
            idle: idle,
            seams: seams
        )
    }

    /// The state, for the report of a timeout.
    var stateText: String {
        switch state {
        case .opening: "it had not started"
        case .idle: "the idle round trips were being measured"
        case .leg(.download), .settling(.download):
            "\(download?.bytes ?? 0) of \(download?.wantedBytes ?? 0) bytes had arrived"
        case .leg(.upload), .settling(.upload): "\(upload?.bytes ?? 0) of \(upload?.wantedBytes ?? 0) bytes were sent"
        case .suspended: "it waited for another path after \(download?.bytes ?? 0) bytes"
        case .over: "it was over"
        }
    }

    // MARK: Progress

    /// Calls the plan's progress closure.
    func show(_ phase: TransferProgress.Phase, at now: NIODeadline = .now()) {
        guard let progress = plan.progress else { return }
        lastProgress = now
        let leg = upload ?? download
        let idle = idle.figures()
        progress(
            TransferProgress(
                phase: phase,
                bytes: min(leg?.bytes ?? 0, leg?.wantedBytes ?? 0),
                totalBytes: leg?.wantedBytes ?? (plan.downloadBytes > 0 ? plan.downloadBytes : plan.uploadBytes),
                bitsPerSecond: leg?.goodput.recentRate(at: now),
                addedLatency: leg?.loaded.separate.last.flatMap { last in idle.map { max(.zero, last - $0.p50) } },
                elapsed: Duration(now - began),
                bytesOnWire: run.meter.currentOnWire(),
                interface: main?.owner.hop.interface
            )
        )
    }

    /// Publishes the progress of a leg, at most ten times a second.
    func showLeg(_ direction: TransferDirection, at now: NIODeadline) {
        guard now - lastProgress >= .milliseconds(100) else { return }
        show(direction == .download ? .download : .upload, at: now)
    }
}

/// The failure of an additional connection.
struct PartFailure: Error {
    let finding: Finding
}

/// An additional connection that is being opened; its result is reported once.
///
/// `@unchecked Sendable`: used only on the check's event loop.
private final class PendingPart: @unchecked Sendable {
    private var completion: ((Result<TransferConnection, PartFailure>) -> Void)?

    init(_ completion: @escaping (Result<TransferConnection, PartFailure>) -> Void) { self.completion = completion }

    func end(_ result: Result<TransferConnection, PartFailure>) {
        guard let completion else { return }
        self.completion = nil
        completion(result)
    }
}
