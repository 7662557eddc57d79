internal import FoundationEssentials
internal import NetlinkMonitor
internal import Reachability

/// One input as a line of a recording.
struct InputLine: Codable {
    /// The line that marks a truncated recording.
    static let truncationMarker = Array(#"{"input":"truncated"}"#.utf8)

    var input: String
    var seq: UInt64?
    var at: ObservedTime?
    var published: ObservedTime?
    var correction: Bool?
    var changes: [NetworkChange]?
    var snapshot: NetworkSnapshot?
    var sample: ProbeSample?
    var suspended: Duration?
    var configuration: MachineConfiguration?
    var announcement: Bool?

    init(_ record: InputRecord, sequence: UInt64?, published: ObservedTime?) {
        input = record.name
        seq = sequence
        at = record.observed
        self.published = published
        switch record {
        case .update(let update, let isCorrection):
            correction = isCorrection ? true : nil
            changes = update.changes
            snapshot = update.snapshot
        case .sample(let sample): self.sample = sample
        case .tick: break
        case .resumed(let suspended, _): self.suspended = suspended
        case .configuration(let configuration, _): self.configuration = configuration
        case .announcement(let configuration, _): (self.configuration, announcement) = (configuration, true)
        }
    }

    /// Returns the input; `nil` for the marker of a truncated recording.
    func record() throws(LineFault) -> InputRecord? {
        if input == "truncated" { return nil }
        let at = try require(at, "at")
        switch input {
        case "update":
            let update = NetworkUpdate(
                snapshot: try require(snapshot, "snapshot"),
                changes: try require(changes, "changes"),
                observed: at
            )
            return .update(update, isCorrection: correction ?? false)
        case "sample":
            let sample = try require(sample, "sample")
            try sample.checkBounds()
            guard sample.observed == at else { throw .damaged("'at' is not when the sample was observed") }
            return .sample(sample)
        case "tick": return .tick(at)
        case "resumed":
            let suspended = try require(suspended, "suspended")
            try InputBounds.check(suspended, "suspended")
            return .resumed(after: suspended, observed: at)
        case "configuration":
            let configuration = try require(configuration, "configuration").checked()
            guard announcement == true else { return .configuration(configuration, observed: at) }
            return .announcement(configuration, observed: at)
        default: throw .damaged("an unknown sort of input")
        }
    }

    private func require<Value>(_ value: Value?, _ name: String) throws(LineFault) -> Value {
        guard let value else { throw .damaged("'\(name)' is missing") }
        return value
    }
}

/// Converts between inputs and lines; instants are relative to an epoch.
struct InputCoder {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init(epoch: ContinuousClock.Instant) {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // A date is a number of seconds, written so that the same bits are read again.
        encoder.dateEncodingStrategy = .deferredToDate
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let seconds = try container.decode(Double.self)
            guard seconds.magnitude <= InputBounds.maximumSeconds else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "a date out of all bounds")
            }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        if let key = CodingUserInfoKey.observationEpoch {
            encoder.userInfo[key] = epoch
            decoder.userInfo[key] = epoch
        }
    }

    /// Returns the JSON text of an input, without the line end.
    func line(
        _ record: InputRecord,
        sequence: UInt64?,
        published: ObservedTime? = nil
    ) throws(LineFault) -> [UInt8] {
        do {
            return Array(try encoder.encode(InputLine(record, sequence: sequence, published: published)))
        } catch {
            throw .damaged(Self.text(of: error))
        }
    }

    /// Returns the line of an input, and the input; `nil` for the marker of a truncated recording.
    func record(line: some Collection<UInt8>) throws(LineFault) -> (line: InputLine, input: InputRecord)? {
        try InputBounds.checkStrings(of: line)
        let decoded: InputLine
        do {
            decoded = try decoder.decode(InputLine.self, from: Data(line))
        } catch {
            throw .damaged(Self.text(of: error))
        }
        return try decoded.record().map { (decoded, $0) }
    }

    /// Returns the description of an error and its position in the line, without any of the line's own text.
    private static func text(of error: any Error) -> String {
        func path(_ context: [any CodingKey]) -> String {
            let path = context.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return path.isEmpty ? "the line" : "'\(path.drop { $0 == "." })'"
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "\(path(context.codingPath + [key])) is missing"
        case DecodingError.typeMismatch(_, let context): return "\(path(context.codingPath)) is of another type"
        case DecodingError.valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
        // Foundation does not report the position of a number that does not fit, nor that it is a number.
        case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
            return "not a JSON object, or a number in it is out of range"
        case DecodingError.dataCorrupted(let context):
            return "\(path(context.codingPath)) is not a possible value"
        case EncodingError.invalidValue(_, let context):
            return "\(path(context.codingPath)) cannot be written down"
        default: return "cannot be understood"
        }
    }
}

