import ForeignText
import Testing

@testable import Configuration

/// Durations, sizes, texts and suggestions.
@Suite struct ValueTests {
    @Test(arguments: [
        ("0", Duration.zero), ("250ms", .milliseconds(250)), ("1.5s", .milliseconds(1500)), ("5m", .seconds(300)),
        ("12h", .seconds(43_200)), ("30d", .seconds(2_592_000)), ("0.25ms", .microseconds(250)),
        ("36500d", .seconds(36_500 * 86_400)),
    ])
    func `a duration is read`(text: String, duration: Duration) {
        #expect(Quantity.duration(text) == duration)
    }

    @Test(arguments: [
        "", "s", "ms", "5", "-5s", "+5s", ".5s", "5.s", "1..5s", "1e3s", "0x5s", "5 s", "5S", "5sec", "36501d", "infs",
        "nans",
        "9999999999999s", "٣s",
    ])
    func `text that is not a valid duration is rejected`(text: String) {
        #expect(Quantity.duration(text) == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0"), (.milliseconds(250), "250ms"), (.milliseconds(1500), "1500ms"), (.seconds(60), "60s"),
        (.seconds(90), "90s"), (.seconds(120), "2m"), (.seconds(86_400), "24h"), (.seconds(172_800), "2d"),
        (.microseconds(250), "0.25ms"),
    ])
    func `a duration is written as it can be read`(duration: Duration, text: String) {
        #expect(TOMLText.duration(duration) == text)
        #expect(Quantity.duration(text) == duration)
    }

    @Test(arguments: [("0", 0), ("512", 512), ("512K", 524_288), ("8M", 8_388_608), ("1024G", 1 << 40)])
    func `a size is read`(text: String, bytes: Int) {
        #expect(Quantity.bytes(text) == bytes)
    }

    @Test(arguments: ["", "K", "-1", "1.5M", "8m", "8 M", "8MB", "1025G", "9999999999999", "999999999999G"])
    func `text that is not a valid size is rejected`(text: String) {
        #expect(Quantity.bytes(text) == nil)
    }

    @Test func `a string is quoted so that it remains on one line`() {
        #expect(TOMLText.quoted("a\"b\\c\n\u{1B}[2J\u{202E}ü") == #""a\"b\\c\n\U0000001B[2J\U0000202Eü""#)
    }

    @Test(arguments: [
        ("intervall", "interval"), ("Interval", "interval"), ("inetrval", "interval"), ("int", "interval"),
        ("most_interval", "fast_interval"), ("ris", "rise"), ("timeouts", "timeout"), ("fast", "fast_interval"),
        ("fastinterval", "fast_interval"),
    ])
    func `the nearest key is suggested`(text: String, key: String) {
        let keys = ["interval", "fast_interval", "timeout", "rise", "fall"]
        #expect(KeySuggestion.nearest(to: text, among: keys) == key)
    }

    @Test(arguments: [
        ("wlan", "wifi"), ("WLAN", "wifi"), ("wi-fi", "wifi"), ("ethernet", "wired"), ("lan", "wired"), ("lte", "wwan"),
        ("cellular", "wwan"), ("wfi", "wifi"), ("wwam", "wwan"), ("wire", "wired"),
        ("wlan0", "wifi"), ("WLAN1", "wifi"), ("wlp2s0", "wifi"), ("wlx00c0ca123456", "wifi"), ("eth0", "wired"),
        ("enP2p1s0", "wired"), ("wwan0", "wwan"), ("wwp0s20u4", "wwan"),
    ])
    func `the words of other programs lead to ours, before what is merely spelled alike`(text: String, word: String) {
        #expect(KeySuggestion.nearest(to: text, among: ["wifi", "wwan", "wired", "other"]) == word)
        #expect(KeySuggestion.nearest(to: "warn", among: ["info", "warning"]) == "warning")
    }

    @Test(
        arguments: [
            ("wlan0", ["wwan0", "wwan", "wlan"], "wlan"), ("wlan0", ["wwan0", "wwan"], nil),
            ("eth1", ["eth0", "veth1"], "eth0"), ("wwan1", ["wlan1", "wwan0"], "wwan0"), ("web1", ["wwb1"], "wwb1"),
        ] as [(String, [String], String?)]
    )
    func `an interface is never taken for one of another medium`(text: String, words: [String], word: String?) {
        #expect(KeySuggestion.nearest(to: text, among: words) == word)
    }

    @Test(arguments: [("agent", "most_connections", "max_connections"), ("hooks", "most_running", "max_running")])
    func `the former name of a key leads to its name`(section: String, former: String, name: String) throws {
        let errors = try Fixtures.errors("[\(section)]\n\(former) = 1\n")
        #expect(errors == ["a.toml:2:1: \(section).\(former): unknown key; did you mean '\(name)'?"])
    }

    @Test(arguments: ["", "x", "zebra", "in", "wait", String(repeating: "interval", count: 20)])
    func `a name that resembles no key gets no suggestion`(text: String) {
        #expect(KeySuggestion.nearest(to: text, among: ["interval", "timeout", "rise"]) == nil)
    }
}
