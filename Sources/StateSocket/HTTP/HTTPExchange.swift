internal import AgentEvents
internal import NIOCore
internal import NIOHTTP1
internal import PortAccess

/// The requests of one connection over HTTP, and the responses in order.
///
/// One request is answered at a time, in the connection's turns; reading pauses meanwhile.
final class HTTPExchange {
    /// The maximum size of a request's head.
    static let maximumHeadBytes = 16 << 10
    /// The maximum number of header fields.
    static let maximumFields = 64
    /// The maximum number of pipelined requests in one read.
    static let maximumWaiting = 4
    /// The error for a larger head.
    static let tooLarge = HTTPRefusal(
        .requestHeaderFieldsTooLarge,
        "the head of a request has at most \(maximumHeadBytes) bytes and \(maximumFields) fields"
    )

    /// The client's right to use the server.
    enum Access {
        case granted
        /// A TCP connection of a user whose rights are checked for each request, because the user may lose them; `nil` if
        /// the kernel does not know the user.
        case user(UInt32?)
        /// A client on another host, for which each request needs a password.
        case password(PasswordFile)
    }

    private enum Item {
        case request(HTTPRequestHead)
        case refusal(HTTPRefusal, isHead: Bool)
    }

    private let hub: StreamHub
    private let connection: Connection
    private let access: Access
    private var waiting = CircularBuffer<Item>()
    private var head: HTTPRequestHead?
    private var isAnswering = false
    private var isInputClosed = false
    /// `true` once no more requests are accepted: the last one is being answered.
    private var isLast = false
    private var isHead = false
    private(set) var owesSince: NIODeadline? = .now()
    private(set) var heldBytes = 0
    private let unread: UnreadAnswerCounter

    init(for connection: Connection, access: Access, in hub: StreamHub) {
        self.connection = connection
        self.access = access
        self.hub = hub
        unread = UnreadAnswerCounter(for: connection, among: hub.connections)
    }

    // MARK: Input

    /// Counts input; returns `false` if it exceeds the head of a request, or is ignored.
    func accepts(_ bytes: ByteBuffer) -> Bool {
        guard !isLast, !connection.isEnding else {
            connection.discard(bytes)
            return false
        }
        hold(heldBytes + bytes.readableBytes)
        guard heldBytes > Self.maximumHeadBytes else { return true }
        receive(Self.tooLarge)
        return false
    }

    /// Handles a part of a request.
    func receive(_ part: HTTPServerRequestPart) {
        guard !isLast else { return }
        switch part {
        case .head(let head):
            self.head = head
            if HTTPRefusal.answersBeforeBody(of: head) { refuseBody() }
        case .body: refuseBody()
        case .end:
            guard let head else { return }
            self.head = nil
            hold(0)
            guard waiting.count < Self.maximumWaiting else {
                return receive(
                    HTTPRefusal(.tooManyRequests, "at most \(Self.maximumWaiting) requests may wait for their answers")
                )
            }
            wait(.request(head))
        }
    }

    /// Handles input that is not a valid request, after which no input is accepted.
    func receive(_ refusal: HTTPRefusal) { receive(refusal, isHead: false) }

    private func refuseBody() { receive(HTTPRefusal.body(of: head), isHead: head?.method == .HEAD) }

    private func receive(_ refusal: HTTPRefusal, isHead: Bool) {
        guard !isLast else { return }
        isLast = true
        wait(.refusal(refusal, isHead: isHead))
    }

    private func wait(_ item: Item) {
        waiting.append(item)
        owesSince = nil
        connection.setReading(false)
        hub.turns.add(connection)
    }

    func closeInput() {
        isInputClosed = true
        // A client that closes its side during an endless stream has disconnected: browsers never half-close a connection.
        // One that waits for an answer gets it: it may have nothing more to ask.
        if let stream = connection.stream, !stream.isHistory { return connection.close() }
        hub.turns.add(connection)
    }

    func resume() { hub.turns.add(connection) }

    private func hold(_ bytes: Int) {
        let difference = bytes - heldBytes
        heldBytes = bytes
        if difference != 0 { hub.connections.noteHeldBytes(difference, of: connection) }
    }

