/// The phases of a check, in order.
///
/// A report holds only phases that started. The boundaries of the HTTP phases are blackbox_exporter's, except that
/// sending the request is a phase of its own.
public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Looking the name up.
    case resolve
    /// From the first connection attempt to the established connection.
    case connect
    /// The TLS handshake, including the evaluation of the server's trust.
    case tls
    /// Writing the request.
    case request
    /// From the request's last byte to the response's first.
    case firstByte = "first_byte"
    /// From the response's first byte to its last.
    case body
    /// From an ICMP echo request to its reply.
    case echo
    /// From a DNS query to its answer.
    case query
}
