/// The moments at which a connection without traffic needs a keep-alive.
///
/// libmosquitto counts only the time that the machine is awake, and the broker all of it: after a long suspend the
/// broker has closed the connection, and this end is not notified.
package struct MQTTKeepAlive: Sendable {
    /// A moment on both clocks.
    package struct Moment: Sendable {
        /// The continuous time, including suspends.
        package var passing: ContinuousClock.Instant
        /// The time during which the machine is awake.
        package var awake: SuspendingClock.Instant

        /// Creates a moment.
        package init(passing: ContinuousClock.Instant, awake: SuspendingClock.Instant) {
            self.passing = passing
            self.awake = awake
        }

        /// The current moment.
        package static var now: Moment { Moment(passing: .now, awake: .now) }
    }

    /// The maximum time without a packet from this client; zero for no limit.
    package var interval: Duration
    private var lastSent: Moment

    /// Creates the keep-alive of a connection over which something has just been sent.
    package init(interval: Duration, at now: Moment) {
        self.interval = interval
        lastSent = now
    }

    /// Records that something was sent.
    package mutating func noteSent(at now: Moment) { lastSent = now }

    /// Returns the moment at which a call of libmosquitto sends a keep-alive; `nil` for never.
    package func due(at now: Moment) -> ContinuousClock.Instant? {
        // It counts whole seconds: one second later, the keep-alive is certainly due.
        interval > .zero ? now.passing + (interval + .seconds(1) - lastSent.awake.duration(to: now.awake)) : nil
    }

    /// Returns the time without a packet if it is so long that the broker must have ended the connection; `nil` before.
    ///
    /// A broker waits for one and a half intervals (MQTT 5, section 3.1.2.10); the rest allows for the network delay.
    package func silence(at now: Moment) -> Duration? {
        let silence = lastSent.passing.duration(to: now.passing)
        return interval > .zero && silence > interval * 3 / 2 + .seconds(10) ? silence : nil
    }
}
