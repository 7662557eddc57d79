import AgentEvents
import AgentTestKit
import Testing

@Suite struct RestartVPNExampleTests {
    private static let restart = "systemctl|try-restart|wg-quick@wg0.service"

    @Test(arguments: [
        ("wifi wlan0 full", "wwan wwan0 full"),
        ("wifi wlan0 full", "wifi wlan1 full"),
        ("none", "wifi wlan0 full"),
        ("none wlan0 none", "wifi wlan0 full"),
        // All goes through the VPN, and the uplink below it has changed.
        ("wifi wg0 full", "wwan wg0 local"),
        // The VPN has fallen away together with its uplink.
        ("wifi wg0 full", "wwan wwan0 full"),
    ])
    func `another uplink restarts it`(_ from: String, _ to: String) async throws {
        let hook = try ExampleHook("50-restart-vpn", standIns: ["systemctl"])
        #expect(try await hook.run(transition(from, to)).done == [Self.restart])
    }

    @Test(arguments: [
        // The agent's start, and its very first state.
        ("unknown", "wifi wlan0 full"),
        // Nothing to build it over.
        ("wifi wlan0 full", "none - none"),
        ("wifi wlan0 full", "none wlan0 none"),
        ("wifi wlan0 full", "none wwan0 none"),
        ("wifi wlan0 full", "unknown"),
        // The same uplink.
        ("wifi wlan0 full", "wifi wlan0 portal"),
        // It is the VPN itself that comes and goes, also when it is restarted.
        ("wifi wlan0 full", "wifi wg0 full"),
        ("wifi wg0 full", "wifi wlan0 full"),
        ("none", "wifi wg0 full"),
        ("none wg0 none", "wifi wg0 full"),
        ("wifi wg0 full", "wifi wg0 portal"),
    ])
    func `anything else does not`(_ from: String, _ to: String) async throws {
        let hook = try ExampleHook("50-restart-vpn", standIns: ["systemctl"])
        #expect(try await hook.run(transition(from, to)).done == [])
    }

    @Test(arguments: [("underlay_down", [restart]), ("no_route", []), ("link_down", [])])
    func `a new uplink after a moment without any restarts it, unless it was gone as well`(
        _ reason: String,
        _ calls: [String]
    ) async throws {
        let hook = try ExampleHook("50-restart-vpn", standIns: ["systemctl"])
        let event = SampleEvent.reachability(from: ("none", "none"), to: ("wifi", "unknown"), reasonBefore: reason)
        #expect(try await hook.run(transition("none wg0 none", "wifi wg0 unknown"), event: event.line).done == calls)
    }

    @Test
    func `an uplink that changed back and forth in between restarts it`() async throws {
        let hook = try ExampleHook("50-restart-vpn", standIns: ["systemctl"])
        let event = transition("wifi wlan0 local", "wifi wlan0 full", ["REACH_SUPERSEDED": "2"])
        #expect(try await hook.run(event).done == [Self.restart])
        // But not its own coming up, which would go on for ever.
        let own = transition("wifi wlan0 full", "wifi wg0 full", ["REACH_SUPERSEDED": "1"])
        #expect(try await hook.run(own).done == [])
    }

    @Test
    func `the unit and its interface are configured`() async throws {
        let hook = try ExampleHook("50-restart-vpn", standIns: ["systemctl"])
        let unit = ["VPN_UNIT": "openvpn-client@office.service", "VPN_INTERFACE": "tun0"]
        #expect(
            try await hook.run(transition("wifi wlan0", "wwan wwan0", unit)).done
                == ["systemctl|try-restart|openvpn-client@office.service"]
        )
        #expect(try await hook.run(transition("wifi wlan0", "wifi tun0", unit)).done == [])
    }

    @Test
    func `a restart that fails is the hook's failure`() async throws {
        let hook = try ExampleHook("50-restart-vpn", standIns: ["systemctl"])
        let outcome = try await hook.run(transition("wifi wlan0 full", "wwan wwan0 full", ["STAND_IN_STATUS": "5"]))
        #expect(outcome.command.status == 5)
        #expect(outcome.command.output == "restarting wg-quick@wg0.service: wifi (wlan0) became wwan (wwan0)\n")
    }

    @Test
    func `without systemctl it says so, and only when it is needed`() async throws {
        let hook = try ExampleHook("50-restart-vpn")
        let outcome = try await hook.run(transition("wifi wlan0 full", "wwan wwan0 full"))
        #expect(outcome.command.status == 69)
        #expect(outcome.command.error == "cannot restart wg-quick@wg0.service: there is no systemctl here\n")
        #expect(try await hook.run(transition("wifi wlan0 full", "wifi wlan0 local")).done == [])
    }
}
