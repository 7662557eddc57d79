/// The codes of all findings, each with its meaning and its remedy.
///
/// The codes are part of the event schema and of every command's output: a code is never renamed and never reused. The
/// table in the documentation is made from this file.
public enum FindingCode: String, Sendable, Hashable, CaseIterable, Codable, CustomStringConvertible {
    // MARK: Name resolution

    /// The name does not exist.
    case dnsNXDomain = "dns_nxdomain"
    /// The name exists but has no address of the requested family.
    case dnsNoAddress = "dns_no_address"
    /// The resolver did not answer in time.
    case dnsTimeout = "dns_timeout"
    /// No name server could answer: each failed, or could not be reached.
    case dnsFailure = "dns_failure"
    /// The maximum number of lookups is blocked in the system's resolver.
    case resolverBusy = "resolver_busy"

    // MARK: Connection

    /// The interface is down.
    case linkDown = "link_down"
    /// The kernel has no route to the address.
    case noRoute = "no_route"
    /// This machine has no source address of the family.
    case noAddress = "no_address"
    /// A firewall or another policy of this machine discarded or rejected the packet.
    case localFirewall = "local_firewall"
    /// The reverse path filter of this machine discards the answers.
    case reversePathFilter = "reverse_path_filter"
    /// A router or the neighbour lookup reported that the host is unreachable.
    case hostUnreachable = "host_unreachable"
    /// The port is closed, or a firewall rejects the connection.
    case connectRefused = "connect_refused"
    /// The connection attempt was not answered.
    case connectTimeout = "connect_timeout"
    /// The peer reset the connection attempt.
    case connectReset = "connect_reset"
    /// The connection failed for another reason.
    case connectFailed = "connect_failed"
    /// No interface has that name.
    case interfaceUnknown = "interface_unknown"
    /// The kernel does not permit this process to bind to an interface.
    case interfaceNotPermitted = "interface_not_permitted"
    /// The check may not use a cellular interface, and the egress is one.
    case cellularNotAllowed = "cellular_not_allowed"

    // MARK: TLS

    /// The TLS handshake failed.
    case tlsHandshake = "tls_handshake"
    /// The server aborted the handshake with an alert.
    case tlsAlert = "tls_alert"
    /// Client and server have no TLS version in common.
    case tlsProtocolVersion = "tls_protocol_version"
    /// The server answered with something that is not TLS.
    case tlsNotSpoken = "tls_not_spoken"
    /// The server closed the connection during the handshake.
    case tlsClosed = "tls_closed"
    /// A TLS record after the handshake cannot be read.
    case tlsRecord = "tls_record"
    /// The server requires a client certificate, and got none or rejected it.
    case tlsClientCertificate = "tls_client_certificate"

    // MARK: Trust

    /// A certificate has expired.
    case tlsExpired = "tls_expired"
    /// A certificate is not valid yet.
    case tlsNotYetValid = "tls_not_yet_valid"
    /// No chain of certificates leads to a trusted root.
    case tlsUntrustedRoot = "tls_untrusted_root"
    /// The server's certificate is signed by itself and not trusted.
    case tlsSelfSigned = "tls_self_signed"
    /// The server did not send the intermediate certificate that issued its own.
    case tlsMissingIntermediate = "tls_missing_intermediate"
    /// The certificate is not for this name.
    case tlsHostname = "tls_hostname"
    /// The certificate has no subject alternative name; the common name is ignored.
    case tlsNoSubjectAlternativeName = "tls_no_subject_alternative_name"
    /// The certificate is not valid for a TLS server.
    case tlsPurpose = "tls_purpose"
    /// A certificate that issued another one is not a certificate authority.
    case tlsNotAnAuthority = "tls_not_an_authority"
    /// The chain is longer than one of its authorities or the caller allows.
    case tlsPathLength = "tls_path_length"
    /// An authority in the chain may not issue certificates for this name.
    case tlsNameConstraints = "tls_name_constraints"
    /// A certificate has an unknown critical extension.
    case tlsCriticalExtension = "tls_critical_extension"
    /// A certificate is signed with an algorithm that can be forged.
    case tlsWeakSignature = "tls_weak_signature"
    /// A certificate's key is too small or of a weak type.
    case tlsWeakKey = "tls_weak_key"
    /// A certificate uses an algorithm that this build cannot verify.
    case tlsUnsupportedAlgorithm = "tls_unsupported_algorithm"
    /// A certificate cannot be decoded.
    case tlsMalformedCertificate = "tls_malformed_certificate"
    /// A certificate breaks a rule of RFC 5280 or of the CA/Browser Forum's requirements.
    case tlsCertificateProfile = "tls_certificate_profile"
    /// A certificate's signature does not verify.
    case tlsSignatureInvalid = "tls_signature_invalid"
    /// The search for a chain exceeded its budget: too many candidates.
    case tlsPathBudget = "tls_path_budget"
    /// No certificate of the validated chain matches a pin.
    case tlsPinMismatch = "tls_pin_mismatch"
    /// The pinning mode requires pins, and there are none.
    case tlsNoPins = "tls_no_pins"
    /// The host name cannot be validated while invalid certificates are allowed, unless there are pins.
    case tlsNameNeedsPins = "tls_name_needs_pins"
    /// A certificate was revoked by its issuer.
    case tlsRevoked = "tls_revoked"
    /// No revocation list contains the certificate's status.
    case tlsRevocationUnknown = "tls_revocation_unknown"
    /// The chain was not evaluated, because the policy allows invalid certificates without pins or revocation lists.
    case tlsNotEvaluated = "tls_not_evaluated"
    /// The system's bundle of trusted roots cannot be read, or has no certificate.
    case tlsRootsUnavailable = "tls_roots_unavailable"

