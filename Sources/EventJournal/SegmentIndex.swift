internal import EventEnvelope

/// Where the events of a segment stand.
struct SegmentIndex: Sendable, Hashable {
    static let blockBytes = 64 << 10

    var lastSequence: UInt64?
    var count = 0
    var newestTime: Timestamp?
    var oldestTime: Timestamp?

    init() {}

    mutating func add(sequence: UInt64, time: Timestamp, offset: UInt64, length: Int) {
        lastSequence = sequence
        count += 1
        oldestTime = [oldestTime ?? time, time].min { $0.microsecondsSince1970 < $1.microsecondsSince1970 }
        newestTime = [newestTime ?? time, time].max { $0.microsecondsSince1970 < $1.microsecondsSince1970 }
    }

    func encoded() -> [UInt8] {
        let times = [oldestTime, newestTime].map { String($0?.microsecondsSince1970 ?? 0) }
        return Array("\(lastSequence ?? 0) \(count) \(times[0]) \(times[1])\n".utf8)
    }

    init?(decoding bytes: [UInt8]) {
        let fields = String(decoding: bytes, as: UTF8.self).dropLast().split(separator: " ")
        guard fields.count == 4, let last = UInt64(fields[0]), let count = Int(fields[1]), let oldest = Int64(fields[2]),
            let newest = Int64(fields[3])
        else { return nil }
        lastSequence = count == 0 ? nil : last
        self.count = count
        oldestTime = count == 0 ? nil : Timestamp(microsecondsSince1970: oldest)
        newestTime = count == 0 ? nil : Timestamp(microsecondsSince1970: newest)
    }
}
