/// The moments at which a connection without traffic is to be shown alive.
///
/// libmosquitto counts the time that the machine is awake, and the broker all of it: after a long sleep the broker has
/// given the connection up, and nothing that this end hears says so.
package struct MQTTKeepAlive: Sendable {
    /// A moment, by both clocks.
    package struct Moment: Sendable {
        /// The time that passes, asleep or not.
        package var passing: ContinuousClock.Instant
        /// The time that passes while the machine is awake.
        package var awake: SuspendingClock.Instant

        /// A moment.
        package init(passing: ContinuousClock.Instant, awake: SuspendingClock.Instant) {
            self.passing = passing
            self.awake = awake
        }

        /// The present moment.
        package static var now: Moment { Moment(passing: .now, awake: .now) }
    }

    /// The longest time without a packet of ours; zero for none.
    package var interval: Duration
    private var lastSent: Moment

    /// A connection over which something was sent just now.
    package init(interval: Duration, at now: Moment) {
        self.interval = interval
        lastSent = now
    }

    /// Notes that something was sent.
    package mutating func noteSent(at now: Moment) { lastSent = now }

    /// The moment at which libmosquitto sends a keep-alive when it is asked; `nil` for never.
    package func due(at now: Moment) -> ContinuousClock.Instant? {
        // It counts whole seconds: one later it is due for certain.
        interval > .zero ? now.passing + (interval + .seconds(1) - lastSent.awake.duration(to: now.awake)) : nil
    }

    /// The time without a packet, when it is so long that the broker must have ended the connection; `nil` before.
    ///
    /// A broker waits for one and a half intervals (MQTT 5, section 3.1.2.10); the rest is for the way.
    package func silence(at now: Moment) -> Duration? {
        let silence = lastSent.passing.duration(to: now.passing)
        return interval > .zero && silence > interval * 3 / 2 + .seconds(10) ? silence : nil
    }
}