    // MARK: HTTP

    /// The status code is not accepted.
    case httpStatus = "http_status"
    /// The media type is not accepted.
    case httpContentType = "http_content_type"
    /// The body does not match the expectation.
    case httpBody = "http_body"
    /// The body cannot be decoded as its declared format.
    case httpUndecodable = "http_undecodable"
    /// The body is larger than the limit.
    case httpTooLarge = "http_too_large"
    /// The response's header is larger than the limit.
    case httpHeaderTooLarge = "http_header_too_large"
    /// The check received more bytes than its limit.
    case byteLimit = "byte_limit"
    /// The evaluation of the response exceeded its work budget.
    case evaluationLimit = "evaluation_limit"
    /// The response is not HTTP, or breaks its rules.
    case httpMalformed = "http_malformed"
    /// The connection was closed before the body was complete.
    case httpTruncated = "http_truncated"
    /// The body's content encoding is invalid or not supported.
    case httpContentEncoding = "http_content_encoding"
    /// The peer broke the HTTP/2 protocol, or refused the stream.
    case httpProtocol = "http_protocol"
    /// The peer reset the connection.
    case connectionReset = "connection_reset"
    /// The peer closed the connection without a response.
    case connectionClosed = "connection_closed"
    /// The redirect leads from https to http, or to an unsupported scheme.
    case redirectRefused = "redirect_refused"
    /// The redirects form a loop.
    case redirectLoop = "redirect_loop"
    /// There are more redirects than the maximum.
    case redirectLimit = "redirect_limit"
    /// The redirect has no valid target.
    case redirectInvalid = "redirect_invalid"

    // MARK: Other checks

    /// The kernel does not permit this process to send ICMP echo requests.
    case icmpNotPermitted = "icmp_not_permitted"
    /// The target or a router reported, by an ICMP error, that the target is unreachable.
    case icmpUnreachable = "icmp_unreachable"
    /// The name server answered with an error code.
    case dnsRcode = "dns_rcode"
    /// The name server's answer cannot be decoded.
    case dnsMalformed = "dns_malformed"
    /// The name server knows the name but has no record of the requested type.
    case dnsNoAnswer = "dns_no_answer"
    /// The check timed out.
    case timeout = "timeout"
    /// The check was cancelled.
    case cancelled = "cancelled"
    /// The request cannot be built, or its body cannot be read.
    case requestInvalid = "request_invalid"
    /// The system has no file descriptor, thread, memory or port left.
    case resourcesExhausted = "resources_exhausted"
    /// The latency is above the probe's threshold.
    case latencyHigh = "latency_high"
    /// The share of failed checks is above the probe's threshold.
    case lossHigh = "loss_high"
    /// The link's daily data budget is used up.
    case budgetExhausted = "budget_exhausted"

    // MARK: Transfers

    /// The throughput is below the probe's threshold.
    case throughputLow = "throughput_low"
    /// The latency that load adds is above the probe's threshold.
    case addedLatencyHigh = "added_latency_high"
    /// No byte of the transfer was sent or received for too long.
    case transferStalled = "transfer_stalled"
    /// The server answered a range request with another part of the object.
    case rangeInvalid = "range_invalid"
    /// The path changed during the transfer.
    case pathChanged = "path_changed"
    /// The transfer yielded to the machine's own traffic.
    case transferYielded = "transfer_yielded"
    /// The uplink is metered, and the probe may not transfer over such links.
    case transferMetered = "transfer_metered"
    /// Another transfer is running on this machine.
    case transferBusy = "transfer_busy"

    // MARK: Captive portals

    /// A request was redirected although the open Internet answers it directly.
    case portalRedirect = "portal_redirect"
    /// A page was received although the open Internet returns none.
    case portalLoginPage = "portal_login_page"
    /// Unexpected content was received, but not a page.
    case portalContent = "portal_content"
    /// The network requests authentication (status 511).
    case portalAuthentication = "portal_authentication"
    /// The network's captive portal API reports that it is captive (RFC 8908).
    case portalAPI = "portal_api"
    /// A captive portal answers at the vantage, so checks give no result about the target.
    case behindPortal = "behind_portal"
    /// Only a backup pin matched.
    case tlsBackupPinOnly = "tls_backup_pin_only"
    /// A line of a trust evaluation batch is not a valid question.
    case questionInvalid = "invalid_question"
}

extension FindingCode {
    /// `true` for a code with which a TLS check fails if a portal or an interceptor answers in the server's place.
    ///
    /// An invalid signature is the sign of a forged certificate that names the real issuer.
    public var isCertificateSuspicious: Bool {
        switch self {
        case .tlsUntrustedRoot, .tlsSelfSigned, .tlsHostname, .tlsMissingIntermediate, .tlsPinMismatch,
            .tlsSignatureInvalid:
            true
        default: false
        }
    }

    /// The code as in events: `connect_refused`.
    public var description: String { rawValue }
}
