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
