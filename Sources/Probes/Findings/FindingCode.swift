/// Everything that a check can find: one code each, with what it means and what to do about it.
///
/// The codes are part of the event schema and of every command's output: one is never renamed, and never used for
/// anything else. The documentation's table is made from this file.
public enum FindingCode: String, Sendable, Hashable, CaseIterable, Codable {
    // MARK: Resolving

    /// The name does not exist.
    case dnsNXDomain = "dns_nxdomain"
    /// The name exists and has no address of the wanted family.
    case dnsNoAddress = "dns_no_address"
    /// The resolver did not answer in time.
    case dnsTimeout = "dns_timeout"
    /// The resolver answered with a failure.
    case dnsFailure = "dns_failure"
    /// All lookups that may run at once are stuck in the system's resolver.
    case resolverBusy = "resolver_busy"

    // MARK: Connecting

    /// The interface is down.
    case linkDown = "link_down"
    /// The kernel has no route to the address.
    case noRoute = "no_route"
    /// There is no address of this family to send from.
    case noAddress = "no_address"
    /// A router or the neighbour lookup says that the host cannot be reached.
    case hostUnreachable = "host_unreachable"
    /// Nothing listens on the port, or a firewall refuses the connection.
    case connectRefused = "connect_refused"
    /// No answer to the connection attempt.
    case connectTimeout = "connect_timeout"
    /// The peer reset the connection while it was being made.
    case connectReset = "connect_reset"
    /// The connection could not be made for another reason.
    case connectFailed = "connect_failed"
    /// There is no interface of that name.
    case interfaceUnknown = "interface_unknown"
    /// The kernel does not let this process bind to an interface.
    case interfaceNotPermitted = "interface_not_permitted"
    /// The check may not use a cellular interface, and the path is one.
    case cellularNotAllowed = "cellular_not_allowed"

    // MARK: TLS

    /// The TLS handshake failed.
    case tlsHandshake = "tls_handshake"
    /// The server ended the handshake with an alert.
    case tlsAlert = "tls_alert"
    /// Client and server have no TLS version in common.
    case tlsProtocolVersion = "tls_protocol_version"
    /// The server answered with something that is not TLS.
    case tlsNotSpoken = "tls_not_spoken"
    /// The server closed the connection during the handshake.
    case tlsClosed = "tls_closed"
    /// The server asks for a client certificate that it did not get or does not accept.
    case tlsClientCertificate = "tls_client_certificate"

    // MARK: Trust

    /// A certificate is no longer valid.
    case tlsExpired = "tls_expired"
    /// A certificate is not valid yet.
    case tlsNotYetValid = "tls_not_yet_valid"
    /// No chain of certificates leads to a trusted root.
    case tlsUntrustedRoot = "tls_untrusted_root"
    /// The server's certificate is signed by itself and not trusted.
    case tlsSelfSigned = "tls_self_signed"
    /// The server did not send the certificate that issued its own.
    case tlsMissingIntermediate = "tls_missing_intermediate"
    /// The certificate is not for this name.
    case tlsHostname = "tls_hostname"
    /// The certificate has no subject alternative name; a common name does not count.
    case tlsNoSubjectAlternativeName = "tls_no_subject_alternative_name"
    /// The certificate may not be used for a TLS server.
    case tlsPurpose = "tls_purpose"
    /// A certificate that issued another one is not a certificate authority.
    case tlsNotAnAuthority = "tls_not_an_authority"
    /// The chain is longer than one of its authorities or the caller allows.
    case tlsPathLength = "tls_path_length"
    /// An authority in the chain may not issue for this name.
    case tlsNameConstraints = "tls_name_constraints"
    /// A certificate has a critical extension that is not understood.
    case tlsCriticalExtension = "tls_critical_extension"
    /// A certificate is signed with an algorithm that can be forged.
    case tlsWeakSignature = "tls_weak_signature"
    /// A certificate's key is too small or of a weak kind.
    case tlsWeakKey = "tls_weak_key"
    /// A certificate uses an algorithm that this build cannot verify.
    case tlsUnsupportedAlgorithm = "tls_unsupported_algorithm"
    /// A certificate cannot be decoded.
    case tlsMalformedCertificate = "tls_malformed_certificate"
    /// A certificate breaks a rule of RFC 5280 or of the CA/Browser Forum's requirements.
    case tlsCertificateProfile = "tls_certificate_profile"
    /// A certificate's signature does not verify.
    case tlsSignatureInvalid = "tls_signature_invalid"
    /// The search for a chain was given up: too many candidates.
    case tlsPathBudget = "tls_path_budget"
    /// No certificate of the validated chain matches a pin.
    case tlsPinMismatch = "tls_pin_mismatch"
    /// The pinning mode asks for pins, and there are none.
    case tlsNoPins = "tls_no_pins"
    /// The name cannot be validated while invalid certificates are allowed, unless there are pins.
    case tlsNameNeedsPins = "tls_name_needs_pins"
    /// A certificate was revoked by its issuer.
    case tlsRevoked = "tls_revoked"
    /// The revocation list does not tell the certificate's state.
    case tlsRevocationUnknown = "tls_revocation_unknown"
    /// Nothing was checked, because the policy allows invalid certificates without pins.
    case tlsNotEvaluated = "tls_not_evaluated"

