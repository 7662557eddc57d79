internal import CLibNL
internal import Glibc

/// A netlink socket that sends requests and reads their answers: a single message, a dump, or those to a batch.
struct RequestSocket {
    /// The kernel answers in microseconds; a dump of a huge table under load takes seconds.
    private static let answerTimeoutMilliseconds: Int32 = 5000

    /// The decision about the rest of a dump.
    enum Verdict { case more, enough }

    /// The open socket; `nil` after an answer that was not read to its end, until the next request.
    private var socket: NetlinkSocket?
    private var sequence: UInt32 = 0

    init() throws(NetlinkError) { socket = try NetlinkSocket() }

    /// Sends a request with a single answer.
    mutating func ask<Header: BitwiseCopyable>(
        _ operation: String,
        _ type: Int,
        _ header: Header,
        _ attributes: [(Int, [UInt8])]
    ) throws(NetlinkError) -> NetlinkMessage {
        let socket = try openSocket()
        let number = nextSequence()
        try Request(operation, type, NLM_F_REQUEST, number, header, attributes).send(on: socket)
        var answer: NetlinkMessage?
        do throws(NetlinkError) {
            while true {
                try Self.readDatagram(from: socket, operation) { parsed in
                    guard parsed.header.sequence == number, answer == nil else { return }
                    answer = (try? parsed.content.get()) ?? .reply(errno: EPROTO, text: nil)
                }
                if let answer { return answer }
            }
        } catch {
            self.socket = nil
            throw error
        }
    }

    /// Sends a dump request and passes every message of the answer to `body`, until it needs no more.
    ///
    /// An abandoned dump cannot be cancelled, and the kernel rejects the next one on its socket (EBUSY): the socket is
    /// closed, and a new one opened for the next request.
    mutating func dump<Header: BitwiseCopyable>(
        _ operation: String,
        _ type: Int,
        _ header: Header,
        _ attributes: [(Int, [UInt8])] = [],
        _ body: (NetlinkMessage) -> Verdict
    ) throws(NetlinkError) {
        let socket = try openSocket()
        let number = nextSequence()
        let request = try Request(operation, type, NLM_F_REQUEST | NLM_F_DUMP, number, header, attributes)
        try request.send(on: socket)
        var progress = Progress(sequence: number)
        defer { if !progress.isAnswered { self.socket = nil } }
        while !progress.isFinished {
            try Self.readDatagram(from: socket, operation) { parsed in progress.take(parsed, body) }
            if let error = progress.failure { throw error.naming(operation) }
        }
        if progress.wasInterrupted, !progress.hasEnough {
            throw NetlinkError(operation: operation, cause: .dumpInterrupted)
        }
    }

    /// Sends a batch of lookups with one system call.
    mutating func ask(_ batch: inout LookupBatch) throws(NetlinkError) -> LookupAnswers {
        let operation = "look up a route"
        let socket = try openSocket()
        let first = sequence &+ 1
        batch.number(from: first)
        var answers = LookupAnswers(
            questions: batch.questions.count,
            messagesPerQuestion: batch.messagesPerQuestion,
            firstSequence: first
        )
        sequence &+= UInt32(answers.messageCount)
        let sent = batch.bytes.withUnsafeBytes { send(socket.descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == batch.bytes.count else { throw NetlinkError(operation: operation, cause: .errno(errno)) }
        do throws(NetlinkError) {
            while !answers.isComplete { try Self.readDatagram(from: socket, operation) { answers.take($0) } }
        } catch {
            // Outstanding answers must not be mistaken for those of the next questions.
            self.socket = nil
            throw error
        }
        return answers
    }

    private mutating func nextSequence() -> UInt32 {
        sequence &+= 1
        return sequence
    }

    private mutating func openSocket() throws(NetlinkError) -> NetlinkSocket {
        if let socket { return socket }
        let fresh = try NetlinkSocket()
        socket = fresh
        return fresh
    }

    /// Waits for one datagram from the kernel and passes on its messages.
    private static func readDatagram(
        from socket: NetlinkSocket,
        _ operation: String,
        _ body: (MessageParser.Parsed) -> Void
    ) throws(NetlinkError) {
        while true {
            switch try socket.receive() {
            case .datagram(let bytes):
                do throws(MessageError) {
                    return try MessageParser.forEachMessage(in: bytes, body)
                } catch {
                    throw NetlinkError(operation: operation, cause: .malformed(error))
                }
            case .drained: try socket.waitUntilReadable(milliseconds: answerTimeoutMilliseconds)
            case .overrun: throw NetlinkError(operation: operation, cause: .errno(ENOBUFS))
            case .truncated: throw NetlinkError(operation: operation, cause: .truncated)
            case .foreign: continue
            }
        }
    }
}
