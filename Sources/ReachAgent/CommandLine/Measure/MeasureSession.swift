internal import AgentEvents
internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes
internal import Synchronization

/// The transfers of `reachagent measure`, one after another, with their live display on standard error.
///
/// The calling thread sleeps until there is progress or a signal. A signal cancels the transfer, whose report then has
/// the measurements made so far.
final class MeasureSession {
    /// The time between two changes of the display while there is no progress.
    private static let tick: Duration = .milliseconds(200)

    /// The progress of the current transfer, passed from the prober's threads to the drawing thread.
    private final class LatestProgress: Sendable {
        private let state: Mutex<UplinkMeasurement>
        private let wakeup: Wakeup

        init(_ measurement: UplinkMeasurement, _ wakeup: Wakeup) {
            state = Mutex(measurement)
            self.wakeup = wakeup
        }

        var measurement: UplinkMeasurement { state.withLock { $0 } }

        func change(_ body: (inout UplinkMeasurement) -> Void) {
            state.withLock { body(&$0) }
            wakeup.signal()
        }
    }

    /// The measurements, in the order in which they are made.
    private(set) var measurements: [UplinkMeasurement]
    /// The signal that ended the session.
    private(set) var signal: Int32?

    private let color: ColorMode
    private let signals: SignalDescriptor
    private let wakeup: Wakeup
    private var lines = LiveLines()
    private var began = ContinuousClock.now

    /// Prepares the measurements; must be called before any other thread is started.
    init(_ measurements: [UplinkMeasurement], color: ColorMode) throws(SystemError) {
        self.measurements = measurements
        self.color = color
        signals = try SignalDescriptor(SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP)
        wakeup = try Wakeup()
    }

    /// Makes the measurements that have no outcome yet.
    ///
    /// - Parameters:
    ///   - lock: The machine's lock on transfers, which must be free or become free.
    ///   - kernel: The kernel's view, which reports path changes of a transfer.
    ///   - probe: The transfer of a measurement.
    ///   - judge: Judges the report of a transfer.
    ///   - whenMeasured: Called after each measurement, while there is no live display.
    func run(
        _ lock: MeasureLock,
        _ kernel: MonitorConfiguration,
        probe: (UplinkMeasurement) -> Probe,
        judge: (Probes.CheckReport) -> Probes.CheckReport,
        whenMeasured: (UplinkMeasurement) -> Void
    ) {
        defer { clear() }
        guard measurements.contains(where: { $0.outcome == nil }) else {
            for measurement in measurements { whenMeasured(measurement) }
            return
        }
        take(lock)
        let prober = Prober()
        defer { prober.shutDownAndWait() }
        let paths = MeasurePaths(of: prober)
        paths.start(kernel)
        defer { paths.stop() }
        for index in measurements.indices {
            if measurements[index].outcome == nil, signal == nil {
                var probe = probe(measurements[index])
                let admission = paths.admission(of: probe)
                probe.transfer?.admission = admission
                paths.follow(probe.interface)
                measure(index, probe, prober)
                if let report = measurements[index].report { measurements[index].outcome = .report(judge(report)) }
            }
            guard measurements[index].outcome != nil else { continue }
            clear()
            whenMeasured(measurements[index])
        }
    }

    /// Waits for the lock; without one nothing is measured.
    private func take(_ lock: MeasureLock) {
        began = .now
        let deadline = began + MeasureLock.patience
        while !lock.take(), signal == nil {
            guard .now < deadline else {
                for index in measurements.indices where measurements[index].outcome == nil {
                    measurements[index].outcome = .skipped(
                        code: FindingCode.transferBusy.rawValue,
                        reason: "\(MeasureLock.text(lock.holder)) did not finish in time"
                    )
                }
                return
            }
            draw(waitingFor: MeasureLock.text(lock.holder))
            sleep(at: MeasureLock.interval)
            handleSignals {}
        }
    }

    private func measure(_ index: Int, _ probe: Probe, _ prober: Prober) {
        let latest = LatestProgress(measurements[index], wakeup)
        var probe = probe
        probe.transfer?.progress = { progress in latest.change { $0.note(progress) } }
        began = .now
        let cancel = prober.start(probe) { report in latest.change { $0.outcome = .report(report) } }
        while true {
            measurements[index] = latest.measurement
            guard measurements[index].outcome == nil else { return }
            draw()
            sleep(at: isLive ? Self.tick : nil)
            handleSignals(cancel)
        }
    }

    // MARK: Signals

    /// Sleeps until there is progress or a signal, at most for an interval.
    private func sleep(at interval: Duration?) {
        let deadline = interval.map { ContinuousClock.now + $0 }
        if wakeup.sleep(untilReady: signals.descriptor, for: POLLIN, deadline: deadline) == .woken { wakeup.reset() }
    }

    /// Handles the signals since the last call: the first that ends the session cancels the transfer, a second one ends the
    /// process.
    private func handleSignals(_ cancel: () -> Void) {
        while let number = signals.nextNotIgnored() {
            switch number {
            case SIGWINCH: break
            case SIGTSTP:
                clear()
                kill(getpid(), SIGSTOP)
            default:
                guard signal == nil else {
                    clear()
                    exit(128 + number)
                }
                signal = number
                cancel()
            }
        }
    }

    // MARK: Display

    /// True while standard error is a terminal that can be redrawn, with this process in its foreground: one in the
    /// background stays silent.
    private var isLive: Bool {
        TerminalStyle.canRedraw(STDERR_FILENO) && tcgetpgrp(STDERR_FILENO) == getpgrp()
    }

    private func draw(waitingFor other: String? = nil) {
        guard isLive else { return }
        let size = TerminalStyle.size(of: STDERR_FILENO) ?? (80, 24)
        var style = TerminalStyle.of(STDERR_FILENO, color: color)
        // Leaves room for the terminal's echo of Ctrl-C: a wrapped line would leave its row behind.
        style.columns = min(max(1, size.columns - 3), 120)
        let screen = MeasureScreen(style: style)
        let shown = screen.lines(measurements, elapsed: ContinuousClock.now - began, waitingFor: other)
        Terminal.writeError(lines.show(shown, on: size))
    }

    /// Removes the live display.
    private func clear() {
        let columns = TerminalStyle.size(of: STDERR_FILENO)?.columns ?? 80
        let bytes = lines.clear(columns: columns)
        if !bytes.isEmpty { Terminal.writeError(bytes) }
    }
}
