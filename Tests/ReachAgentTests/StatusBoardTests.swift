import EventEnvelope
import EventSchema
import NetlinkMonitor
import Reachability
import StateClient
import Testing

@testable import ReachAgent

/// What was published, as `status` tells it and as a client reads it.
@Suite struct StatusBoardTests {
    private static let start = ContinuousClock.now
    private static let office = Target(name: "office", address: IPAddress("203.0.113.7") ?? .unspecified(.ipv4))
    private static let wifi = ReachabilityState(
        ipv4: Path(via: .wifi, interface: PathInterface(index: 3, name: "wlan0", kind: .wifi)),
        ipv6: Path(via: .none, reason: .noRoute)
    )
    private static let lost = ReachabilityState(
        ipv4: Path(via: .none, reason: .linkDown),
        ipv6: Path(via: .none, reason: .noRoute)
    )

    private static func moment(_ seconds: Int) -> ObservedTime {
        ObservedTime(
            instant: start.advanced(by: .seconds(seconds)),
            microsecondsSince1970: 1_795_244_400_000_000 + Int64(seconds) * 1_000_000
        )
    }

    private static func board() -> StatusBoard {
        let origin = EventOrigin(streamID: "6f1c", host: "edge-7", bootID: "0e2a")
        let agent = AgentFacts(version: "0.1.0", processID: 812, started: moment(0), origin: origin)
        return StatusBoard(agent: agent, targets: [office], lastSequence: 0)
    }

    private static func reply(_ board: StatusBoard, at seconds: Int) throws -> StatusReply {
        try StatusReply(parameters: board.status(at: moment(seconds), journal: nil, sockets: nil).json)
    }

    private static func change(_ from: ReachabilityState, _ to: ReachabilityState, _ seconds: Int)
        -> Change<ReachabilityState>
    {
        Change(from: from, to: to, cause: ChangeCause(kind: .link, code: "link_down"), observed: moment(seconds))
    }

    @Test func `before anything was published, nothing is known`() throws {
        let reply = try Self.reply(Self.board(), at: 1)
        #expect(reply.reachability.state?.via == "unknown")
        #expect(reply.reachability.since == nil)
        #expect(reply.targets.map(\.name) == ["office"])
        #expect(reply.lastSequence == 0)
        #expect(reply.isSynchronized == false)
        #expect(reply.agent?.bootID == "0e2a")
        #expect(reply.agent?.uptime == .seconds(1))
    }

    @Test func `a raw change is pending until it is published as settled`() throws {
        let board = Self.board()
        let up = Self.change(.unknown, Self.wifi, 0)
        board.note(.path(up), sequence: 2, at: Self.moment(0))
        board.note(.reachability(up), sequence: 3, at: Self.moment(0))
        #expect(try Self.reply(board, at: 1).reachability.pending == nil)
        let down = Self.change(Self.wifi, Self.lost, 10)
        board.note(.path(down), sequence: 4, at: Self.moment(10))
        let waiting = try Self.reply(board, at: 11)
        #expect(waiting.reachability.state?.via == "wifi")
        #expect(waiting.reachability.pending?.state?.via == "none")
        #expect(waiting.reachability.pending?.age == .seconds(1))
        #expect(waiting.lastSequence == 4)
        board.note(.reachability(down), sequence: 5, at: Self.moment(12))
        let settled = try Self.reply(board, at: 72)
        #expect(settled.reachability.state?.isReachable == false)
        #expect(settled.reachability.pending == nil)
        #expect(settled.reachability.age == .seconds(60))
        #expect(settled.reachability.cause?.code == "link_down")
        #expect(settled.recent.map(\.sequence) == [3, 5])
        #expect(settled.recent.last?.from == "wifi wlan0 IPv4")
    }

    @Test func `each target has its own state, and strangers change none`() throws {
        let board = Self.board()
        let unknown = TargetState(address: Self.office.address, path: .unknown)
        let reached = TargetState(address: Self.office.address, path: Self.wifi.ipv4)
        let change = Change(from: unknown, to: reached, cause: .start, observed: Self.moment(0))
        board.note(.targetPath(Self.office, change), sequence: 4, at: Self.moment(0))
        #expect(try Self.reply(board, at: 1).targets.first?.standing.pending?.state?.via == "wifi")
        board.note(.target(Self.office, change), sequence: 5, at: Self.moment(0))
        board.note(.target(Target(name: "home", address: .unspecified(.ipv4)), change), sequence: 6, at: Self.moment(0))
        let reply = try Self.reply(board, at: 1)
        #expect(reply.targets.count == 1)
        #expect(reply.targets.first?.standing.state?.via == "wifi")
        #expect(reply.reachability.state?.via == "unknown")
        #expect(reply.lastSequence == 6)
    }

    @Test func `only the newest settled changes are kept`() throws {
        let board = Self.board()
        for number in 1...25 {
            let change =
                number % 2 == 0 ? Self.change(Self.wifi, Self.lost, number) : Self.change(Self.lost, Self.wifi, number)
            board.note(.reachability(change), sequence: UInt64(number), at: Self.moment(number))
        }
        #expect(try Self.reply(board, at: 30).recent.compactMap(\.sequence) == Array(16...25))
    }

    @Test func `losses are counted, and other events move the last number on`() throws {
        let board = Self.board()
        let loss = Overrun(code: .bufferFull, detail: "full", dropped: 7, observed: Self.moment(3))
        board.note(loss, sequence: 8)
        board.note(loss, sequence: 9)
        board.note(sequence: 12)
        board.note(sequence: 11)
        let reply = try Self.reply(board, at: 4)
        #expect(reply.overruns?.count == 2)
        #expect(reply.overruns?.dropped == 14)
        #expect(reply.overruns?.code == "netlink_overrun")
        #expect(reply.lastSequence == 12)
    }

    @Test func `the snapshot shows the settled state, and its number is the last one that was told`() {
        let board = Self.board()
        let network = NetworkSnapshot(links: [Link(index: 3, name: "wlan0")])
        board.note(NetworkUpdate(snapshot: network, changes: [], observed: Self.moment(0)))
        let up = Self.change(.unknown, Self.wifi, 0)
        board.note(.path(up), sequence: 2, at: Self.moment(0))
        #expect(board.snapshot().draft.event.contains(#""via":"unknown""#))
        board.note(.reachability(up), sequence: 3, at: Self.moment(0))
        let (draft, sequence) = board.snapshot()
        #expect(sequence == 3)
        #expect(draft.event.contains(#""state":{"via":"wifi""#))
        #expect(draft.event.contains(#""name":"wlan0""#))
    }
}

extension EventDraft {
    fileprivate var event: String {
        let event = Event(
            self,
            from: EventOrigin(streamID: "6f1c", host: "edge-7"),
            at: Timestamp(microsecondsSince1970: 0),
            number: 1
        )
        return String(decoding: event.line, as: UTF8.self)
    }
}
