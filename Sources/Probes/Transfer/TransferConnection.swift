internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

/// A connection of a transfer: over HTTP/1.1 it carries one exchange after another, over HTTP/2 also several at a time.
///
/// `@unchecked Sendable`: all methods run on the check's event loop, which alone accesses the state.
final class TransferConnection: @unchecked Sendable {
    /// The check, or part of one, that has opened the connection, and closes it.
    let owner: CheckRun
    let isHTTPTwo: Bool
    /// The exchanges under way.
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

    /// - Parameter window: The bytes that an HTTP/2 server may send ahead of what was read.
    init(_ channel: any Channel, applicationProtocol: String?, owner: CheckRun, window: Int) throws {
        (self.channel, self.owner) = (channel, owner)
        limits = owner.probe.limits
        isHTTPTwo = applicationProtocol == "h2"
        handlers =
            isHTTPTwo ? .two(try HTTPTwoConnection(on: channel, limits: limits, window: window)) : .one(nil)
    }

    /// `true` when another request can be sent now.
    var canSend: Bool { isUsable && (isHTTPTwo || outstanding == 0) }

    /// `true` when another request can be sent, now or after the one under way.
    var isUsable: Bool { isKept && channel.isActive }

    /// The kernel's counters; nil where it has none.
    var counters: TCPCounters? {
        (try? channel.pipeline.syncOperations.handler(type: ByteCounter.self))?.counters()
    }

    /// Lets the server send no more than so many payload bytes ahead of what was read.
    func admit(_ bytes: Int) { TransferSocket.admit(bytes, on: channel) }

    /// Bounds the receive buffer, for an answer that has more than so many bytes.
    func bound(_ bytes: Int) { TransferSocket.bound(bytes, on: channel) }

    /// Spaces the reads of a download.
    func paceReads(_ isPacing: Bool) {
        (try? channel.pipeline.syncOperations.handler(type: ReadPacer.self))?.isPacing = isPacing
    }

    /// Sends a request; `events.finished` is called once, unless it is cancelled.
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

    /// Ends an exchange without its result: over HTTP/2 by RST_STREAM, over HTTP/1.1 with the connection.
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
        if exchange.goAway != nil { isKept = false }
        guard !isHTTPTwo else { return }
        let closes = exchange.response?.headers.contains { field in
            field.isNamed("connection")
                && field.value.lowercased().split(separator: ",").contains { part in
                    part.drop { $0 == " " }.prefix { $0 != " " } == "close"
                }
        }
        if finding != nil || closes != false || exchange.response?.httpVersion != "1.1" { isKept = false }
    }
}
