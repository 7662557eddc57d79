internal import CheckResults
internal import Testing

@testable internal import Reachability

/// The start of a verdict, in the snapshot and the status, beside the events about it.
struct VerdictStartTests {
    private static let point = "web@default/ipv4"
    private static let modem = ScriptedNetwork(wlan0: nil, wwan0: .init())

    /// A machine over Wi-Fi whose probe is up since 100 ms.
    private func connected() -> MachineRun { .connected(ProbeRule(name: "web"), point: Self.point) }

    private func since(_ run: MachineRun) -> Observed? { run.machine.publishedProbes.first?.since }

    @Test func `a verdict that a recheck over the new path confirms began when its event says`() {
        var run = connected()
        run.see(Self.modem, at: 2000)
        #expect(since(run) == ScriptedCheck.time(2000))
        run.check("s", Self.point, at: 2100)
        #expect(since(run) == ScriptedCheck.time(100))
        for step in 0..<3 { run.check("f", Self.point, at: 3000 + step) }
        #expect(since(run) == ScriptedCheck.time(3002))
        run.see(ScriptedNetwork(), at: 4000)
        for step in 0..<3 { run.check("g", Self.point, at: 4100 + step) }
        #expect(run.machine.probes.first?.state == ProbeState(.down, code: .httpStatus))
        #expect(since(run) == ScriptedCheck.time(3002))
    }

    @Test func `a verdict on a path that returns within the settle time began when its event says`() {
        var run = connected()
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        #expect(since(run) == ScriptedCheck.time(100))
        run.see(ScriptedNetwork(), at: 2300)
        run.check("s", Self.point, at: 2400)
        #expect(since(run) == ScriptedCheck.time(100))
    }

    @Test func `a verdict that a check by other rules confirms began when its event says`() {
        var run = connected()
        let configuration = MachineConfiguration(probes: [ProbeRule(name: "web", fall: 9)])
        run.note(run.machine.configure(configuration, observed: ScriptedCheck.time(2000)))
        run.check("s", Self.point, at: 2100)
        #expect(since(run) == ScriptedCheck.time(100))
    }

    @Test func `a verdict that ended with its path begins anew`() {
        var run = connected()
        run.see(ScriptedNetwork(wlan0: nil), at: 2000)
        run.pass(to: 5000)
        run.see(ScriptedNetwork(), at: 6000)
        #expect(since(run) == ScriptedCheck.time(2000))
        run.check("s", Self.point, at: 6100)
        #expect(since(run) == ScriptedCheck.time(6100))
    }

    @Test func `a verdict that nothing replaces over the new path ends with the check that says so`() {
        var run = connected()
        run.see(Self.modem, at: 2000)
        for step in 0..<3 { run.check("u", Self.point, at: 2100 + step) }
        #expect(run.machine.probes.first?.published == ProbeState(.unknown, code: .dnsTimeout))
        #expect(since(run) == ScriptedCheck.time(2102))
    }
}