/// The maximum values in an input, which rule out arithmetic overflow.
///
/// Far beyond anything that an agent records; a recording is untrusted.
enum InputBounds {
    /// The maximum duration, and the maximum distance of a date from the year 2001: more than 10,000 years.
    static let maximumSeconds: Double = 400_000_000_000
    /// The maximum time of a wait or an operation: 100 years.
    static let longestDuration: Duration = .seconds(100 * 366 * 86_400)
    /// The maximum number of checks, percents or days.
    static let maximumCount = 1_000_000
    /// The maximum size of a string of ASCII, in bytes of the line: the longest are URLs.
    static let longestString = 16 << 10
    /// The maximum size of any other string, in bytes of the line: twice that of the longest text that a sample has.
    static let longestText = 1 << 10
    /// The maximum size of a member's name, in bytes of the line.
    static let longestName = 64

    /// Checks the length of all names and strings of a JSON text before it is decoded.
    ///
    /// Names become keys of dictionaries, and so do some strings, for which Swift sorts runs of combining marks by
    /// insertion: the time grows with the square of the length.
    static func checkStrings(of line: some Collection<UInt8>) throws(LineFault) {
        var length: Int?
        var lastLength = 0
        var isEscaped = false
        var isASCII = true
        for byte in line {
            guard let count = length else {
                if byte == UInt8(ascii: "\"") { (length, isASCII) = (0, true) }
                guard byte != UInt8(ascii: ":") || lastLength <= longestName else {
                    throw .damaged("a name is longer than \(longestName) bytes")
                }
                continue
            }
            isASCII = isASCII && byte < 0x80 && !(isEscaped && byte == UInt8(ascii: "u"))
            guard count <= (isASCII ? longestString : longestText) else {
                throw .damaged("a string is longer than \(isASCII ? longestString >> 10 : longestText >> 10) KiB")
            }
            let isEnd = byte == UInt8(ascii: "\"") && !isEscaped
            if isEnd { lastLength = count }
            length = isEnd ? nil : count + 1
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
    }

    static func check(_ duration: Duration, _ name: String) throws(LineFault) {
        guard duration <= longestDuration, duration >= .zero - longestDuration else {
            throw .damaged("'\(name)' is longer than a hundred years")
        }
    }

    static func check(_ count: Int, from least: Int, _ name: String) throws(LineFault) {
        guard (least...maximumCount).contains(count) else { throw .damaged("'\(name)' is out of bounds") }
    }
}

extension ProbeSample {
    fileprivate func checkBounds() throws(LineFault) {
        try InputBounds.check(latency, "latency")
        if let addedLatency { try InputBounds.check(addedLatency, "addedLatency") }
        guard throughput.map({ $0.isFinite && $0 >= 0 }) ?? true else {
            throw .damaged("'throughput' is out of bounds")
        }
    }
}

extension MachineConfiguration {
    /// Returns the configuration rebuilt with the checks of its parts' initializers.
    func checked() throws(LineFault) -> MachineConfiguration {
        try InputBounds.check(settle.up, "settle.up")
        try InputBounds.check(settle.down, "settle.down")
        var checked = self
        checked.settle = SettlePolicy(up: settle.up, down: settle.down)
        for probe in probes { try probe.checkBounds() }
        if case .atLeast(let count) = quorum { try InputBounds.check(count, from: 0, "quorum") }
        return checked
    }
}

extension ProbeRule {
    fileprivate func checkBounds() throws(LineFault) {
        try InputBounds.check(fall, from: 1, "fall")
        try InputBounds.check(rise, from: 1, "rise")
        try InputBounds.check(lossWindow, from: 1, "lossWindow")
        for band in [latency, loss, transfer?.addedLatency] {
            guard let band else { continue }
            guard DeadBand(good: band.good, bad: band.bad) != nil else { throw .damaged("a dead band is none") }
        }
        if let band = transfer?.throughput, ThroughputBand(good: band.good, bad: band.bad) == nil {
            throw .damaged("a dead band is none")
        }
        for number in expiry.lifetimePercents + expiry.days { try InputBounds.check(number, from: 0, "expiry") }
        let ordered = ExpiryPolicy(lifetimePercents: expiry.lifetimePercents, days: expiry.days)
        guard ordered == expiry else { throw .damaged("'expiry' is not in order") }
    }
}