    func forget() {
        hold(0)
        waiting.removeAll()
    }

    // MARK: Turns

    func takeTurn() -> Bool {
        guard !connection.isEnding, !isAnswering, connection.isWritable, let item = waiting.popFirst() else {
            closeIfDone()
            return false
        }
        isAnswering = true
        switch item {
        case .request(let head):
            isHead = head.method == .HEAD
            admit(head)
        case .refusal(let refusal, let isOfHead):
            isHead = isOfHead
            refuse(refusal)
        }
        return !waiting.isEmpty
    }

    func closeIfDone() {
        guard !isAnswering, waiting.isEmpty, hub.intake.isFinished || isInputClosed else { return }
        connection.end(with: nil)
    }

    func refuse(_ failure: ControlFailure) {
        owesSince = nil
        let isIdle = heldBytes == 0 && !isAnswering
        forget()
        // An idle connection is closed without a message.
        guard !isIdle else { return connection.end(with: nil) }
        let document = AgentDocument.text(failure.message)
        connection.end(with: HTTPResponse.whole(.requestTimeout, document, isHead: false, keepsConnection: false))
    }

    // MARK: Answers

    private func admit(_ head: HTTPRequestHead) {
        switch access {
        case .granted: answer(head)
        case .user(let user):
            hub.members.decide(user, in: hub) { [self] refusal in
                guard let refusal else { return answer(head) }
                refuse(HTTPRefusal(.forbidden, refusal))
            }
        case .password(let file):
            hub.passwords.check(head.headers["authorization"], against: file, from: connection.origin, in: hub) {
                [self] outcome in
                switch outcome {
                case .accepted: answer(head)
                case .refused: refuse(HTTPRefusal(.unauthorized, "a user and a password are needed"))
                case .tooMany:
                    let text = "this host sent too many wrong passwords, or too many passwords wait for their check"
                    refuse(HTTPRefusal(.tooManyRequests, text))
                case .failed(let reason): refuse(HTTPRefusal(.serviceUnavailable, reason))
                }
            }
        }
    }

    private func refuse(_ refusal: HTTPRefusal) {
        takeNoMore()
        respond(refusal.status, .text(refusal.message))
    }

    /// Drops input after the request that is being answered.
    private func takeNoMore() {
        isLast = true
        waiting.removeAll()
    }

    private func answer(_ head: HTTPRequestHead) {
        // A client may disconnect while its password is checked: a stream begun then would have no end.
        guard !connection.isEnding else { return }
        let request: HTTPRequest
        do {
            request = try HTTPRequest(head, names: hub.configuration.http.names)
        } catch {
            return refuse(error)
        }
        if !request.keepsConnection { takeNoMore() }
        switch request.resource {
        case .page: render(.page)
        case .metrics(let isOpenMetrics): render(isOpenMetrics ? .openMetrics : .metrics)
        case .status:
            let status = hub.agent.status(connections: hub.connections.count)
            respond(.ok, AgentDocument(contentType: "application/json", body: status))
        case .health:
            hub.health.run(hub.agent.threads) { [self] silent in
                silent.isEmpty
                    ? respond(.ok, .text("ok"))
                    : respond(.serviceUnavailable, .text("no answer from \(silent.joined(separator: ", "))"))
            }
        case .report(let request): report(request)
        case .history(let parameters): stream(parameters, contentType: "application/x-ndjson")
        case .events(let parameters): stream(parameters, contentType: "text/event-stream")
        }
    }

    /// Renders a document on another thread, which it may block.
    private func render(_ kind: AgentDocument.Kind) {
        let (agent, connections) = (hub.agent, hub.connections.count)
        hub.work.run(for: connection.origin, unless: connection.cancellation) {
            agent.document(kind, connections: connections)
        } _: { [self] result in
            switch result {
            case .success(let document): respond(.ok, document)
            case .failure(let error): refuse(HTTPRefusal(.serviceUnavailable, "\(error)"))
            }
        }
    }

