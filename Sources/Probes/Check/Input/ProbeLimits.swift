/// Limits on the input that a check accepts from its target, all enforced while reading.
///
/// The response expectations have body limits of their own; the lower limit applies.
public struct ProbeLimits: Sendable, Hashable {
    /// The maximum size of a response's header fields, names and values together, in bytes.
    public var headerBytes: Int
    /// The maximum number of a response's header fields.
    public var headerCount: Int
    /// The maximum size of a body as sent, in bytes.
    public var bodyBytes: Int
    /// The maximum size of a decoded body, in bytes.
    public var inflatedBodyBytes: Int
    /// The maximum number of addresses to try, over both families.
    public var addresses: Int
    /// The number of bytes that the report keeps of the decoded body, from its start; 0 keeps none.
    public var keptBodyBytes: Int

    /// The maximum number of bytes received for each hop, of any kind: TLS records, frames, chunks and their
    /// extensions, datagrams; nil for ``defaultReceivedBytes``.
    public var receivedBytes: Int?
    /// The rest of a link's data budget, for bytes in both directions; nil for no budget.
    ///
    /// A check that exceeds it ends without a verdict on its target.
    public var budgetBytes: Int?
    /// The maximum number of work steps to evaluate a response, each about the time to process one byte.
    public var evaluationSteps: Int

    /// Creates limits; negative values count as zero.
    public init(
        headerBytes: Int = 64 * 1024,
        headerCount: Int = 256,
        bodyBytes: Int = 1024 * 1024,
        inflatedBodyBytes: Int = 8 * 1024 * 1024,
        addresses: Int = 16,
        keptBodyBytes: Int = 0,
        receivedBytes: Int? = nil,
        budgetBytes: Int? = nil,
        evaluationSteps: Int = 256 << 20
    ) {
        self.headerBytes = max(0, headerBytes)
        self.headerCount = max(0, headerCount)
        self.bodyBytes = max(0, bodyBytes)
        self.inflatedBodyBytes = max(0, inflatedBodyBytes)
        self.addresses = max(0, addresses)
        self.keptBodyBytes = max(0, keptBodyBytes)
        self.receivedBytes = receivedBytes.map { max(0, $0) }
        self.budgetBytes = budgetBytes.map { max(0, $0) }
        self.evaluationSteps = max(0, evaluationSteps)
    }

    /// Twice the limits of header and body, because each is framed, plus 512 KiB for handshakes.
    public var defaultReceivedBytes: Int {
        let (content, isTooLarge) = headerBytes.addingReportingOverflow(bodyBytes)
        return isTooLarge || content > .max / 4 ? .max : 2 * content + (512 << 10)
    }
}
