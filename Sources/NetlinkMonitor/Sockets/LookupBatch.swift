internal import CLibNL

/// The messages of a batch of lookups, built once and renumbered for each use.
struct LookupBatch {
    let questions: [LookupQuestion]
    /// The number of messages for each question: one for the outcome, and optionally one for the table entry.
    let messagesPerQuestion: Int
    /// The concatenated messages.
    private(set) var bytes: [UInt8] = []
    private var starts: [Int] = []

    init(_ questions: [LookupQuestion], withEntries: Bool) throws(NetlinkError) {
        self.questions = questions
        messagesPerQuestion = withEntries ? 2 : 1
        for question in questions {
            for matchesTable in withEntries ? [false, true] : [false] {
                starts.append(bytes.count)
                bytes += try Request.lookup(question, matchesTable: matchesTable, sequence: 0).bytes
            }
        }
    }

    /// Numbers the messages from `first`, in order.
    mutating func number(from first: UInt32) {
        guard let field = MemoryLayout<nlmsghdr>.offset(of: \nlmsghdr.nlmsg_seq) else { return }
        bytes.withUnsafeMutableBytes { buffer in
            for (index, start) in starts.enumerated() {
                buffer.storeBytes(of: first &+ UInt32(index), toByteOffset: start + field, as: UInt32.self)
            }
        }
    }
}

/// The last used batches: the same questions are repeated often, and only the numbers in their messages change.
struct LookupBatches {
    /// The maximum number that is kept: a default route that is repeatedly added and removed needs three.
    private static let maximum = 4

    /// The latest one at the end.
    private var batches: [LookupBatch] = []

    /// Returns the batch of these questions, which is not kept any more: with a second owner, numbering would copy the
    /// messages.
    mutating func take(_ questions: [LookupQuestion], withEntries: Bool) throws(NetlinkError) -> LookupBatch {
        let messagesPerQuestion = withEntries ? 2 : 1
        let known = batches.firstIndex { $0.messagesPerQuestion == messagesPerQuestion && $0.questions == questions }
        if let known { return batches.remove(at: known) }
        return try LookupBatch(questions, withEntries: withEntries)
    }

    mutating func keep(_ batch: LookupBatch) {
        if batches.count == Self.maximum { batches.removeFirst() }
        batches.append(batch)
    }
}
