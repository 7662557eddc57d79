internal import NIOCore
internal import NIOSSL

/// What the TLS library's errors mean.
enum TLSFailure {
    /// The finding for an error during the handshake; the subject is the server.
    static func finding(_ error: any Error, subject: String) -> Finding {
        switch error {
        case is TLSHandshake.Closed, NIOSSLError.uncleanShutdown:
            return closed(subject)
        case let error as IOError:
            let code = ConnectFailure.code(error.errnoCode)
            return Finding(
                code == .connectReset ? .connectionReset : code,
                subject: subject,
                evidence: "in the handshake: \(ConnectFailure.text(error.errnoCode))"
            )
        default:
            guard let failure = Failure(error) else {
                return Finding(.tlsHandshake, subject: subject, evidence: String(describing: error))
            }
            return finding(failure, subject: subject)
        }
    }

    /// The finding for an error during the handshake, with what the server said before it.
    ///
    /// A server that answers in plain text and closes with our hello unread resets the connection; and over TLS 1.2 a
    /// server that misses a certificate ends with an alert that says nothing of it.
    static func finding(
        _ error: any Error,
        subject: String,
        opening: TLSOpening,
        hasClientCertificate: Bool
    ) -> Finding {
        let finding = finding(error, subject: subject)
        if opening.isForeign, [.connectionReset, .tlsClosed].contains(finding.code) {
            return Finding(.tlsNotSpoken, subject: subject, evidence: "the server answered '\(opening.firstLine)'")
        }
        if opening.asksForCertificate, !hasClientCertificate, Failure(error)?.alert == TLSAlert.handshakeFailure {
            return Finding(
                .tlsClientCertificate,
                subject: subject,
                evidence: "the server asked for a client certificate, got none, and sent the alert handshake_failure"
            )
        }
        return finding
    }

    /// The finding for an alert that came after the client's side of the handshake was over.
    ///
    /// A TLS 1.3 server looks at the client's certificate after the client may already send, so its refusal comes instead
    /// of a response. Nil when the error is not the TLS library's.
    static func findingAfterHandshake(_ error: any Error, subject: String) -> Finding? {
        guard let failure = Failure(error) else { return nil }
        return finding(failure, subject: subject)
    }

    private static func closed(_ subject: String) -> Finding {
        Finding(.tlsClosed, subject: subject, evidence: "the server closed the connection during the handshake")
    }

    private static func finding(_ failure: Failure, subject: String) -> Finding {
        if failure.isEnd { return closed(subject) }
        if let alert = failure.alert {
            let name = TLSAlert.name(alert)
            return Finding(TLSAlert.code(alert), subject: subject, evidence: "the server sent the alert \(name)")
        }
        let code: FindingCode
        switch failure.reason {
        case "KEY_USAGE_BIT_INCORRECT":
            return Finding(
                .tlsPurpose,
                subject: subject,
                evidence:
                    "the key usage of the server's certificate does not allow the use of its key in this handshake: "
                    + "TLS 1.3 and ephemeral keys need digitalSignature"
            )
        case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST": code = .tlsNotSpoken
        case "UNSUPPORTED_PROTOCOL", "UNKNOWN_PROTOCOL", "WRONG_SSL_VERSION": code = .tlsProtocolVersion
        default: code = .tlsHandshake
        }
        return Finding(code, subject: subject, evidence: failure.reason.lowercased().replacing("_", with: " "))
    }

    /// What can be read from the TLS library's errors, which it gives as text alone.
    private struct Failure {
        /// The reason's name in the library: `WRONG_VERSION_NUMBER`.
        var reason = ""
        /// The number of the alert that the peer sent.
        var alert: UInt8?
        /// Whether the connection ended in the middle.
        var isEnd = false

        init?(_ error: any Error) {
            switch error {
            case NIOSSLError.handshakeFailed(let cause): read(cause)
            case NIOSSLError.readInInvalidTLSState, NIOSSLError.noCertificateToValidate,
                NIOSSLError.unableToValidateCertificate:
                reason = String(describing: error)
            case let cause as BoringSSLError: read(cause)
            default: return nil
            }
        }

        private mutating func read(_ cause: BoringSSLError) {
            switch cause {
            case .sslError(let stack), .unknownError(let stack):
                guard let first = stack.first else {
                    reason = "unknown"
                    return
                }
                if first == .eofDuringHandshake || first == .eofDuringAdditionalCertficiateChainValidation {
                    isEnd = true
                } else {
                    read(first.description)
                }
            case .zeroReturn, .syscallError: isEnd = true
            default: reason = String(describing: cause)
            }
        }

        /// Reads `Error: 268436526 error:1000042e:SSL routines:OPENSSL_internal:TLSV1_ALERT_PROTOCOL_VERSION at …`.
        private mutating func read(_ text: String) {
            let words = text.split(separator: " ")
            // The library puts alerts at 1000 and above, in the low twelve bits of the code.
            if words.count > 1, let code = UInt32(words[1]), case let number = code & 0xFFF,
                (1000...1255).contains(number)
            {
                alert = UInt8(number - 1000)
            }
            let place = text.firstRange(of: " at ")?.lowerBound ?? text.endIndex
            reason = text[..<place].split(separator: ":").last.map(String.init) ?? text
        }
    }
}
