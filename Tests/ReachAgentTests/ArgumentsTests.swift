import ArgumentParser
import NetlinkMonitor
import Reachability
import Testing

@testable import ReachAgent

/// The parsing of command-line arguments, and its errors.
struct ArgumentsTests {
    @Test(
        "durations are parsed with their unit, or in seconds without one",
        arguments: [
            ("0", Duration.zero), ("250ms", .milliseconds(250)), ("1s", .seconds(1)), ("1.5s", .milliseconds(1500)),
            ("2m", .seconds(120)), ("60m", .seconds(3600)), ("0ms", .zero), ("1h", .seconds(3600)), ("5", .seconds(5)),
            ("0.5", .milliseconds(500)), ("1m30s", .seconds(90)), ("1m1.5s", .milliseconds(61_500)),
        ]
    )
    func durations(_ text: String, _ duration: Duration) throws {
        #expect(try Arguments.duration(text) == duration)
    }

    @Test(
        "an invalid duration is rejected with an error that quotes it",
        arguments: [
            "", "ms", "-1s", "61m", "2h", "1e3s", "1.2.3s", "١s", "99999999999999s", " 1s", "30s1m", "1s1s", "1.5m30s",
            "1 m",
            "5x", "3601",
        ]
    )
    func noDuration(_ text: String) {
        #expect { try Arguments.duration(text) } throws: { "\($0)".contains("'\(text)'") }
    }

    @Test("a long duration may have days, and the error for an invalid one has an example")
    func longDurations() throws {
        #expect(try Arguments.longDuration("3d") == .seconds(3 * 86_400))
        #expect(try Arguments.longDuration("1d12h") == .seconds(36 * 3600))
        #expect { try Arguments.longDuration("soon") } throws: { "\($0)".contains("1m30s") }
    }

    @Test("a size has a unit or is in bytes, and the error for an invalid one has an example")
    func sizes() throws {
        #expect(try Arguments.byteCount("4096") == 4096)
        #expect(try Arguments.byteCount("8M") == 8 << 20)
        for text in ["", "8m", "8MB", "-1", "1.5G", "2048G"] {
            #expect { try Arguments.byteCount(text) } throws: { "\($0)".contains("512K") }
        }
    }

    @Test("a target is a name and an address")
    func targets() throws {
        let target = try Arguments.target("office-1.a_B=2001:db8::7")
        #expect(target.name == "office-1.a_B")
        #expect(target.address == IPAddress("2001:db8::7"))
        #expect(try Arguments.target("office=::ffff:192.0.2.7").address == IPAddress("192.0.2.7"))
    }

    @Test(
        "an invalid target is rejected with an error that names the wrong part",
        arguments: [
            ("office", "'office'"), ("=192.0.2.7", "target name ''"), ("a b=192.0.2.7", "target name 'a b'"),
            ("default=192.0.2.7", "'default'"), ("agent=192.0.2.7", "'agent'"), ("office=example.com", "'example.com'"),
            ("office=192.0.2.7/24", "'192.0.2.7/24'"), ("office=fe80::1%eth0", "'fe80::1%eth0'"),
            ("office=fe80::1", "'fe80::1' is link-local"),
        ]
    )
    func noTarget(_ text: String, _ part: String) {
        #expect { try Arguments.target(text) } throws: { "\($0)".contains(part) }
    }

    @Test("an unknown kind is rejected with a list of the known kinds")
    func kinds() throws {
        #expect(try Arguments.kindOverride("usb*=wwan") == KindOverride(pattern: "usb*", kind: .wwan))
        #expect { try Arguments.kindOverride("usb*=mobile") } throws: { error in
            "\(error)".contains("'mobile'") && InterfaceKind.allCases.allSatisfy { "\(error)".contains($0.rawValue) }
        }
    }

    @Test(
        "wrong usage gives status 64",
        arguments: [
            ["run", "--settle-up", "5x"], ["run", "--format", "xml"],
            ["run", "--target", "a=192.0.2.1", "--target", "a=192.0.2.2"],
            ["probe", "tcp://127.0.0.1:1", "--expect-status", "200"], ["probe", "tcp://127.0.0.1:1", "--http1"],
            ["probe", "icmp://127.0.0.1", "--connect-to", "127.0.0.1:1"], ["probe", "icmp://127.0.0.1", "--at", "x"],
            ["run", "--interface-kind", "usb0"], ["route"], ["nothing"], ["run", "--unknown"],
        ]
    )
    func usage(_ arguments: [String]) {
        #expect {
            var command = try ReachAgentCommand.parseAsRoot(arguments)
            try command.run()
        } throws: { ReachAgentCommand.exitCode(for: $0) == .validationFailure }
    }

    @Test("a rejected header field is not shown", arguments: ["Authorization Basic c2VjcmV0", "X: c2VjcmV0\u{7}"])
    func secretHeader(_ text: String) {
        #expect {
            _ = try ReachAgentCommand.parseAsRoot(["probe", "https://host.test/", "--header", text])
        } throws: { error in
            let message = ReachAgentCommand.fullMessage(for: error)
            return message.contains("header") && !message.contains("c2VjcmV0")
        }
    }

    @Test("an address for one family leaves the defaults of the other unchanged")
    func internetAddresses() throws {
        let options = try WatchOptions.parse(["--internet-address", "192.0.2.99"])
        let addresses = options.monitorConfiguration().internetAddresses
        #expect(addresses.filter { $0.family == .ipv4 } == [try Arguments.address("192.0.2.99")])
        #expect(addresses.filter { $0.family == .ipv6 }.count == 2)
    }
}
