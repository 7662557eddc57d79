internal import CheckResults
internal import NIOCore

extension CheckRun {
    /// Sends an ICMP echo request to a host.
    func beginEcho(_ host: ServerIdentity) {
        tryNextAddress(host) { [self] address, answered in
            recorder.begin(.echo)
            hop.peerAddress = address.description
            let target = WireEndpoint(address, port: 0)
            attempts?.route = LocalRoute(to: target, over: probe.interface, by: .icmp)
            let echo = ICMPEcho(target: target, interface: probe.interface)
            return echo.start(on: gate, timeout: timeLeft, meter: meter) { outcome in
                let reply = outcome.reply
                answered(Answer(text: reply?.description, local: reply?.localAddress, finding: outcome.finding))
            }
        }
    }

    /// Sends a DNS query to a name server.
    func beginQuery(_ resolver: ServerIdentity, port: UInt16, name: String, type: String) {
        let question: DNSMessage.Question
        do {
            guard let recordType = DNSRecordType(name: type) else {
                return fail(.requestInvalid, subject: type, evidence: "the record type is not known")
            }
            question = DNSMessage.Question(name: try DNSName(parsing: name), type: recordType)
        } catch {
            return fail(.requestInvalid, subject: name, evidence: error.description)
        }
        tryNextAddress(resolver) { [self] address, answered in
            recorder.begin(.query)
            hop.peerAddress = address.description(port: port)
            let server = WireEndpoint(address, port: port)
            attempts?.route = LocalRoute(to: server, over: probe.interface, by: .udp)
            let query = DNSQuery(server: server, question: question, interface: probe.interface)
            return query.start(on: gate, timeout: timeLeft, meter: meter) { outcome in
                let reply = outcome.reply
                answered(Answer(text: reply?.text, local: reply?.localAddress, finding: outcome.finding))
            }
        }
    }

    /// The result of a datagram exchange.
    private struct Answer: Sendable {
        var text: String?
        var local: WireEndpoint?
        var finding: Finding?
    }

    private typealias Ask = (HostAddress, @escaping @Sendable (Answer) -> Void) -> WireExchange

    /// Queries a host's first address, and the next one if this machine cannot send to it.
    private func tryNextAddress(_ host: ServerIdentity, ask: @escaping Ask) {
        let awaited = HostAddress.Family.allCases.filter { probe.families.includes($0) }
        var order = HappyEyeballs(awaiting: Set(awaited), maximum: probe.limits.addresses)
        if case .address = host { order = HappyEyeballs(awaiting: [], maximum: 1) }
        let attempts = DatagramAttempts(order: order)
        attempts.advance = { [self, unowned attempts] in
            guard !isOver, attempts.order.running == 0 else { return }
            if let address = attempts.order.next() {
                datagram = ask(address) { [self] answer in
                    guard !isOver else { return }
                    if let finding = answer.finding, Self.lacksPath(finding.code) {
                        recorder.interrupt()
                        attempts.failure = attempts.failure ?? finding
                        attempts.order.attemptFailed()
                        attempts.advance?()
                    } else {
                        take(answer)
                    }
                }
            } else if attempts.order.isExhausted {
                let nothing = Finding(.dnsNoAddress, subject: host.description, evidence: "there is no address to ask")
                fail(attempts.failure ?? resolvingFailure(host) ?? nothing)
            }
        }
        self.attempts = attempts
        resolve(host) { [self] family, addresses in
            attempts.order.add(addresses, of: family)
            if attempts.order.needsResolutionDelay {
                loop.assumeIsolated().scheduleTask(in: TimeAmount(HappyEyeballs.resolutionDelay)) {
                    attempts.order.endResolutionDelay()
                    attempts.advance?()
                }
            }
            hop.addresses += addresses.map(\.description)
            attempts.advance?()
        }
    }

    /// Returns whether a code means that this machine could not send to the address, but may be able to send to another.
    private static func lacksPath(_ code: FindingCode) -> Bool {
        code == .noRoute || code == .noAddress || code == .localFirewall
    }

    private func take(_ answer: Answer) {
        hop.answer = answer.text
        if let local = answer.local {
            hop.localAddress = local.description
            hop.interface = probe.interface ?? services.interfaces.name(of: local.bytes)
        }
        if let finding = answer.finding {
            let isSilence = finding.code == .timeout || finding.code == .dnsTimeout
            return fail(isSilence ? attempts?.route?.silence ?? finding : finding)
        }
        recorder.end()
        succeed()
    }
}

/// The state of the addresses to query in turn.
///
/// `@unchecked Sendable`: used only on the check's event loop.
final class DatagramAttempts: @unchecked Sendable {
    var order: HappyEyeballs
    /// The route to the address that was queried last.
    var route: LocalRoute?
    var failure: Finding?
    var advance: (() -> Void)?

    init(order: HappyEyeballs) { self.order = order }
}
