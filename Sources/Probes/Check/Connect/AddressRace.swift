internal import CheckResults
internal import NIOCore
internal import NIOPosix

/// Connects to the addresses of a name as RFC 8305 describes: staggered attempts in parallel, of which the first to
/// succeed wins.
///
/// `@unchecked Sendable`: created and used only on the event loop `loop`, to which the kernel's answers and the timer
/// come too, so that nothing of it is ever accessed by two threads. The outcome is reported once, and never after
/// ``abandon()``.
final class AddressRace: @unchecked Sendable {
    /// The outcome of a race.
    enum Outcome {
        case connected(any Channel, HostAddress)
        /// Every attempt failed; the finding is the most informative one about the target.
        case failed(Finding)
    }

    private struct Attempt {
        let address: HostAddress
        let start: NIODeadline
        var channel: (any Channel)?
        /// The reason on this machine for which there is no answer, once the time is up.
        var silence: Finding?
        var report: ConnectAttempt?
    }

    private let loop: any EventLoop
    private let port: UInt16
    private let interface: String?
    private let epoch: NIODeadline
    private let meter: ByteMeter
    private let transfer: TransferPlan?
    private var order: HappyEyeballs
    private var attempts: [Attempt] = []
    private var timer: Scheduled<Void>?
    private var isDue = true
    private var onFirstAttempt: (() -> Void)?
    private var onOutcome: ((Outcome) -> Void)?

    /// - Parameters:
    ///   - epoch: The start of the check, to which attempt times are relative.
    ///   - meter: Counts the bytes of every attempt.
    ///   - transfer: The transfer that the connection is for, if any.
    init(
        on loop: any EventLoop,
        order: HappyEyeballs,
        port: UInt16,
        interface: String?,
        epoch: NIODeadline,
        meter: ByteMeter,
        transfer: TransferPlan? = nil
    ) {
        self.loop = loop
        self.order = order
        self.port = port
        self.interface = interface
        self.epoch = epoch
        self.meter = meter
        self.transfer = transfer
    }

    /// Sets the callbacks; addresses are added with ``add(_:of:)``.
    func start(onFirstAttempt: @escaping () -> Void, onOutcome: @escaping (Outcome) -> Void) {
        self.onFirstAttempt = onFirstAttempt
        self.onOutcome = onOutcome
    }

    /// Adds the addresses of a family, and continues the race.
    func add(_ addresses: [HostAddress], of family: HostAddress.Family) {
        guard onOutcome != nil else { return }
        order.add(addresses, of: family)
        if order.needsResolutionDelay {
            timer = loop.scheduleTask(in: .init(HappyEyeballs.resolutionDelay)) { [self] in
                order.endResolutionDelay()
                advance()
            }
        } else {
            advance()
        }
    }

    /// `true` once an attempt was started.
    var hasBegun: Bool { order.hasBegun }

    /// All known addresses, in the order of the attempts.
    var addresses: [HostAddress] { attempts.map(\.address) + order.remaining }

    /// The attempts so far, in the order of their starts.
    var reports: [ConnectAttempt] { attempts.map { $0.report ?? report($0, failure: $0.silence, isUsed: false) } }

    /// Closes every pending attempt without reporting an outcome.
    func abandon() {
        onOutcome = nil
        onFirstAttempt = nil
        timer?.cancel()
        for index in attempts.indices where attempts[index].report == nil {
            attempts[index].report = report(attempts[index], failure: attempts[index].silence, isUsed: false)
            attempts[index].channel?.close(promise: nil)
            attempts[index].channel = nil
        }
    }

    /// Finds out which pending attempts get no answer for a reason on this machine.
    func explainSilence() {
        for index in attempts.indices where attempts[index].report == nil {
            attempts[index].silence = route(to: attempts[index].address).silence
        }
    }