    // MARK: HTTP

    /// The status code is not one of the accepted ones.
    case httpStatus = "http_status"
    /// The media type is not one of the accepted ones.
    case httpContentType = "http_content_type"
    /// The body is not what is expected.
    case httpBody = "http_body"
    /// The body cannot be decoded as what it claims to be.
    case httpUndecodable = "http_undecodable"
    /// The body is larger than allowed.
    case httpTooLarge = "http_too_large"
    /// The response's header is larger than allowed.
    case httpHeaderTooLarge = "http_header_too_large"
    /// More bytes came than a check takes, of whatever kind.
    case byteLimit = "byte_limit"
    /// Judging the response took more work than a check may.
    case evaluationLimit = "evaluation_limit"
    /// The response is not HTTP.
    case httpMalformed = "http_malformed"
    /// The connection ended before the body was complete.
    case httpTruncated = "http_truncated"
    /// The body's compression is broken or not supported.
    case httpContentEncoding = "http_content_encoding"
    /// The peer broke the HTTP/2 protocol, or refused the stream.
    case httpProtocol = "http_protocol"
    /// The peer reset the connection.
    case connectionReset = "connection_reset"
    /// The peer closed the connection without an answer.
    case connectionClosed = "connection_closed"
    /// The redirect leads from https to http, or to a scheme that a check does not follow.
    case redirectRefused = "redirect_refused"
    /// The redirects come back to a place that was seen before.
    case redirectLoop = "redirect_loop"
    /// There are more redirects than allowed.
    case redirectLimit = "redirect_limit"
    /// The redirect has no target that could be followed.
    case redirectInvalid = "redirect_invalid"

    // MARK: Other checks

    /// The system does not let this process send ICMP echo requests.
    case icmpNotPermitted = "icmp_not_permitted"
    /// A router answered that the host or network cannot be reached.
    case icmpUnreachable = "icmp_unreachable"
    /// The name server answered with an error code.
    case dnsRcode = "dns_rcode"
    /// The name server's answer cannot be decoded.
    case dnsMalformed = "dns_malformed"
    /// The name server knows the name and has no record of the wanted type.
    case dnsNoAnswer = "dns_no_answer"
    /// The time for the whole check was over.
    case timeout = "timeout"
    /// The check was cancelled before it was done.
    case cancelled = "cancelled"
    /// The request cannot be built, or its body cannot be read.
    case requestInvalid = "request_invalid"
    /// The system had no file descriptor, memory or port left.
    case resourcesExhausted = "resources_exhausted"
    /// The answer took longer than the probe allows.
    case latencyHigh = "latency_high"
    /// Too many of the last checks failed.
    case lossHigh = "loss_high"
    /// The link's budget of bytes for this day is used up.
    case budgetExhausted = "budget_exhausted"

    // MARK: Captive portals

    /// A request was redirected that the open Internet would have answered.
    case portalRedirect = "portal_redirect"
    /// A page came where the open Internet answers nothing.
    case portalLoginPage = "portal_login_page"
    /// Something other than the expected answer came, and no page.
    case portalContent = "portal_content"
    /// The network asks for authentication (status 511).
    case portalAuthentication = "portal_authentication"
    /// The network's own interface says that it is captive (RFC 8908).
    case portalAPI = "portal_api"
    /// A captive portal answers at the vantage, so checks say nothing about the target.
    case behindPortal = "behind_portal"
    /// Only a backup pin matches.
    case tlsBackupPinOnly = "tls_backup_pin_only"
    /// A line that was to ask for a trust evaluation is no question.
    case questionInvalid = "invalid_question"
}
