import AgentEvents
import Sinks
import Testing

/// The decisions of the engine to connect, to wait, and to disconnect.
struct BrokerConnectionTests {
    // MARK: - Attempts

    @Test("a thousand devices that start together connect within two seconds, but not all at once")
    func spread() throws {
        let deadlines = try (0..<1000).map { seed in
            var driver = try EngineDriver(seed: UInt64(seed))
            driver.feed(.tick)
            let deadline = try #require(driver.engine.deadline)
            return deadline - driver.now.instant
        }
        #expect(deadlines.allSatisfy { $0 >= .zero && $0 <= .seconds(2) })
        #expect(deadlines.count { $0 < .milliseconds(200) } < 150)
    }

    @Test("attempts back off up to five minutes, and a success resets the delay")
    func backoff() throws {
        var driver = try EngineDriver()
        var waits: [Duration] = []
        for _ in 0..<200 {
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            let failed = driver.now.instant
            driver.feed(.transport(.disconnected(.unreachable)))
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            waits.append(driver.now.instant - failed)
        }
        #expect(waits[0] <= .seconds(1) && waits[1] <= .seconds(2) && waits[2] <= .seconds(4))
        #expect(waits.allSatisfy { $0 <= .seconds(300) })
        let late = waits.suffix(150)
        #expect(late.contains { $0 > .seconds(200) } && late.contains { $0 < .seconds(100) })
        driver.feed(.transport(.connected(newest: nil)))
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(driver.publish().published == [1])
        driver.feed(.transport(.acknowledged(1)))
        let before = driver.now.instant
        driver.feed(.transport(.disconnected(.unreachable)))
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(1))
    }

    @Test(
        "a connection that lasts resets the delay without an event; a shorter one or a conflict does not",
        arguments: [
            (Duration.seconds(300), TransportFailure.unreachable, true),
            (.seconds(299), .unreachable, false),
            (.seconds(300), TransportFailure(code: "broker_conflict", detail: "newer"), false),
        ]
    )
    func lasting(_ duration: Duration, _ end: TransportFailure, _ isSuccess: Bool) throws {
        var driver = try EngineDriver()
        var waits: [Duration] = []
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        for _ in 0..<60 {
            driver.feed(.transport(.connected(newest: nil)))
            driver.pass(duration)
            driver.feed(.transport(.disconnected(end)))
            let ended = driver.now.instant
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            waits.append(driver.now.instant - ended)
        }
        #expect(waits.allSatisfy { $0 <= .seconds(isSuccess ? 1 : 300) }, "\(waits)")
        #expect(waits.contains { $0 > .seconds(100) } != isSuccess, "\(waits)")
    }

    @Test("a connection made without a settled path is kept when its path settles")
    func pathSettled() throws {
        var driver = try EngineDriver()
        _ = driver.machine(.full, .wifi, "wlan0")
        driver.begin()
        driver.feed(.machine(MachineState(connectivity: .unknown, via: .none)))
        driver.feed(.transport(.disconnected(.unreachable)))
        _ = driver.connect()
        #expect(!driver.machine(.full, .wwan, "wwan0").contains(.disconnect))
        #expect(driver.machine(.full, .wifi, "wlan0").contains(.disconnect))
    }

    @Test("an idle connection has no deadline")
    func idle() throws {
        var driver = try EngineDriver()
        driver.begin()
        _ = driver.publish()
        driver.feed(.transport(.acknowledged(1)))
        for _ in 0..<3 { _ = driver.tickAtDeadline() }
        #expect(driver.engine.deadline == nil)
    }

    @Test(
        "a better path brings the next attempt forward",
        arguments: [(Connectivity.local, Via.wired, "eth1"), (.full, .wired, "eth0")]
    )
    func betterPath(_ connectivity: Connectivity, _ via: Via, _ interface: String) throws {
        var driver = try EngineDriver()
        _ = driver.machine(.local, .wired, "eth0")
        for _ in 0..<30 {
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            driver.feed(.transport(.disconnected(.unreachable)))
        }
        _ = driver.machine(connectivity, via, interface)
        let before = driver.now.instant
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(2))
    }

    @Test("a connection whose path is gone is reconnected")
    func pathChanged() throws {
        var driver = try EngineDriver()
        _ = driver.machine(.full, .wifi, "wlan0")
        driver.begin()
        #expect(driver.machine(.full, .wwan, "wwan0").contains(.disconnect))
        #expect(driver.engine.status.code == "path_changed")
        let before = driver.now.instant
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(2))
    }

    @Test(
        "a connection outlasts a time without a path only on the same interface",
        arguments: [(Via.wifi, "wlan0", false), (.wifi, "wlan1", true), (.wwan, "wwan0", true)]
    )
    func pathReturned(_ via: Via, _ interface: String, _ isReconnected: Bool) throws {
        var driver = try EngineDriver()
        _ = driver.machine(.full, .wifi, "wlan0")
        driver.begin()
        for missing in [Via.none, .unknown] {
            let state = MachineState(connectivity: .unknown, via: missing)
            #expect(!driver.feed(.machine(state)).contains(.disconnect))
        }
        #expect(driver.machine(.full, via, interface).contains(.disconnect) == isReconnected)
        #expect(driver.engine.status.code == (isReconnected ? "path_changed" : nil))
    }

    @Test("a connection without an answer times out")
    func silence() throws {
        var driver = try EngineDriver()
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        while driver.engine.status.state == .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.engine.status.code == "broker_timeout")
        driver.begin()
        _ = driver.publish()
        var effects: [ShippingEngine.Effect] = []
        while driver.engine.status.state == .connected { effects = driver.tickAtDeadline() }
        #expect(effects.contains(.disconnect))
    }

    // MARK: - Obstacles

    @Test("no password is sent to a captive portal")
    func portal() throws {
        var driver = try EngineDriver()
        _ = driver.machine(.portal, .wifi, "wlan0")
        driver.pass(.seconds(600))
        #expect(!driver.feed(.tick).contains(.connect))
        #expect(driver.engine.status.code == "captive_portal")
        _ = driver.machine(.full, .wifi, "wlan0")
        driver.pass(.seconds(2))
        #expect(driver.feed(.tick).contains(.connect))
    }

    @Test("an unlisted medium is used only for an event that has waited too long, and only until all is shipped")
    func media() throws {
        var driver = try EngineDriver {
            $0.media = ["wifi"]
            $0.maximumAge = 3600
        }
        driver.pass(.seconds(10))
        #expect(driver.machine(.full, .wwan, "wwan0").contains(.subscribe(stream: nil, after: 0)))
        #expect(driver.engine.status.code == "medium_excluded")
        driver.feed(.journal(.opened(stream: "s", newest: 0)))
        #expect(driver.publish().contains(.unsubscribe))
        let waiting = driver.now
        var effects = driver.tickAtDeadline()
        while !effects.contains(.connect) { effects = driver.tickAtDeadline() }
        let waited = driver.now.instant - waiting.instant
        #expect(waited >= .seconds(3599) && waited <= .seconds(3601))
        driver.feed(.transport(.connected(newest: nil)))
        driver.feed(.journal(.opened(stream: "s", newest: 1)))
        let event = try #require(driver.journal.events.first?.event)
        #expect(driver.feed(.journal(.event(event))).published == [1])
        #expect(driver.feed(.transport(.acknowledged(1))).contains(.disconnect))
        #expect(driver.engine.status.code == "medium_excluded")
    }

    @Test("a missing path, or one that is not known yet, is no medium that is not listed")
    func noPath() throws {
        var driver = try EngineDriver { $0.media = ["wifi"] }
        driver.pass(.seconds(10))
        driver.feed(.tick)
        for (state, code) in [
            (MachineState.unknown, nil), (MachineState(connectivity: .full, via: .wwan), "medium_excluded"),
            (MachineState(connectivity: .none, via: .none), nil),
        ] as [(MachineState, String?)] {
            driver.feed(.machine(state))
            #expect(driver.engine.status.state == .waiting && driver.engine.status.code == code)
            #expect(
                driver.engine.status.detail
                    == (code == nil ? nil : "the path leads over 'wwan', and 'when' does not list it")
            )
        }
        _ = driver.machine(.full, .wifi, "wlan0")
        _ = driver.connect()
        #expect(driver.machine(.none, .none, "").contains(.disconnect))
        #expect(driver.engine.status.state == .waiting && driver.engine.status.code == nil)
    }

    @Test("an unlisted medium without an age that permits it leaves no timer behind")
    func mediaForEver() throws {
        var driver = try EngineDriver { $0.media = ["wired"] }
        driver.pass(.seconds(10))
        _ = driver.machine(.full, .wwan, "wwan0")
        #expect(driver.engine.deadline == nil)
    }

    @Test("the answer to a report leaves no budget for what later reports have spent")
    func unansweredReports() throws {
        var driver = try EngineDriver()
        driver.begin()
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 1_000_000)))
        #expect(driver.publish().published == [1])
        _ = driver.engine.takeReport(bytes: 5000)
        #expect(driver.publish().published == [2])
        // Waits for the answer to the first one.
        let second = driver.engine.takeReport(bytes: 5700)
        #expect(second.bytes == 700)
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 700), unanswered: second.bytes))
        #expect(driver.publish().published == [])
        #expect(driver.engine.status.state == .connected)
        driver.feed(.transport(.acknowledged(1)))
        #expect(driver.feed(.transport(.acknowledged(2))).contains(.disconnect))
        #expect(driver.engine.status.code == "budget_exhausted")
    }

    @Test("an exhausted budget ends the connection once all is answered, and the next day's is requested")
    func budget() throws {
        var driver = try EngineDriver()
        driver.begin()
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 300)))
        #expect(driver.publish().published == [1])
        #expect(driver.publish().published == [2])
        #expect(driver.publish().published == [])
        #expect(driver.engine.status.state == .connected)
        #expect(!driver.feed(.transport(.acknowledged(1))).contains(.disconnect))
        #expect(driver.feed(.transport(.acknowledged(2))).contains(.disconnect))
        #expect(driver.engine.status.code == "budget_exhausted")
        while driver.engine.deadline.map({ $0 - driver.now.instant < .seconds(60) }) == true {
            _ = driver.tickAtDeadline()
        }
        #expect(driver.tickAtDeadline().contains(.report))
        // The run began at 22:13:20.
        let midnight = EngineDriver.start.microsecondsSince1970 + 6_400_000_000
        #expect((0...61_000_000).contains(driver.now.time.microsecondsSince1970 - midnight))
        driver.feed(.reported(SinkReportReply(isMetered: true, budget: 10_000)))
        #expect(driver.engine.status.state == .connecting)
    }

    // MARK: - Reloads

    @Test(
        "a reload requests the budget, and a larger one or none lets the sink connect within two seconds",
        arguments: [
            SinkReportReply(isMetered: true, budget: 10_000), SinkReportReply(isMetered: true),
            SinkReportReply(isMetered: false, budget: 0),
        ]
    )
    func reloadedBudget(_ reply: SinkReportReply) throws {
        var driver = try EngineDriver()
        driver.begin()
        let exhausted = ShippingEngine.Input.reported(SinkReportReply(isMetered: true, budget: 0))
        #expect(driver.feed(exhausted).contains(.disconnect))
        driver.pass(.seconds(60))
        #expect(!driver.feed(.tick).contains(.report))
        // One that changes nothing.
        #expect(driver.feed(.reloaded).contains(.report))
        driver.pass(.seconds(60))
        #expect(!driver.feed(exhausted).contains(.connect))
        #expect(driver.engine.status.code == "budget_exhausted")
        #expect(driver.feed(.reloaded).contains(.report))
        let before = driver.now.instant
        driver.feed(.reported(reply))
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(2))
    }

    @Test("a reload brings the next attempt forward, because a file with credentials may have been corrected")
    func reloadedCredentials() throws {
        var driver = try EngineDriver()
        for _ in 0..<30 {
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            driver.feed(.transport(.disconnected(.denied)))
        }
        driver.feed(.reloaded)
        let before = driver.now.instant
        while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
        #expect(driver.now.instant - before <= .seconds(2))
    }

    @Test("a thousand devices that are reloaded together connect within two seconds, but not all at once")
    func reloadedFleet() throws {
        let waits = try (0..<1000).map { seed in
            var driver = try EngineDriver(seed: UInt64(seed))
            driver.begin()
            driver.feed(.reported(SinkReportReply(isMetered: true, budget: 0)))
            driver.pass(.seconds(60))
            driver.feed(.reloaded)
            let before = driver.now.instant
            driver.feed(.reported(SinkReportReply(isMetered: false)))
            while driver.engine.status.state != .connecting { _ = driver.tickAtDeadline() }
            return driver.now.instant - before
        }
        #expect(waits.allSatisfy { $0 >= .zero && $0 <= .seconds(2) })
        #expect(waits.count { $0 < .milliseconds(200) } < 150)
    }

    @Test("a reload leaves a connection as it is")
    func reloadedConnection() throws {
        var driver = try EngineDriver()
        driver.begin()
        let effects = driver.feed(.reloaded)
        #expect(effects.contains(.report) && !effects.contains(.disconnect))
        #expect(driver.engine.status.state == .connected)
        #expect(driver.publish().published == [1])
    }
}
