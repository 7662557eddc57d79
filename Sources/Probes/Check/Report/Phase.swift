/// The steps of a check, in the order in which they happen.
///
/// A report holds only those that began. The boundaries of the HTTP phases are blackbox_exporter's, except that sending
/// the request is a phase of its own.
public enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Looking the name up.
    case resolve
    /// From the first connection attempt to the connection that was used.
    case connect
    /// The TLS handshake, the evaluation of the server's trust included.
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