    private func route(to address: HostAddress) -> LocalRoute {
        LocalRoute(to: WireEndpoint(address, port: port), over: interface, by: .tcp)
    }

    /// Starts the next attempt if it is due.
    private func advance() {
        guard onOutcome != nil else { return }
        if isDue || order.running == 0, let address = order.next() {
            isDue = false
            if let onFirstAttempt {
                self.onFirstAttempt = nil
                onFirstAttempt()
            }
            attempts.append(Attempt(address: address, start: .now()))
            // Counts from the attempt's start, and is set before an attempt that may fail at once.
            timer?.cancel()
            timer = loop.scheduleTask(in: .init(HappyEyeballs.attemptDelay)) { [self] in
                isDue = true
                advance()
            }
            connect(attempts.count - 1)
        } else if order.isExhausted {
            let nothing = Finding(.dnsNoAddress, subject: "port \(port)", evidence: "there is no address to try")
            finish(.failed(failure ?? nothing))
        }
    }

    private func connect(_ number: Int) {
        let connection = ClientBootstrap(group: loop)
            // The check's own deadline is the timeout.
            .connectTimeout(.hours(24))
            // Small reads, so that a server that floods one check does not monopolize the event loop.
            .channelOption(.maxMessagesPerRead, value: 2)
            .channelOption(
                .recvAllocator,
                value: transfer == nil
                    ? AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2048, maximum: 16 << 10)
                    : AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 16 << 10, maximum: ReadPacer.readBytes)
            )
            .channelInitializer { [self] channel in
                guard onOutcome != nil else {
                    return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                }
                attempts[number].channel = channel
                return InterfaceBinding.apply(interface, to: channel).flatMapThrowing { [meter, transfer] in
                    if let transfer { TransferSocket.tune(channel, for: transfer) }
                    try channel.pipeline.syncOperations.addHandler(ByteCounter(meter))
                    if transfer != nil { try channel.pipeline.syncOperations.addHandler(ReadPacer()) }
                }
            }
            .connect(to: WireEndpoint(attempts[number].address, port: port).socketAddress(interface: interface))
        connection.whenComplete { [self] result in
            switch result {
            case .success(let channel): connected(number, channel)
            case .failure(let error): failed(number, error)
            }
        }
    }

    private func connected(_ number: Int, _ channel: any Channel) {
        guard onOutcome != nil else { return channel.close(promise: nil) }
        attempts[number].report = report(attempts[number], failure: nil, isUsed: true)
        attempts[number].channel = nil
        finish(.connected(channel, attempts[number].address))
    }

    private func failed(_ number: Int, _ error: any Error) {
        guard onOutcome != nil else { return }
        let failure = ConnectFailure.finding(error, connectingOver: route(to: attempts[number].address))
        attempts[number].report = report(attempts[number], failure: failure, isUsed: false)
        attempts[number].channel = nil
        order.attemptFailed()
        isDue = true
        advance()
    }

    private func finish(_ outcome: Outcome) {
        guard let onOutcome else { return }
        abandon()
        onOutcome(outcome)
    }

    /// The failure to report: evidence about the target takes precedence over failures of this machine, and among those
    /// one of packets that left over one of a family without a path.
    var failure: Finding? {
        let failures = reports.compactMap(\.failure)
        return failures.first { !$0.code.isLocalFault } ?? failures.first { $0.code == .reversePathFilter }
            ?? failures.first
    }

    /// The failure of the first address that refused the connection, or reset it.
    var refusal: Finding? {
        reports.lazy.compactMap(\.failure).first { $0.code == .connectRefused || $0.code == .connectReset }
    }

    private func report(_ attempt: Attempt, failure: Finding?, isUsed: Bool) -> ConnectAttempt {
        ConnectAttempt(
            address: attempt.address.description(port: port),
            start: Duration(attempt.start - epoch),
            duration: Duration(.now() - attempt.start),
            failure: failure,
            isUsed: isUsed
        )
    }
}
