import Brokers
import Testing

struct MQTTKeepAliveTests {
    private static let start = MQTTKeepAlive.Moment.now

    /// The moment after some time awake and some time asleep.
    private static func after(awake: Duration, asleep: Duration = .zero) -> MQTTKeepAlive.Moment {
        MQTTKeepAlive.Moment(passing: start.passing + awake + asleep, awake: start.awake + awake)
    }

    private let keepAlive = MQTTKeepAlive(interval: .seconds(120), at: start)

    @Test func `a keep-alive is due a second after the interval`() {
        #expect(keepAlive.due(at: Self.start) == Self.start.passing + .seconds(121))
        #expect(keepAlive.due(at: Self.after(awake: .seconds(100))) == Self.start.passing + .seconds(121))
    }

    @Test func `any packet that is sent postpones it`() {
        var keepAlive = keepAlive
        keepAlive.noteSent(at: Self.after(awake: .seconds(100)))
        #expect(keepAlive.due(at: Self.after(awake: .seconds(110))) == Self.start.passing + .seconds(221))
    }

    @Test func `a short sleep postpones it too, as the library does not count sleep`() {
        let now = Self.after(awake: .seconds(60), asleep: .seconds(70))
        #expect(keepAlive.due(at: now) == now.passing + .seconds(61))
        #expect(keepAlive.silence(at: now) == nil)
    }

    @Test(arguments: [(Duration.seconds(150), false), (.seconds(8 * 3600), true)])
    func `after a long sleep the connection is over`(asleep: Duration, isOver: Bool) {
        let silence = keepAlive.silence(at: Self.after(awake: .seconds(30), asleep: asleep))
        #expect(silence == (isOver ? asleep + .seconds(30) : nil))
    }

    @Test func `without an interval nothing is ever due`() {
        let keepAlive = MQTTKeepAlive(interval: .zero, at: Self.start)
        let now = Self.after(awake: .seconds(1), asleep: .seconds(86_400))
        #expect(keepAlive.due(at: now) == nil)
        #expect(keepAlive.silence(at: now) == nil)
    }
}
