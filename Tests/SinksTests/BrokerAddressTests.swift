import AgentEvents
import Sinks
import Testing

/// Addresses as people write them, and the sentences for those that are not valid.
struct BrokerAddressTests {
    @Test(
        "an address is parsed and written in one form",
        arguments: [
            ("nats://broker", "nats://broker", ["nats://broker:4222"]),
            ("nats://broker:4222/", "nats://broker", ["nats://broker:4222"]),
            ("NATS://Broker.Example:4333", "nats://broker.example:4333", ["nats://broker.example:4333"]),
            ("tls://10.0.0.1", "tls://10.0.0.1", ["tls://10.0.0.1:4222"]),
            ("tls://[2001:db8::1]:443", "tls://[2001:db8::1]:443", ["tls://[2001:db8::1]:443"]),
            ("mqtt://[fe80::1%eth0]", "mqtt://[fe80::1%eth0]", ["mqtt://[fe80::1%eth0]:1883"]),
            ("mqtts://home", "mqtts://home", ["mqtts://home:8883"]),
            ("nats://a,nats://b:4333", "nats://a,nats://b:4333", ["nats://a:4222", "nats://b:4333"]),
            (
                "nats://a:4333, b , c", "nats://a:4333,nats://b,nats://c",
                ["nats://a:4333", "nats://b:4222", "nats://c:4222"]
            ),
        ]
    )
    func valid(_ text: String, _ description: String, _ urls: [String]) throws {
        let address = try BrokerAddress(text)
        #expect(address.description == description)
        #expect(address.servers.map { "\(address.scheme.rawValue)://\($0.authority)" } == urls)
        #expect(try BrokerAddress(address.description) == address)
        #expect(try EventDecoder.decode(BrokerAddress.self, from: EventEncoder.encode(address)) == address)
    }

    @Test(
        "an invalid address is rejected with a sentence",
        arguments: [
            ("", "expected a URL such as 'nats://broker.example:4222', got ''"),
            ("broker:4222", "expected a URL such as 'nats://broker.example:4222', got 'broker:4222'"),
            ("http://broker", "expected one of the schemes 'nats', 'tls', 'mqtt', 'mqtts', got 'http'"),
            (
                "nats://me:secret@broker",
                """
                a URL must not contain credentials; write the name to 'user' and the path of the password's file to \
                'password_file'
                """
            ),
            ("nats://", "expected the name or the address of a host before the port"),
            ("nats://:4222", "expected the name or the address of a host before the port"),
            ("nats://a,,b", "expected the name or the address of a host before the port"),
            ("nats://broker:0", "expected a port from 1 to 65535, got '0'"),
            ("nats://broker:65536", "expected a port from 1 to 65535, got '65536'"),
            ("nats://broker:+1", "expected a port from 1 to 65535, got '+1'"),
            ("nats://broker:", "expected a port from 1 to 65535, got ''"),
            ("nats://[::1]4222", "expected a port from 1 to 65535, got '222'"),
            ("nats://broker/stream", "expected nothing after the port, got 'broker/…'"),
            ("nats://broker?tls=1", "expected nothing after the port, got 'broker?…'"),
            (
                "nats://2001:db8::1",
                "expected brackets around an IPv6 address, such as 'nats://[2001:db8::1]', got '2001:db8::1'"
            ),
            ("nats://[::1", "'[::1' has a '[' without a ']'"),
            ("nats://[broker]", "expected an IPv6 address in brackets, got 'broker'"),
            (
                "nats://bro ker",
                "'bro ker' is not a host name: expected ASCII letters, digits, '-', '_' and single dots"
            ),
            (
                "nats://a..b",
                "'a..b' is not a host name: expected ASCII letters, digits, '-', '_' and single dots"
            ),
            (
                "nats://b\u{1B}[2J",
                "'b\\u{1b}[2J' is not a host name: expected ASCII letters, digits, '-', '_' and single dots"
            ),
            ("nats://a,tls://b", "all servers need the same scheme, got 'nats' and 'tls'"),
            ("nats://a,A:4222", "a:4222 is listed twice"),
            ("mqtt://a,b", "MQTT has one server, got 2"),
        ]
    )
    func invalid(_ text: String, _ sentence: String) {
        #expect(throws: SinkSettingError.self) { try BrokerAddress(text) }
        do { _ = try BrokerAddress(text) } catch { #expect(error.description == sentence) }
    }

    @Test("length and number are bounded")
    func bounds() throws {
        let names = (0..<16).map { "host\($0)" }.joined(separator: ",")
        #expect(try BrokerAddress("nats://" + names).servers.count == 16)
        #expect(throws: SinkSettingError.self) { try BrokerAddress("nats://\(names),more") }
        #expect(throws: SinkSettingError.self) { try BrokerAddress("nats://" + String(repeating: "a", count: 254)) }
        #expect(throws: SinkSettingError.self) { try BrokerAddress("nats://" + String(repeating: "a,", count: 3000)) }
    }

    @Test(
        "no error message repeats a password",
        arguments: [
            "nats://u:hunter2@h", "hunter2@h", "x://hunter2@h,nats://a", "mqtt://h?password=hunter2",
            "nats://h:4222/?token=hunter2", "nats://h/hunter2/", "nats://a,b#hunter2", "nats:/h/hunter2",
            "h:4222?token=hunter2", "x?token=hunter2://h", "x://h?token=hunter2", "nats://[::1?token=hunter2",
        ]
    )
    func secrets(_ text: String) {
        do {
            _ = try BrokerAddress(text)
            Issue.record("it was accepted")
        } catch {
            #expect(error.description.firstRange(of: "hunter2") == nil)
        }
    }

    @Test("no sequence of bytes traps")
    func hostile() {
        var random = Jumble(seed: 7)
        for _ in 0..<20_000 {
            _ = try? BrokerAddress(
                random.text(of: ["nats", "://", ":", "[", "]", ",", "1", "%", "a", ".", "/", "é", "\0", "@"])
            )
        }
    }
}
