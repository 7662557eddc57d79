internal import CheckResults
internal import LinuxSupport
internal import NIOCore
internal import NIOSSL

/// Maps the TLS library's errors to findings.
enum TLSFailure {
    /// Returns the finding for an error during the handshake; the subject is the server.
    static func finding(_ error: any Error, subject: String) -> Finding {
        switch error {
        case is TLSHandshake.Closed, NIOSSLError.uncleanShutdown:
            return closed(subject)
        case let error as IOError:
            let code = SystemFinding.code(error.errnoCode)
            return Finding(
                code == .connectReset ? .connectionReset : code,
                subject: subject,
                evidence: "in the handshake: \(SystemError(errno: error.errnoCode))"
            )
        default:
            guard let failure = Failure(error) else {
                return Finding(.tlsHandshake, subject: subject, evidence: String(describing: error))
            }
            return finding(failure, subject: subject)
        }
    }

    /// Returns the finding for an error during the handshake, with the server's first bytes as evidence.
    ///
    /// A server that answers in plain text and closes with our ClientHello unread resets the connection, and the library
    /// says only that the version is wrong; over TLS 1.2 a server that requires a certificate sends an alert that does not
    /// say so.
    static func finding(
        _ error: any Error,
        subject: String,
        opening: TLSOpening,
        hasClientCertificate: Bool
    ) -> Finding {
        let finding = finding(error, subject: subject)
        if opening.isForeign, [.connectionReset, .tlsClosed, .tlsNotSpoken].contains(finding.code) {
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

    /// Returns the finding for an error after the client's side of the handshake was complete.
    ///
    /// A TLS 1.3 server verifies the client certificate when the client may already send, so its rejection arrives
    /// instead of a response. A TLS 1.2 server may ask to renegotiate, as for a client certificate, which the library
    /// refuses. Anything else is a record that cannot be read or is not allowed, and no matter of ports, versions or
    /// ciphers. Nil if the error is not one of the TLS library.
    static func findingAfterHandshake(_ error: any Error, subject: String) -> Finding? {
        guard let failure = Failure(error) else { return nil }
        if failure.reason == "NO_RENEGOTIATION" {
            let evidence = "the server asked to renegotiate, which this program does not do"
            return Finding(.tlsHandshake, subject: subject, evidence: evidence)
        }
        return failure.alert.map { finding(ofAlert: $0, subject: subject) }
            ?? Finding(.tlsRecord, subject: subject, evidence: "after the handshake: \(failure.words)")
    }

    private static func closed(_ subject: String) -> Finding {
        Finding(.tlsClosed, subject: subject, evidence: "the server closed the connection during the handshake")
    }

    private static func finding(_ failure: Failure, subject: String) -> Finding {
        if failure.isEnd { return closed(subject) }
        if let alert = failure.alert { return finding(ofAlert: alert, subject: subject) }
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
        return Finding(code, subject: subject, evidence: failure.words)
    }

    private static func finding(ofAlert alert: UInt8, subject: String) -> Finding {
        let name = TLSAlert.name(alert)
        return Finding(TLSAlert.code(alert), subject: subject, evidence: "the server sent the alert \(name)")
    }

    /// The facts in the TLS library's errors, which are only text.
    private struct Failure {
        /// The library's name for the reason: `WRONG_VERSION_NUMBER`.
        var reason = ""
        /// The number of the peer's alert.
        var alert: UInt8?
        /// `true` if the connection was closed during the handshake.
        var isEnd = false
        /// The reason in words: `wrong version number`.
        var words: String { reason.lowercased().replacing("_", with: " ") }

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
            case .zeroReturn, .syscallError:
                isEnd = true
                reason = String(describing: cause)
            default: reason = String(describing: cause)
            }
        }

        /// Parses `Error: 268436526 error:1000042e:SSL routines:OPENSSL_internal:TLSV1_ALERT_PROTOCOL_VERSION at …`.
        private mutating func read(_ text: String) {
            let words = text.split(separator: " ")
            // The library numbers alerts from 1000, in the low twelve bits of the code.
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

/// The alerts of RFC 8446, section 6.
private enum TLSAlert {
    static let handshakeFailure: UInt8 = 40

    /// Returns the alert's name in the RFC.
    static func name(_ number: UInt8) -> String {
        names[number] ?? "\(number)"
    }

    /// Returns the code for an alert from the server.
    static func code(_ number: UInt8) -> FindingCode {
        switch number {
        case 70: .tlsProtocolVersion
        // Alerts about a certificate; a server verifies only that of the client.
        case 41...46, 48, 49, 116: .tlsClientCertificate
        default: .tlsAlert
        }
    }

    private static let names: [UInt8: String] = [
        0: "close_notify", 10: "unexpected_message", 20: "bad_record_mac", 21: "decryption_failed",
        22: "record_overflow", 30: "decompression_failure", 40: "handshake_failure", 41: "no_certificate",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 70: "protocol_version", 71: "insufficient_security", 80: "internal_error",
        86: "inappropriate_fallback", 90: "user_canceled", 100: "no_renegotiation", 109: "missing_extension",
        110: "unsupported_extension", 112: "unrecognized_name", 113: "bad_certificate_status_response",
        115: "unknown_psk_identity", 116: "certificate_required", 120: "no_application_protocol",
    ]
}
