/// How much a check accepts from its target; every one of them is enforced while reading, not afterwards.
///
/// The expectations of a response have limits of their own for its body; the lower one counts.
public struct ProbeLimits: Sendable, Hashable {
    /// The bytes of a response's header fields, names and values together.
    public var headerBytes: Int
    /// The number of a response's header fields.
    public var headerCount: Int
    /// The bytes of a body as they are sent.
    public var bodyBytes: Int
    /// The bytes of a body after its content encoding was undone.
    public var inflatedBodyBytes: Int
    /// The number of addresses that are tried, over both families.
    public var addresses: Int
    /// How many bytes of the decoded body the report keeps, from its beginning; none unless somebody wants to read them.
    public var keptBodyBytes: Int

    /// The bytes that may come from each place that is asked, whatever they are: TLS records, frames, chunks and their
    /// extensions, datagrams; nil for ``defaultReceivedBytes``.
    public var receivedBytes: Int?
    /// The rest of a link's budget, for bytes in both directions; nil for no budget.
    ///
    /// A check that exceeds it ends without a verdict on its target.
    public var budgetBytes: Int?
    /// The steps of work that judging what came may take, each about the time in which a byte is looked at.
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

    /// Twice what a header and a body may have, because each has a frame around it, and 512 KiB for handshakes.
    public var defaultReceivedBytes: Int {
        let (content, isTooLarge) = headerBytes.addingReportingOverflow(bodyBytes)
        return isTooLarge || content > .max / 4 ? .max : 2 * content + (512 << 10)
    }
}
