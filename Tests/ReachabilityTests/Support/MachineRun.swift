import CheckResults
import NetlinkMonitor

@testable import Reachability

/// A machine on its way through time.
struct MachineRun {
    var machine: ReachabilityMachine
    var network = ScriptedNetwork()
    var words: [String] = []
    /// The changes of the uplinks, apart from the rest.
    var uplinkWords: [String] = []
    var transitions: [Transition] = []

    init(_ configuration: MachineConfiguration) { machine = ReachabilityMachine(configuration) }

    init(_ rules: ProbeRule..., settle: SettlePolicy = .standard) {
        self.init(MachineConfiguration(settle: settle, probes: rules))
    }

    mutating func see(_ next: ScriptedNetwork, at milliseconds: Int, isFirst: Bool = false) {
        pass(to: milliseconds)
        note(machine.handle(next.update(at: milliseconds, since: isFirst ? nil : network)))
        network = next
    }

    @discardableResult
    mutating func check(_ letter: Character, _ point: String, at milliseconds: Int) -> Cadence? {
        pass(to: milliseconds)
        guard let point = machine.points.first(where: { "\($0)" == point }) else { return nil }
        let (transitions, cadence) = machine.handle(ScriptedCheck.sample(letter, at: milliseconds, point: point))
        note(transitions)
        return cadence
    }

    mutating func note(_ transitions: [Transition]) {
        self.transitions += transitions
        words += transitions.filter { !$0.isOfUplink }.map(Self.words)
        uplinkWords += transitions.filter(\.isOfUplink).map(Self.words)
    }

    /// Ticks at each deadline up to a moment.
    mutating func pass(to milliseconds: Int) {
        let end = ScriptedCheck.time(milliseconds).instant
        while let deadline = machine.deadline, deadline <= end { note(machine.tick(at: deadline)) }
    }

    mutating func takeWords() -> [String] {
        defer { words = [] }
        return words
    }

    static func words(_ transition: Transition) -> String {
        switch transition {
        case .path(let change): "path \(change.from.via)→\(change.to.via)"
        case .reachability(let change):
            "\(brief(change.from))→\(brief(change.to)) \(change.cause.kind) \(change.cause.code)"
        case .targetPath(let target, let change): "path \(target.name) \(change.from.via)→\(change.to.via)"
        case .target(let target, let change): "target \(target.name) \(change.from.via)→\(change.to.via)"
        case .uplink(let change): "\(brief(change.from))→\(brief(change.to)) \(change.cause.code)"
        case .probe(let point, let change): "\(point) \(change.from.verdict)→\(change.to.verdict)"
        case .certificate(let expiry): "certificate \(expiry.probe) \(expiry.threshold)"
        case .resumed(let suspended, _): "resumed after \(suspended)"
        }
    }

    private static func brief(_ uplink: Uplink) -> String {
        let reason = uplink.reason.map { " \($0.code)" } ?? ""
        return "\(uplink.interface.name)\(uplink.isUsed ? "*" : "")/\(uplink.connectivity)\(reason)"
    }

    private static func brief(_ state: ReachabilityState) -> String {
        "\(state.via)/\(state.connectivity)" + (state.isFlapping ? "!" : "")
            + (state.alternative.map { "|\($0.interface.name)" } ?? "")
    }
}

extension Transition {
    var isOfUplink: Bool { if case .uplink = self { true } else { false } }
}

extension MachineRun {
    /// A machine whose Wi-Fi is fully connected, one second after its start.
    static func connected(_ rules: ProbeRule..., point: String = "web@default/ipv4") -> MachineRun {
        var run = MachineRun(MachineConfiguration(probes: rules))
        run.see(ScriptedNetwork(), at: 0, isFirst: true)
        run.check("s", point, at: 100)
        run.pass(to: 1000)
        _ = run.takeWords()
        _ = run.machine.takeRechecks()
        return run
    }
}
