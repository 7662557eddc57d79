internal import EventLoopExecutor
internal import HTTPSerialization
internal import NIOCore

/// Reads the body of one request piece by piece.
///
/// Files are read on other threads: a disk that hangs must not stop the event loop, which other checks share. Used only
/// on the event loop.
final class RequestBodyFeed {
    /// Runs a closure on a thread that may block.
    typealias Run = (_ body: @escaping @Sendable () -> Void) -> Void

    /// A piece, and the reader of the rest.
    private typealias Part = (bytes: [UInt8], reader: RequestBodyReader)

    /// The time that reading may take, a piece or all of them, on any disk.
    private static let patience = TimeAmount.milliseconds(100)

    /// `true` while a piece is being read.
    var isReading: Bool { readingSince != nil }
    /// `true` if a piece keeps the request waiting now.
    var isStuck: Bool { readingSince.map { now() - $0 > Self.patience } ?? false }
    /// `true` if the body has mostly waited for its file, and not for the connection.
    var isSlow: Bool {
        guard let begun else { return false }
        let now = now()
        let total = readingSince.map { readingTime + (now - $0) } ?? readingTime
        return total > max(Self.patience, .nanoseconds((now - begun).nanoseconds / 2))
    }
    /// `true` once all pieces are read.
    private(set) var isAtEnd = false

    private let body: RequestBody
    private let gate: LoopGate
    private let now: () -> NIODeadline
    private let run: Run
    /// Created with the first piece.
    private var reader: RequestBodyReader?
    private var rest: Int
    /// The start of the first piece that is read from files.
    private var begun: NIODeadline?
    private var readingSince: NIODeadline?
    /// The time for the pieces so far.
    private var readingTime = TimeAmount.zero

    init(
        _ body: RequestBody,
        on gate: LoopGate,
        now: @escaping () -> NIODeadline = { .now() },
        run: @escaping Run
    ) {
        self.body = body
        self.gate = gate
        self.now = now
        self.run = run
        rest = body.length
    }

    /// Reads the next bytes, at most `count`; `whenRead` is called at once if the body has no files.
    func read(upTo count: Int, _ whenRead: @escaping (Result<[UInt8], RequestError>) -> Void) {
        let (body, reader) = (body, reader)
        guard body.hasFiles else { return take(Self.part(of: body, reader, upTo: count), whenRead) }
        let start = now()
        begun = begun ?? start
        readingSince = start
        let done = NIOLoopBound((feed: self, whenRead: whenRead), eventLoop: gate.eventLoop)
        run { [gate] in
            let part = Self.part(of: body, reader, upTo: count)
            gate.execute {
                let (feed, whenRead) = done.value
                feed.readingSince = nil
                feed.readingTime = feed.readingTime + (feed.now() - start)
                feed.take(part, whenRead)
            }
        }
    }

    private static func part(
        of body: RequestBody,
        _ reader: RequestBodyReader?,
        upTo count: Int
    ) -> Result<Part, RequestError> {
        Result { () throws(RequestError) in
            var reader = if let reader { reader } else { try body.makeReader() }
            return (try reader.read(upTo: count), reader)
        }
    }

    private func take(
        _ part: Result<Part, RequestError>,
        _ whenRead: (Result<[UInt8], RequestError>) -> Void
    ) {
        if case .success(let part) = part {
            reader = part.reader
            rest -= part.bytes.count
            isAtEnd = rest == 0
        }
        whenRead(part.map(\.bytes))
    }
}
