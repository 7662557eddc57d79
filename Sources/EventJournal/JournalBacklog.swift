/// The queue for a disk that cannot be written: bounded, in the order of the numbers.
struct JournalBacklog: Sendable {
    static let maximumRecords = 4096
    static let maximumBytes = 4 << 20

    private(set) var records: [JournalRecord] = []
    private var bytes = 0

    /// Appends records to the queue.
    ///
    /// - Returns: The numbers of the oldest records, which were dropped.
    mutating func append(_ added: some Sequence<JournalRecord>) -> ClosedRange<UInt64>? {
        for record in added {
            records.append(record)
            bytes += record.line.count + 1
        }
        var count = 0
        while records.count - count > Self.maximumRecords || bytes > Self.maximumBytes, count < records.count {
            bytes -= records[count].line.count + 1
            count += 1
        }
        guard count > 0 else { return nil }
        let dropped = records[0].sequence...records[count - 1].sequence
        records.removeFirst(count)
        return dropped
    }

    /// Takes all queued records.
    mutating func takeAll() -> [JournalRecord] {
        defer {
            records = []
            bytes = 0
        }
        return records
    }
}
