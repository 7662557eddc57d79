internal import NetlinkTestKit
internal import Synchronization
internal import Testing

@testable internal import NetlinkMonitor

/// A clock that stands still until the test moves it.
final class ManualClock: Sendable {
    private let instant = Mutex(ContinuousClock.now)

    var now: ObservedTime { ObservedTime(instant: instant.withLock { $0 }, microsecondsSince1970: 0) }

    func advance(by duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
}

/// A monitor's core on a kernel, a source and a clock that the test controls.
final class CoreHarness {
    let network = ScriptedNetwork()
    let queue = ScriptedQueue()
    let clock = ManualClock()
    private let recorder = Recorder()
    private(set) var core: MonitorCore<ScriptedKernel, ScriptedSource>

    private final class Recorder {
        var events: [NetworkEvent] = []
    }

    init(
        targets: [IPAddress] = [],
        internetAddresses: [IPAddress] = MonitorConfiguration.defaultInternetAddresses
    ) throws {
        network.links = [
            1: Link(index: 1, name: "lo", flags: [.up, .lowerUp, .loopback]),
            2: Link(index: 2, name: "eth0", flags: [.up, .lowerUp], operationalState: .up),
            3: Link(index: 3, name: "wwan0", flags: [.up, .lowerUp], driverKind: "wwan"),
        ]
        network.setDefault(2)
        core = MonitorCore(
            configuration: MonitorConfiguration(
                internetAddresses: internetAddresses,
                targets: targets,
                sysfsRoot: "/nonexistent"
            ),
            kernel: ScriptedKernel(network: network),
            source: ScriptedSource(queue: queue),
            clock: { [clock] in clock.now },
            report: { [recorder] in recorder.events.append($0) }
        )
    }

    func start() throws { try core.start() }

    /// One turn of the listener's loop.
    func turn() { core.takeTurn() }

    /// A change of the network, as the kernel makes it: first the tables, then the message.
    func setLink(_ index: UInt32, _ name: String, _ flags: LinkFlags, _ state: OperationalState = .up) {
        network.links[index] = Link(index: index, name: name, flags: flags, operationalState: state)
        queue.entries.append(.datagram(NetlinkDatagram([.link(index, name, flags, state)])))
    }

    var events: [NetworkEvent] { recorder.events }

    /// The events since the last call.
    func takeEvents() -> [NetworkEvent] {
        defer { recorder.events = [] }
        return recorder.events
    }

    var lastSnapshot: NetworkSnapshot? { core.snapshot }
}

extension NetworkEvent {
    /// The event in a word, with the code where it has one: what tests compare.
    var word: String {
        switch self {
        case .update: "update"
        case .overrun(let overrun): overrun.code.rawValue
        case .resynchronized(let done): "resynchronized after \(done.attempts)"
        case .resynchronizationFailed: "failed"
        }
    }

    var update: NetworkUpdate? {
        guard case .update(let update) = self else { return nil }
        return update
    }

    var resynchronization: Resynchronization? {
        guard case .resynchronized(let done) = self else { return nil }
        return done
    }
}
