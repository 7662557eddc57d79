public import CheckResults
public import HTTPSerialization

/// A bounded transfer in place of a check's single request, which measures throughput and responsiveness under load.
///
/// Negative sizes count as zero, and a share that is not a finite number as 1.
public struct TransferPlan: Sendable {
    /// The priority of a transfer's packets.
    public enum Priority: String, Sendable, Hashable, CaseIterable, Codable {
        /// The priority of any other connection.
        case normal
        /// Below everything else: `SO_PRIORITY` 1, DSCP LE (RFC 8622), and the congestion control `lp` if the kernel
        /// supports it.
        case low
    }

    /// The payload bytes to download from the target; 0 for no download.
    public var downloadBytes: Int { didSet { downloadBytes = max(0, downloadBytes) } }
    /// The payload bytes to upload; 0 for no upload.
    public var uploadBytes: Int { didSet { uploadBytes = max(0, uploadBytes) } }
    /// The URL to which the upload is sent by POST; nil for that of the target.
    public var uploadURL: HTTPURL?
    /// `true` to resume by `Range` and `If-Range` after the path was lost, over the next path, within the check's
    /// timeout.
    public var resumes: Bool
    /// The priority of the transfer's packets.
    public var priority: Priority
    /// The time without a byte after which the transfer fails with the code `transfer_stalled`.
    public var stallTimeout: Duration
    /// `true` to transfer over metered uplinks too, within their budget.
    public var allowsMetered: Bool
    /// The share of other traffic on the uplink, from 0 to 1, above which the transfer yields.
    public var yieldShare: Double { didSet { yieldShare = Self.share(yieldShare) } }
    /// Called with the progress on one of the prober's threads, in order, which it must not block.
    public var progress: (@Sendable (TransferProgress) -> Void)?
    /// Decides whether an interrupted download continues over the present link; nil to continue over every link.
    ///
    /// Called before and after each attempt to connect, on one of the prober's threads, which it must not block.
    public var admission: (@Sendable (TransferContinuation) -> TransferAdmission)?

    /// Creates a plan.
    public init(
        downloadBytes: Int = 0,
        uploadBytes: Int = 0,
        uploadURL: HTTPURL? = nil,
        resumes: Bool = false,
        priority: Priority = .normal,
        stallTimeout: Duration = .seconds(10),
        allowsMetered: Bool = false,
        yieldShare: Double = 0.2,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        admission: (@Sendable (TransferContinuation) -> TransferAdmission)? = nil
    ) {
        self.downloadBytes = max(0, downloadBytes)
        self.uploadBytes = max(0, uploadBytes)
        self.uploadURL = uploadURL
        self.resumes = resumes
        self.priority = priority
        self.stallTimeout = stallTimeout
        self.allowsMetered = allowsMetered
        self.yieldShare = Self.share(yieldShare)
        self.progress = progress
        self.admission = admission
    }

    /// The maximum number of bytes on the link, including all headers, handshakes and small requests, which a budget
    /// must have left before the transfer starts.
    public var bytesOnWire: Int { bytesOnWire(received: 0) }

    /// Returns the maximum number of bytes on the link once so many payload bytes of the download have been received.
    func bytesOnWire(received: Int) -> Int {
        let (payload, isTooMuch) = max(0, downloadBytes - received).addingReportingOverflow(uploadBytes)
        guard !isTooMuch, payload < .max / 2 else { return .max }
        return payload + payload / 5 + Self.overhead
    }

    private static func share(_ value: Double) -> Double { value.isFinite ? min(max(0, value), 1) : 1 }

    /// The allowance for handshakes and small requests, in addition to the share of the payload.
    private static let overhead = 128 << 10
}
