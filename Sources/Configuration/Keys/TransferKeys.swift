internal import Probes

/// `transfer` of a probe.
struct TransferKeys: KeyTable {
    private static let sizes = ValueFormat<Int>.size(1...(1 << 40))

    let download = Key(
        "download",
        optional: Self.sizes,
        example: "\"5M\"",
        "The number of bytes to download from the target; a smaller object is downloaded as a whole"
    )
    let upload = Key("upload", optional: Self.sizes, example: "\"1M\"", "The number of bytes to upload by POST")
    let uploadURL = Key(
        "upload_url",
        optional: .webAddress,
        says: "the target",
        example: "\"https://speed.example.org/upload\"",
        "The address that takes the upload"
    ).hiding { TOMLText.quoted($0.shown) }
    let resume = Key(
        "resume",
        .boolean,
        default: false,
        "Resume a download that a change of the path, a stall or a reset has interrupted (`Range` and `If-Range`), within the timeout, over a link that `metered`, `bytes_per_day` and `allow_cellular` admit"
    )
    let metered = Key(
        "metered",
        .boolean,
        default: TransferPlan().allowsMetered,
        "Transfer over metered links too, within `bytes_per_day`"
    )
    let priority = Key(
        "priority",
        .choice,
        default: TransferPlan().priority,
        """
        `"normal"`, or `"low"`: `SO_PRIORITY` 1, DSCP LE, and the congestion control `lp` where the kernel has it; a low \
        priority measures what other traffic leaves
        """
    )
    let stallTimeout = Key(
        "stall_timeout",
        .duration(.milliseconds(100) ... .seconds(3600)),
        default: TransferPlan().stallTimeout,
        "The time without a byte after which the transfer fails (`transfer_stalled`)"
    )
    let yieldShare = Key(
        "yield_share",
        .share,
        default: TransferPlan().yieldShare,
        """
        The share of other traffic on the uplink above which the transfer ends and is counted as not checked \
        (`transfer_yielded`); with 1 it never does
        """
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// `throughput` of a probe.
struct ThroughputKeys: KeyTable {
    let good = Key("good", required: .bitRate, example: "\"5Mbit/s\"", "At least this throughput is a success")
    let bad = Key("bad", required: .bitRate, example: "\"1Mbit/s\"", "At most this throughput is a failure")

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// `added_latency` of a probe.
struct AddedLatencyKeys: KeyTable {
    private static let format = ValueFormat<Duration>.duration(.milliseconds(1) ... .seconds(3600))

    let good = Key("good", required: Self.format, example: "\"50ms\"", "At most this added latency is a success")
    let bad = Key("bad", required: Self.format, example: "\"300ms\"", "At least this added latency is a failure")

    static let keys = Self()
    static let all = KeyList(of: keys)
}

extension ValueFormat where Value == Double {
    /// A bit rate: bits per second with a unit.
    static var bitRate: ValueFormat {
        .parsed(
            "bit rate",
            wanted: "a bit rate in quotes such as \"5Mbit/s\"",
            maxBytes: maxWordBytes,
            text: { TOMLText.quoted(Quantity.text(bitRate: $0)) }
        ) { string in
            if let rate = Quantity.bitRate(string) { return rate }
            let likely = Quantity.likelyBitRate(string).map { "; did you mean \"\($0)\"?" }
            throw ValueError(
                message: "'\(string)' is not a valid bit rate"
                    + (likely ?? "; accepted are forms like 800kbit/s, 1.5Mbit/s and 1Gbit/s")
            )
        }
    }
}

extension TransferPlan {
    /// The default intervals of a probe with a transfer: long, because a transfer costs megabytes.
    static let (standardInterval, standardFastInterval) = (Duration.seconds(6 * 3600), Duration.seconds(600))
    /// The default timeout.
    static let standardTimeout = Duration.seconds(120)
}
