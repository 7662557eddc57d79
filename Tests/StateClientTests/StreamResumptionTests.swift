import AgentEvents
import AgentTestKit
import Glibc
import Testing

@testable import StateClient

/// The request on each connection, and the handling of the answers, without a socket.
@Suite struct StreamResumptionTests {
    private typealias End = StreamResumption.End

    private func line(_ text: String) throws -> StreamLine { try #require(StreamLine(Array(text.utf8))) }

    private func parameters(_ resumption: StreamResumption) -> String {
        String(decoding: resumption.parameters, as: UTF8.self)
    }

    /// A stream that follows after event 41.
    private func opened(_ subscription: StateSubscription = StateSubscription()) throws -> StreamResumption {
        var resumption = StreamResumption(subscription)
        _ = try resumption.receive(line(AgentLines.hello(41)))
        _ = try resumption.receive(line(AgentLines.snapshot()))
        return resumption
    }

    /// The same stream after its connection was lost: the agent rejects a position before its hello.
    private func interrupted(_ subscription: StateSubscription = StateSubscription()) throws -> StreamResumption {
        var resumption = try opened(subscription)
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        return resumption
    }

    private func refusal(_ code: String, stream: String? = nil, oldest: UInt64? = nil) -> End {
        .refused(ErrorReply(error: code, parameters: .init(stream: stream, oldestSequence: oldest)))
    }

    @Test func `without a number it begins with the snapshot`() throws {
        var resumption = StreamResumption(StateSubscription(types: ["path.*"], subjects: ["default"]))
        #expect(parameters(resumption) == #"{"types":["path.*"],"subjects":["default"]}"#)
        let hello = try StreamHello(line(AgentLines.hello(41)))
        #expect(try resumption.receive(hello.line) == [.connected(hello)])
        let snapshot = try line(AgentLines.snapshot())
        #expect(try resumption.receive(snapshot) == [.snapshot(snapshot)])
        let event = try line(AgentLines.path(42))
        #expect(try resumption.receive(event) == [.event(event)])
    }

    @Test func `with a number it requests the events after it`() {
        #expect(parameters(StreamResumption(StateSubscription(since: 7))) == #"{"since_seq":7}"#)
        let named = StreamResumption(StateSubscription(since: 0, stream: "abc"))
        #expect(parameters(named) == #"{"since_seq":0,"stream":"abc"}"#)
    }

    @Test func `with a time it requests that time until an event gives it a number`() throws {
        let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)
        var resumption = StreamResumption(StateSubscription(sinceTime: time))
        let asked = #"{"since_time":"2026-11-21T07:00:00.000000Z"}"#
        #expect(parameters(resumption) == asked)
        #expect(try resumption.receive(line(AgentLines.hello(42))).count == 1)
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        #expect(parameters(resumption) == asked)
        #expect(try resumption.receive(line(AgentLines.hello(42))).count == 1)
        // Events of the past have lower numbers than the hello.
        for number in [7, 8] as [UInt64] { #expect(try resumption.receive(line(AgentLines.path(number))).count == 1) }
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        #expect(parameters(resumption) == #"{"since_seq":8,"stream":"\#(AgentLines.stream)"}"#)
    }

    @Test(
        "after a lost connection the stream resumes after the last event",
        arguments: [
            End.failed(.disconnected(socket: "s")), .failed(.noAgent(socket: "s", errno: 2)),
            .failed(.malformed("x")), .failed(.notPermitted(socket: "s", errno: 13)),
            .refused(ErrorReply(error: "subscriber_lagged")), .refused(ErrorReply(error: "agent_stopping")),
            .refused(ErrorReply(error: "too_many_connections")), .refused(ErrorReply(error: "journal_unreadable")),
        ]
    )
    private func resumes(_ end: End) throws {
        var resumption = try opened()
        _ = try resumption.receive(line(AgentLines.path(42)))
        guard case .retry(let items, let time) = resumption.connectionEnded(end, fraction: 1) else {
            Issue.record("\(end) ended the stream")
            return
        }
        #expect(time == .milliseconds(50))
        guard case .interrupted(_, retryIn: time)? = items.first, items.count == 1 else {
            Issue.record("\(items)")
            return
        }
        #expect(parameters(resumption) == #"{"since_seq":42,"stream":"\#(AgentLines.stream)"}"#)
        #expect(try resumption.receive(line(AgentLines.hello(42))).count == 1)
        #expect(try resumption.receive(line(AgentLines.path(42))).isEmpty, "a number came twice")
        #expect(try resumption.receive(line(AgentLines.path(43))).count == 1)
    }

    @Test(
        "a permanent error ends the stream",
        arguments: [
            End.failed(.notPermitted(socket: "s", errno: 13)), .failed(.cancelled),
            .failed(.system(operation: "x", errno: EAFNOSUPPORT)),
            .refused(ErrorReply(error: "invalid_parameters")), .refused(ErrorReply(error: "unknown_method")),
        ]
    )
    private func fails(_ end: End) {
        var resumption = StreamResumption(StateSubscription())
        guard case .fail = resumption.connectionEnded(end, fraction: 0) else {
            Issue.record("\(end) is tried again")
            return
        }
    }

    @Test("a shortage of descriptors or memory is retried with backoff", arguments: [EMFILE, ENFILE, ENOMEM, ENOBUFS])
    func shortage(_ number: Int32) throws {
        var resumption = try opened()
        let error = StateClientError.system(operation: "make a socket", errno: number)
        for time in [50, 100, 200].map({ Duration.milliseconds($0) }) {
            let answer = resumption.connectionEnded(.failed(error), fraction: 1)
            #expect(answer == .retry([.interrupted(error, retryIn: time)], after: time))
        }
        #expect(parameters(resumption) == #"{"since_seq":41,"stream":"\#(AgentLines.stream)"}"#)
    }

    @Test func `a journal that cannot be read is retried with backoff, from the same number`() throws {
        var resumption = StreamResumption(StateSubscription(since: 5, stream: AgentLines.stream))
        let end = End.refused(ErrorReply(error: "journal_unreadable"))
        let error = StateClientError.refused(code: "journal_unreadable", message: "")
        for time in [50, 100, 200, 400, 800, 1600, 2000, 2000].map({ Duration.milliseconds($0) }) {
            let answer = resumption.connectionEnded(end, fraction: 1)
            #expect(answer == .retry([.interrupted(error, retryIn: time)], after: time))
            #expect(parameters(resumption) == #"{"since_seq":5,"stream":"\#(AgentLines.stream)"}"#)
        }
    }

    @Test func `without reconnecting every end is the end`() throws {
        var resumption = try opened(StateSubscription(reconnects: false))
        let error = StateClientError.disconnected(socket: "s")
        #expect(resumption.connectionEnded(.failed(error), fraction: 0) == .fail(error))
    }

    @Test(
        "numbering that restarts is reported, and the snapshot is requested",
        arguments: ["stream_changed", "sequence_unknown"]
    )
    func restarted(_ code: String) throws {
        var resumption = try interrupted()
        #expect(resumption.connectionEnded(refusal(code, stream: "new"), fraction: 1) == .retry([], after: .zero))
        #expect(parameters(resumption) == "{}")
        let items = try resumption.receive(line(AgentLines.hello(3, stream: "new")))
        #expect(items.last == .restarted(from: AgentLines.stream, to: "new"))
        // The numbers are smaller than those of the old stream, and new all the same.
        #expect(try resumption.receive(line(AgentLines.path(4))).count == 1)
    }

    @Test func `for the state alone, expired events are reported, and the snapshot is requested`() throws {
        var subscription = StateSubscription()
        subscription.resumesWithOldest = false
        var resumption = try interrupted(subscription)
        let end = refusal("events_expired", oldest: 90)
        #expect(resumption.connectionEnded(end, fraction: 1) == .retry([], after: .zero))
        #expect(parameters(resumption) == "{}")
        // The connection breaks once more before the loss is reported.
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        let items = try resumption.receive(line(AgentLines.hello(100)))
        #expect(items.last == .missed(42...100))
        #expect(try resumption.receive(line(AgentLines.path(101))).count == 1)
    }

    @Test("only expired events are missed: the state and the remaining ones follow", arguments: [[], ["path.changed"]])
    func expired(types: [String]) throws {
        var resumption = try interrupted(StateSubscription(types: types))
        let end = refusal("events_expired", oldest: 90)
        #expect(resumption.connectionEnded(end, fraction: 1) == .retry([.missed(42...89)], after: .zero))
        let filter = types.isEmpty ? "" : #""types":["path.changed"],"#
        let request = #"{\#(filter)"since_seq":89,"stream":"\#(AgentLines.stream)""#
        #expect(parameters(resumption) == request + #","snapshot":true}"#)
        // The connection breaks before the state has arrived, and more events expire.
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        #expect(parameters(resumption) == request + #","snapshot":true}"#)
        let more = refusal("events_expired", oldest: 91)
        #expect(resumption.connectionEnded(more, fraction: 1) == .retry([.missed(90...90)], after: .zero))
        #expect(try resumption.receive(line(AgentLines.hello(100))).count == 1)
        #expect(try resumption.receive(line(AgentLines.snapshot())).count == 1)
        let event = try line(AgentLines.path(91))
        #expect(try resumption.receive(event) == [.event(event)])
        // The state is not requested again.
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        #expect(parameters(resumption) == #"{\#(filter)"since_seq":91,"stream":"\#(AgentLines.stream)"}"#)
    }

    private static func lagged(_ number: UInt64) -> String {
        let event = #"{"type":"reachagent.subscriber.lagged","data":{"last_seq":\#(number)}}"#
        return AgentLines.error("subscriber_lagged", event)
    }

    private static func stopping(_ number: UInt64) -> String {
        AgentLines.error("agent_stopping", #"{"last_seq":\#(number)}"#)
    }

    @Test(
        "a filtered stream that ends in order resumes after all that its filter has left out",
        arguments: [
            (stopping(70), 70), (lagged(70), 70), (stopping(41), 41), (stopping(7), 41),
            (AgentLines.error("agent_stopping"), 41),
        ] as [(String, UInt64)]
    )
    private func skipped(_ last: String, position: UInt64) throws {
        guard case .error(let reply) = try Reply(Array(last.utf8)[...]) else {
            Issue.record("not an error")
            return
        }
        var filtered = try opened(StateSubscription(subjects: ["default"]))
        _ = filtered.connectionEnded(.refused(reply), fraction: 1)
        let request = #""since_seq":\#(position),"stream":"\#(AgentLines.stream)"}"#
        #expect(parameters(filtered) == #"{"subjects":["default"],"# + request)
        // A connection that was refused has sent nothing.
        var closed = try opened(StateSubscription(subjects: ["default"]))
        _ = closed.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 1)
        _ = closed.connectionEnded(.refused(reply), fraction: 1)
        #expect(parameters(closed).contains(#""since_seq":41,"#))
        // Without a filter, numbers after the last event are missing.
        var unfiltered = try opened()
        _ = unfiltered.connectionEnded(.refused(reply), fraction: 1)
        #expect(parameters(unfiltered) == #"{"since_seq":41,"stream":"\#(AgentLines.stream)"}"#)
    }

    @Test func `a filtered stream from a time has a number once its connection ends in order`() throws {
        let time = Timestamp(microsecondsSince1970: 1_795_244_400_000_000)
        var resumption = StreamResumption(StateSubscription(types: ["path.changed"], sinceTime: time))
        _ = try resumption.receive(line(AgentLines.hello(42)))
        let reply = ErrorReply(error: "agent_stopping", parameters: .init(lastSequence: 50))
        _ = resumption.connectionEnded(.refused(reply), fraction: 1)
        let request = #"{"types":["path.changed"],"since_seq":50,"stream":"\#(AgentLines.stream)"}"#
        #expect(parameters(resumption) == request)
    }

    @Test(
        "an agent that rejects the position after each hello is retried with backoff",
        arguments: ["stream_changed", "sequence_unknown", "events_expired"]
    )
    func rejectedAfterHello(_ code: String) throws {
        var resumption = StreamResumption(StateSubscription())
        for (number, time) in [50, 100, 200, 400, 800, 1600, 2000, 2000].enumerated() {
            _ = try resumption.receive(line(AgentLines.hello(41)))
            let end = refusal(code, oldest: 1000 + UInt64(number))
            guard case .retry(_, let pause) = resumption.connectionEnded(end, fraction: 1),
                pause == .milliseconds(time)
            else {
                Issue.record("attempt \(number) does not wait for \(time) ms")
                return
            }
        }
    }

    @Test func `an agent that rejects one position after the other is retried with backoff`() {
        var resumption = StreamResumption(StateSubscription(since: 5))
        let times = (0..<4 as Range<UInt64>).map { number -> Duration? in
            let end = refusal("events_expired", oldest: 100 + number)
            guard case .retry(_, let time) = resumption.connectionEnded(end, fraction: 1) else { return nil }
            return time
        }
        #expect(times == [0, 50, 100, 200].map { .milliseconds($0) })
    }

    @Test("a request for past events gets the state and the remaining ones", arguments: [nil, AgentLines.stream])
    func pastEvents(stream: String?) throws {
        var resumption = StreamResumption(StateSubscription(since: 5, stream: stream))
        let answer = resumption.connectionEnded(refusal("events_expired", oldest: 90), fraction: 1)
        #expect(answer == .retry([.missed(6...89)], after: .zero))
        let name = stream.map { #","stream":"\#($0)""# } ?? ""
        #expect(parameters(resumption) == #"{"since_seq":89\#(name),"snapshot":true}"#)
        #expect(try resumption.receive(line(AgentLines.hello(90))).count == 1)
        let (snapshot, event) = (try line(AgentLines.snapshot()), try line(AgentLines.path(90)))
        #expect(try resumption.receive(snapshot) == [.snapshot(snapshot)])
        #expect(try resumption.receive(event) == [.event(event)])
    }

    @Test("an implausible expiry leads to the snapshot", arguments: [nil, 0, 1, 5, 6, UInt64.max] as [UInt64?])
    func oddExpiry(_ oldest: UInt64?) throws {
        var resumption = StreamResumption(StateSubscription(since: UInt64.max - 1))
        #expect(
            resumption.connectionEnded(refusal("events_expired", oldest: oldest), fraction: 1)
                == .retry([], after: .zero)
        )
        #expect(parameters(resumption) == "{}")
        #expect(try resumption.receive(line(AgentLines.hello(100))).count == 1)
    }

    @Test func `an agent that silently changes its numbering is not believed`() throws {
        var resumption = try opened()
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 0)
        #expect(throws: refusal("stream_changed", stream: "new")) {
            try resumption.receive(line(AgentLines.hello(41, stream: "new")))
        }
    }

    @Test func `an accepted number counts, whatever the hello says`() throws {
        var resumption = try opened()
        _ = resumption.connectionEnded(.failed(.disconnected(socket: "s")), fraction: 0)
        #expect(try resumption.receive(line(AgentLines.hello(0))).count == 1)
        #expect(try resumption.receive(line(AgentLines.path(41))).isEmpty)
        #expect(try resumption.receive(line(AgentLines.path(42))).count == 1)
    }

    @Test func `a gap in the numbers is reported where nothing is filtered`() throws {
        var resumption = try opened()
        let event = try line(AgentLines.path(45))
        #expect(try resumption.receive(event) == [.missed(42...44), .event(event)])
        var filtered = try opened(StateSubscription(types: ["path.changed"]))
        #expect(try filtered.receive(event) == [.event(event)])
    }

    @Test func `an event before the hello, and a second hello, are errors`() throws {
        var resumption = StreamResumption(StateSubscription())
        #expect(throws: End.failed(.malformed("an event arrived before the hello"))) {
            try resumption.receive(line(AgentLines.path(1)))
        }
        _ = try resumption.receive(line(AgentLines.hello(1)))
        #expect(throws: End.failed(.malformed("a second hello arrived"))) {
            try resumption.receive(line(AgentLines.hello(1)))
        }
        let flaw = "an event of type 'reachagent.agent.hello' has an unexpected form: data.version: missing"
        #expect(throws: End.failed(.malformed(flaw))) {
            var fresh = StreamResumption(StateSubscription())
            _ = try fresh.receive(line(#"{"type":"reachagent.agent.hello","data":{"seq":-1}}"#))
        }
    }

    @Test func `the patience with a silent agent doubles, and starts over with a hello`() throws {
        var resumption = StreamResumption(StateSubscription())
        let silence = End.failed(.timedOut(socket: "s"))
        let times = (0..<6).map { _ in
            defer { _ = resumption.connectionEnded(silence, fraction: 0) }
            return resumption.helloTimeout
        }
        #expect(times == [10, 20, 40, 80, 160, 160].map { .seconds($0) })
        _ = resumption.connectionEnded(.failed(.noAgent(socket: "s", errno: 2)), fraction: 0)
        #expect(resumption.helloTimeout == .seconds(160))
        _ = try resumption.receive(line(AgentLines.hello(1)))
        #expect(resumption.helloTimeout == .seconds(10))
    }

    @Test func `attempts back off, and start over with a connection and with a new socket`() throws {
        var resumption = StreamResumption(StateSubscription())
        func time(_ fraction: Double) -> Duration? {
            let end = End.failed(.noAgent(socket: "s", errno: 2))
            guard case .retry(_, let time) = resumption.connectionEnded(end, fraction: fraction) else { return nil }
            return time
        }
        let times = (0..<8).map { _ in time(1) }
        #expect(times == [50, 100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        #expect(time(0) == .milliseconds(1000), "chance decides over half of the time")
        resumption.socketAppeared()
        #expect(time(1) == .milliseconds(50))
        #expect(time(1) == .milliseconds(100))
        _ = try resumption.receive(line(AgentLines.hello(41)))
        #expect(time(1) == .milliseconds(50))
    }

    @Test("another socket ends the stream, unless an agent has answered there", arguments: [false, true])
    func otherSocket(hasBegun: Bool) throws {
        for error in [StateClientError.eventSocket, .httpSocket] {
            var resumption = hasBegun ? try opened() : StreamResumption(StateSubscription())
            let answer = resumption.connectionEnded(.failed(error), fraction: 1)
            let time = Duration.milliseconds(50)
            #expect(answer == (hasBegun ? .retry([.interrupted(error, retryIn: time)], after: time) : .fail(error)))
        }
    }

    @Test func `an agent that sends invalid data is retried with backoff`() throws {
        var resumption = StreamResumption(StateSubscription())
        for expected in [50, 100, 200] {
            _ = try resumption.receive(line(AgentLines.hello(41)))
            let answer = resumption.connectionEnded(.failed(.malformed("x")), fraction: 1)
            guard case .retry(_, let time) = answer else {
                Issue.record("\(answer)")
                return
            }
            #expect(time == .milliseconds(expected))
        }
    }
}