    /// Creates a report; the work is cancelled if the connection breaks.
    private func report(_ request: ReportRequest) {
        let (agent, cancellation) = (hub.agent, connection.cancellation)
        let isTaken = hub.reports.add(for: connection.origin, in: hub) { () throws -> AgentDocument in
            guard !cancellation.isCancelled else { throw ReportRefusal.failed("") }
            return try agent.report(request) { cancellation.isCancelled }
        } _: { [self] result in
            switch result {
            case .success(let document): respond(.ok, document)
            case .failure(ReportRefusal.invalid(let reason)): refuse(HTTPRefusal(.badRequest, reason))
            case .failure(ReportRefusal.absent(let reason)): refuse(HTTPRefusal(.notFound, reason))
            case .failure(ReportRefusal.failed(let reason)): refuse(HTTPRefusal(.serviceUnavailable, reason))
            case .failure(let error): refuse(HTTPRefusal(.serviceUnavailable, "\(error)"))
            }
        }
        if !isTaken {
            refuse(HTTPRefusal(.tooManyRequests, "a report for this user is being made; one at a time"))
        }
    }

    private func respond(_ status: HTTPResponseStatus, _ document: AgentDocument) {
        guard !connection.isEnding else { return }
        let keeps = !waiting.isEmpty || (!isLast && !isInputClosed && !hub.intake.isFinished)
        let response = HTTPResponse.whole(status, document, isHead: isHead, keepsConnection: keeps)
        isAnswering = false
        isHead = false
        guard keeps else {
            connection.end(with: response)
            return unread.add(response.storageCapacity)
        }
        connection.write(response, lines: 1)
        connection.flush()
        unread.add(response.storageCapacity)
        awaitReader()
        guard waiting.isEmpty else { return hub.turns.add(connection) }
        connection.setReading(true)
    }

    /// Expects the next request once the answers have been sent: its time is not the time for reading them.
    private func awaitReader() {
        guard connection.unsentBytes > 0 else { return expectRequest() }
        connection.limitReading()
        connection.whenSent { [self] in
            // A later answer may have been written meanwhile.
            guard !connection.isEnding, connection.unsentBytes == 0 else { return }
            connection.stopLimitingReading()
            expectRequest()
        }
    }

    private func expectRequest() {
        guard !isAnswering, waiting.isEmpty else { return }
        owesSince = .now()
        hub.connections.expectRequests()
    }

    // MARK: Streams

    private func stream(_ parameters: SubscriptionParameters, contentType: String) {
        takeNoMore()
        let head = HTTPResponse.head(.ok, contentType: contentType, length: nil, keepsConnection: false)
        // A client that has closed its side before has disconnected from an endless stream, and nothing else reports that.
        guard !isInputClosed || parameters.isHistory else { return connection.end(with: head) }
        connection.setReading(true)
        // An answer before it may still be unread: a reader that is too slow for a stream gets its last line.
        connection.stopLimitingReading()
        connection.subscribe(parameters) { [self] refusal in
            guard let refusal else {
                guard !isHead else {
                    connection.stream?.end()
                    return connection.end(with: head)
                }
                var start = head
                // By default, browsers wait for three seconds.
                if parameters.format == .serverSent { start.writeStaticString("retry: 1000\n\n") }
                return connection.write(start, lines: 0)
            }
            connection.unsubscribe()
            guard let since = parameters.since, !parameters.isHistory else {
                let isTemporary = refusal.code == .journalUnreadable
                return refuse(HTTPRefusal(isTemporary ? .serviceUnavailable : .gone, refusal.sentence))
            }
            // A browser never retries a rejected stream, so it gets the whole state, and the events that can be had.
            let oldest: UInt64? =
                switch refusal.parameter {
                case .oldest(let oldest): oldest
                // Those in memory need no journal.
                case .message: hub.intake.ring.first
                case .stream, .newest: nil
                }
            var anew = parameters
            if let oldest, oldest > 1, oldest - 1 > since {
                let gap = StreamGap(code: refusal.code, oldest: oldest)
                (anew.since, anew.wantsSnapshot, anew.gap) = (oldest - 1, true, gap)
            } else {
                (anew.since, anew.stream, anew.gap) = (nil, nil, nil)
            }
            stream(anew, contentType: contentType)
        }
    }
}
