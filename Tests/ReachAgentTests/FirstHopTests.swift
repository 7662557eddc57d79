import ArgumentParser
import Configuration
import ForeignText
import Foundation
import NetlinkMonitor
import Probes
import Reachability
import Testing

@testable import ReachAgent

@Suite struct FirstHopTests {
    private static let point = ProbePoint(
        probe: ProbeRule.firstHopName,
        vantage: Vantage(interface: "wlan0", families: .ipv4)
    )

    private static func settings(_ isWanted: Bool = true) throws -> Settings {
        var settings = Settings()
        settings.probes = [try ProbeDefinition.adHoc("https://host.test/", name: "web")]
        settings.checksFirstHops = isWanted
        return settings
    }

    @Test func `gateways are checked where the configuration says so, and there is another probe`() throws {
        func names(_ settings: Settings) -> [String] {
            ConnectivityPlan(settings).machineConfiguration.probes.map(\.name)
        }
        #expect(names(try Self.settings()) == ["web", "first-hop"])
        #expect(names(try Self.settings(false)) == ["web"])
        var settings = Settings()
        settings.checksFirstHops = true
        #expect(names(settings).isEmpty)
    }

    @Test func `an agent that checks no gateways names the setting`() throws {
        let settings = try Self.settings(false)
        #expect(
            AgentRequestHandler.unknownProbe(ForeignText("first-hop"), settings)
                == "this agent does not check gateways; set 'first_hop = true' in [connectivity]"
        )
        let mistyped = AgentRequestHandler.unknownProbe(ForeignText("firsthop"), settings)
        #expect(mistyped == "there is no probe 'firsthop'; there are web")
    }

    @Test(arguments: ["https://first-hop/", "icmp://first-hop", "tcp://agent:80", "https://default/"])
    func `a host with a reserved name can be a probe of the command line`(url: String) throws {
        let probes = try ConfigurationOptions.parse(["--probe", url]).definitions(besides: [])
        #expect(probes.map(\.name) == ["probe"])
        #expect(probes.map(\.probe.target.description) == [url])
    }

    @Test func `the check is an echo over the uplink to its gateway, another one where that changes`() throws {
        let plan = ConnectivityPlan(try Self.settings())
        func scheduled(_ gateway: String) throws -> ScheduledProbe {
            let address = try #require(IPAddress(gateway))
            return try #require(plan.schedule([Self.point], costs: [:], nextHops: [Self.point: address]).first)
        }
        let check = try scheduled("192.0.2.1")
        #expect(check.probe.target.description == "icmp://192.0.2.1")
        #expect(check.probe.interface == "wlan0")
        #expect(try scheduled("192.0.2.1").identity == check.identity)
        #expect(try scheduled("192.0.2.254").identity != check.identity)
    }

    @Test func `a next hop without an address is not checked`() throws {
        let other = ProbePoint(probe: "web", vantage: .default)
        let schedule = ConnectivityPlan(try Self.settings()).schedule([Self.point, other], costs: [:], nextHops: [:])
        #expect(schedule.map(\.point) == [other])
    }

    private static func report(_ verdict: CheckVerdict) -> CheckReport {
        CheckReport(target: "t", verdict: verdict, findings: [], hops: [], started: Date(), duration: .zero)
    }

    private static let reviews: [(FindingCode, NextHopState, CheckVerdict)] = [
        (.timeout, .reachable(confirmed: nil), .ok), (.timeout, .failed, .failed(.hostUnreachable, .echo)),
        (.timeout, .unclear, .unknown(.timeout, .echo)),
        (.hostUnreachable, .unclear, .failed(.hostUnreachable, .echo)),
        (.icmpNotPermitted, .reachable(confirmed: nil), .ok),
        (.icmpNotPermitted, .unclear, .unknown(.icmpNotPermitted, .echo)),
    ]

    @Test(arguments: 0..<6)
    func `a gateway that answers no echo is silent when its neighbour entry has failed too`(_ number: Int) {
        let (code, state, verdict) = Self.reviews[number]
        #expect(FirstHop.review(Self.report(.failed(code, .echo)), state).verdict == verdict)
    }

    @Test(arguments: [(-1, false), (0, true), (1, true), (nil, false)] as [(Int?, Bool)])
    func `in a silence a gateway is up only if it was confirmed since the beginning`(_ second: Int?, _ isUp: Bool) {
        let silence = ContinuousClock.now
        let state = NextHopState.reachable(confirmed: second.map { silence + .seconds($0) })
        let report = FirstHop.review(Self.report(.failed(.timeout, .echo)), state, doubted: silence)
        #expect(report.verdict == (isUp ? .ok : .unknown(.timeout, .echo)))
        #expect(FirstHop.review(Self.report(.failed(.timeout, .echo)), state).verdict == .ok)
    }

    @Test func `checks of the same uplink bring it along, at intervals`() {
        let other = ProbePoint(
            probe: ProbeRule.firstHopName,
            vantage: Vantage(interface: "wwan0", families: .ipv4)
        )
        var requested: [ProbePoint: ContinuousClock.Instant] = [:]
        let start = ContinuousClock.now
        func due(_ vantage: Vantage, _ verdict: CheckVerdict, at seconds: Int, probe: String = "web") -> [String] {
            let check = CompletedCheck(
                point: ProbePoint(probe: probe, vantage: vantage),
                report: Self.report(verdict),
                due: start,
                started: start
            )
            return FirstHop.due(
                [Self.point, other],
                with: check,
                costs: [other.vantage: LinkCost(intervalFactor: 10)],
                requested: &requested,
                at: start + .seconds(seconds)
            ).compactMap(\.vantage.interface)
        }
        let unreachable = CheckVerdict.failed(.hostUnreachable, .connect)
        #expect(due(Vantage(interface: "wlan0"), .ok, at: 0) == ["wlan0"])
        #expect(due(.default, .ok, at: 59) == ["wwan0"])
        #expect(due(.default, .ok, at: 60) == ["wlan0"])
        #expect(due(.default, .failed(.timeout, .connect), at: 69) == ["wwan0"])
        #expect(due(.default, .failed(.timeout, .connect), at: 70) == ["wlan0"])
        #expect(due(.default, .ok, at: 668) == ["wlan0"])
        #expect(due(.default, .ok, at: 669) == ["wwan0"])
        // wlan0 was checked at 668.
        #expect(due(Vantage(interface: "wlan0"), unreachable, at: 668).isEmpty)
        #expect(due(Vantage(interface: "wlan0"), unreachable, at: 669) == ["wlan0"])
        #expect(due(.default, .ok, at: 9000, probe: ProbeRule.firstHopName).isEmpty)
    }
}
