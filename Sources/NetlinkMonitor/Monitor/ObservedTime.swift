internal import Glibc

/// One instant on two clocks: one for measurements, and one for people.
public struct ObservedTime: Sendable, Hashable {
    /// The instant on the clock that never jumps and continues during suspend (CLOCK_BOOTTIME).
    public let instant: ContinuousClock.Instant
    /// Microseconds since 1970-01-01 UTC (CLOCK_REALTIME).
    public let microsecondsSince1970: Int64

    /// Creates an instant.
    public init(instant: ContinuousClock.Instant, microsecondsSince1970: Int64) {
        self.instant = instant
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// The current time on both clocks.
    public static var now: ObservedTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return ObservedTime(
            instant: .now,
            microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        )
    }
}

extension CodingUserInfoKey {
    /// The epoch (`ContinuousClock.Instant`) of coders for the instants of an ``ObservedTime``.
    ///
    /// The clock restarts with each boot, so an instant by itself has no meaning on another machine.
    public static let observationEpoch = CodingUserInfoKey(rawValue: "reachagent.observation-epoch")
}

extension ObservedTime: Codable {
    private enum Member: String, CodingKey {
        case nanoseconds = "ns"
        case microseconds = "us"
    }

    private static let expectation = "expected an observationEpoch in the coder's userInfo, and a moment near it"

    /// Reads nanoseconds since the coder's epoch (`ns`) and microseconds since 1970 (`us`).
    ///
    /// - Throws: `DecodingError` if the coder has no epoch, or the instant is more than 146 years from it.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let nanoseconds = try members.decode(Int64.self, forKey: .nanoseconds)
        let microseconds = try members.decode(Int64.self, forKey: .microseconds)
        guard let epoch = Self.epoch(decoder.userInfo), Self.isBelievable(nanoseconds), Self.isCivil(microseconds)
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .nanoseconds,
                in: members,
                debugDescription: Self.expectation
            )
        }
        self.init(instant: epoch.advanced(by: .nanoseconds(nanoseconds)), microsecondsSince1970: microseconds)
    }

    /// Writes nanoseconds since the coder's epoch (`ns`) and microseconds since 1970 (`us`).
    ///
    /// - Throws: `EncodingError` if the coder has no epoch, or the instant is more than 146 years from it.
    public func encode(to encoder: any Encoder) throws {
        guard let distance = Self.epoch(encoder.userInfo)?.duration(to: instant),
            let nanoseconds = distance.wholeNanoseconds, Self.isBelievable(nanoseconds),
            Self.isCivil(microsecondsSince1970)
        else {
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: Self.expectation)
            )
        }
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(nanoseconds, forKey: .nanoseconds)
        try members.encode(microsecondsSince1970, forKey: .microseconds)
    }

    private static func epoch(_ userInfo: [CodingUserInfoKey: Any]) -> ContinuousClock.Instant? {
        CodingUserInfoKey.observationEpoch.flatMap { userInfo[$0] as? ContinuousClock.Instant }
    }

    /// Returns whether sums and differences of such instants cannot overflow.
    private static func isBelievable(_ nanoseconds: Int64) -> Bool { nanoseconds.magnitude <= 1 << 62 }

    /// Returns whether a time is in the years 1 to 9999, which can be formatted.
    private static func isCivil(_ microseconds: Int64) -> Bool {
        (-62_135_596_800_000_000...253_402_300_799_999_999).contains(microseconds)
    }
}

extension Duration {
    /// The duration in nanoseconds; `nil` if it is not a whole number of them, or overflows.
    fileprivate var wholeNanoseconds: Int64? {
        let (seconds, attoseconds) = components
        guard attoseconds % 1_000_000_000 == 0 else { return nil }
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflows ? nil : sum
    }
}
