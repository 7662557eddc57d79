internal import CheckResults
internal import ForeignText
internal import ServerTrust
internal import Sinks

internal import struct FoundationEssentials.Date

/// The verification of a broker's certificate, with the same rules, authorities and pins as for probes.
struct BrokerTrust {
    /// The maximum number of steps for one chain; a step takes about as long as processing one byte.
    static let maximumSteps = 1 << 26

    /// The server name to request (SNI); `nil` for an address, which SNI does not allow (RFC 6066, section 3).
    let serverName: String?

    private let evaluator: TrustEvaluator
    private let identity: ServerIdentity
    private let broker: String
    private let now: @Sendable () -> Date

    /// Creates the verification for the broker of a sink.
    ///
    /// - Parameters:
    ///   - settings: The sink, whose file of authorities is read now.
    ///   - server: The server, whose name the certificate must be valid for.
    ///   - now: The time at which the certificate must be valid.
    /// - Throws: ``TransportFailure`` with the code `credentials_unreadable`.
    init(
        _ settings: SinkSettings,
        for server: BrokerAddress.Server,
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws(TransportFailure) {
        var policy = SecurityPolicy()
        if !settings.pins.isEmpty {
            policy.pinningMode = .publicKey
            policy.pinnedPublicKeys = try settings.pins.map { (text) throws(TransportFailure) in
                guard let digest = Self.digest(text) else {
                    throw TransportFailure(
                        code: "credentials_unreadable",
                        detail: "the pin '\(ForeignText.shown(text))' is not a SHA-256 digest in hexadecimal"
                    )
                }
                return PublicKeyPin(digest: digest)
            }
        }
        var anchors = TrustAnchors.system
        if let path = settings.authorities {
            do {
                anchors = TrustAnchors(certificates: try CertificateFile.certificates(at: path))
            } catch {
                throw TransportFailure(code: "credentials_unreadable", detail: error.description)
            }
        }
        evaluator = TrustEvaluator(policy: policy, anchors: anchors)
        identity = server.identity
        serverName = if case .name(let name) = server.identity { name } else { nil }
        broker = server.authority
        self.now = now
    }

    /// Returns the reason to reject a chain, in DER as it was presented; `nil` to accept it.
    func refusal(of presented: [[UInt8]]) -> TransportFailure? {
        let budget = WorkBudget(deadline: .now + .seconds(5), steps: Self.maximumSteps)
        let verdict = evaluator.evaluate(presented: presented, identity: identity, at: now(), within: budget)
        guard !verdict.isAccepted else { return nil }
        guard let finding = verdict.findings.first(where: { $0.severity == .refusal }) else {
            return TransportFailure(code: "broker_tls", detail: "the certificate of \(broker) is refused")
        }
        if finding.code == .tlsRootsUnavailable {
            return TransportFailure(
                code: "credentials_unreadable",
                detail: "the certificate of \(broker) cannot be validated: \(finding.evidence)"
            )
        }
        return TransportFailure(
            code: "broker_tls",
            detail: "the certificate of \(broker) is refused (\(finding.code.rawValue)): \(finding.evidence)"
        )
    }

    private static func digest(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46: digit - 0x37
            case 0x61...0x66: digit - 0x57
            default: nil
            }
        }
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

extension BrokerAddress.Server {
    /// The identity that the server's certificate must have.
    ///
    /// That of an IPv4-mapped address is the IPv4 address to which the system connects. ``host`` remains what the
    /// operator wrote, because the cursor of a sink applies to an address as text.
    var identity: ServerIdentity {
        // A zone specifies the interface, and is not part of the address.
        ServerIdentity(host: String(host.prefix { $0 != "%" })).withoutTrailingDot
    }
}
