internal import CheckResults

/// The alerts of RFC 8446, section 6.
enum TLSAlert {
    static let handshakeFailure: UInt8 = 40

    /// Returns the alert's name in the RFC.
    static func name(_ number: UInt8) -> String {
        names[number] ?? "\(number)"
    }

    /// Returns the code for an alert from the server.
    static func code(_ number: UInt8) -> FindingCode {
        switch number {
        case 70: .tlsProtocolVersion
        // Alerts about a certificate; a server verifies only the client's.
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
