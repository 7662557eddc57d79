internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

/// A connection of a transfer: over HTTP/1.1 it carries one exchange at a time, over HTTP/2 several.
///
/// `@unchecked Sendable`: all methods run on the check's event loop, which alone accesses the state.
final class TransferConnection: @unchecked Sendable {
    /// The check, or the part of a transfer, that opened the connection and closes it.
    let owner: CheckRun
    let isHTTPTwo: Bool
    /// The number of running exchanges.
    private(set) var outstanding = 0

    private enum Handlers {
        case one(HTTPOneConnection?)
        case two(HTTPTwoConnection)
    }

    private let channel: any Channel
    private let limits: ProbeLimits
    private var handlers: Handlers
    private var streams: [ObjectIdentifier: any Channel] = [:]
    private var isKept = true

    /// - Parameter window: The number of unread bytes that an HTTP/2 server may send.
    init(_ channel: any Channel, applicationProtocol: String?, owner: CheckRun, window: Int) throws {
        (self.channel, self.owner) = (channel, owner)
        limits = owner.probe.limits
        isHTTPTwo = applicationProtocol == "h2"
        handlers =
            isHTTPTwo ? .two(try HTTPTwoConnection(on: channel, limits: limits, window: window)) : .one(nil)
    }

    /// `true` if another request can be sent now.
    var canSend: Bool { isUsable && outstanding < maximumOutstanding }

    /// `true` if another request can be sent, now or after the running ones.
    var isUsable: Bool { isKept && channel.isActive && !isEnding }

    private var isEnding: Bool { if case .two(let connection) = handlers { connection.isEnding } else { false } }

    /// The number of requests that the server answers at a time.
    private var maximumOutstanding: Int {
        if case .two(let connection) = handlers { connection.maximumStreams } else { 1 }
    }

    /// The kernel's counters; nil if the kernel does not count.
    var counters: TCPCounters? {
        (try? channel.pipeline.syncOperations.handler(type: ByteCounter.self))?.counters()
    }

    /// Limits what the server may send ahead of the reader, for a response with more than the wanted bytes.
    func admit(_ missing: Int, of wanted: Int) { TransferSocket.admit(missing, of: wanted, on: channel) }

    /// Starts or stops spacing the reads of a download.
    func paceReads(_ isPacing: Bool) {
        (try? channel.pipeline.syncOperations.handler(type: ReadPacer.self))?.isPacing = isPacing
    }

    /// Sends a request; `events.finished` is called once, unless the exchange is cancelled.
    @discardableResult
    func send(
        _ request: SerializedRequest,
        upload: UploadContent? = nil,
        sink: ((Int) -> Void)? = nil,
        events: HTTPExchange.Events
    ) -> HTTPExchange {
        var events = events
        let finished = events.finished
        events.finished = { [weak self] exchange, finding in
            self?.ended(exchange, finding)
            finished(exchange, finding)
        }
        let exchange = HTTPExchange(request: request, limits: limits, events: events)
        (exchange.upload, exchange.sink) = (upload, sink)
        outstanding += 1
        do {
            switch handlers {
            case .one(let connection?): connection.next(exchange)
            case .one(nil): handlers = .one(try HTTPOneConnection.begin(exchange, on: channel, isKept: true))
            case .two(let connection):
                connection.send(exchange).assumeIsolated().whenSuccess { [weak self] stream in
                    if exchange.isOver { return stream.close(promise: nil) }
                    self?.streams[ObjectIdentifier(exchange)] = stream
                }
            }
        } catch {
            exchange.fail(HTTPFailure.finding(error, in: exchange))
        }
        return exchange
    }

    /// Cancels an exchange: over HTTP/2 by RST_STREAM, over HTTP/1.1 by closing the connection.
    func cancel(_ exchange: HTTPExchange) {
        guard !exchange.isOver else { return }
        exchange.abandon()
        outstanding -= 1
        guard isHTTPTwo else { return close() }
        streams.removeValue(forKey: ObjectIdentifier(exchange))?.close(promise: nil)
    }

    /// Closes the connection, and drops its exchanges.
    func close() {
        guard isKept || channel.isActive else { return }
        isKept = false
        streams = [:]
        owner.releaseConnection()
    }

    private func ended(_ exchange: HTTPExchange, _ finding: Finding?) {
        outstanding -= 1
        streams[ObjectIdentifier(exchange)] = nil
        guard !isHTTPTwo else { return }
        let closes = exchange.response?.headers.contains { field in
            field.isNamed("connection")
                && field.value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
                    part.drop { $0 == 0x20 }.prefix { $0 != 0x20 }.map(\.lowercasedASCII).elementsEqual("close".utf8)
                }
        }
        if finding != nil || closes != false || exchange.response?.httpVersion != "1.1" { isKept = false }
    }
}
