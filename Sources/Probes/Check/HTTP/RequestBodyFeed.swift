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

    /// The time that a piece may take on a disk that is only slow.
    private static let patience = TimeAmount.milliseconds(100)

    /// `true` while a piece is being read.
    var isReading: Bool { readingSince != nil }
    /// `true` if the file keeps the body waiting, and not the connection.
    var isStuck: Bool { readingSince.map { .now() - $0 > Self.patience } ?? false }
    /// `true` once all pieces are read.
    private(set) var isAtEnd = false

    private let body: RequestBody
    private let gate: LoopGate
    private let run: Run
    /// Created with the first piece.
    private var reader: RequestBodyReader?
    private var rest: Int
    private var readingSince: NIODeadline?

    init(_ body: RequestBody, on gate: LoopGate, run: @escaping Run) {
        self.body = body
        self.gate = gate
        self.run = run
        rest = body.length
    }

    /// Reads the next bytes, at most `count`; `whenRead` is called at once if the body has no files.
    func read(upTo count: Int, _ whenRead: @escaping (Result<[UInt8], RequestError>) -> Void) {
        let (body, reader) = (body, reader)
        guard body.hasFiles else { return take(Self.part(of: body, reader, upTo: count), whenRead) }
        readingSince = .now()
        let done = NIOLoopBound((feed: self, whenRead: whenRead), eventLoop: gate.eventLoop)
        run { [gate] in
            let part = Self.part(of: body, reader, upTo: count)
            gate.execute {
                let (feed, whenRead) = done.value
                feed.readingSince = nil
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
