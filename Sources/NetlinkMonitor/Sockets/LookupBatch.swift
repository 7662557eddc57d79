internal import CLibNL

/// The messages of several questions to the route lookup, built once and numbered anew each time.
struct LookupBatch {
    let questions: [LookupQuestion]
    /// How many messages each question has: one for the way out, and if wanted one for the table's entry.
    let messagesPerQuestion: Int
    /// The messages behind each other.
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

    /// Gives the messages the numbers from `first` on, in order.
    mutating func number(from first: UInt32) {
        guard let field = MemoryLayout<nlmsghdr>.offset(of: \nlmsghdr.nlmsg_seq) else { return }
        bytes.withUnsafeMutableBytes { buffer in
            for (index, start) in starts.enumerated() {
                buffer.storeBytes(of: first &+ UInt32(index), toByteOffset: start + field, as: UInt32.self)
            }
        }
    }
}
