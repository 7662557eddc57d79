import AgentTestKit
import Foundation
import InputRecording
import NetlinkMonitor
import Testing

/// The reading of a recording from anywhere: nothing in it may do harm, and an error names its line.
@Suite struct RecordingReaderTests {
    private static let header =
        #"{"recording":1,"agent":"0.1.0","stream":"abc","next_seq":7,"started":"2026-11-21T07:00:00.000000Z"}"#
    private static let at = #""at":{"ns":0,"us":0}"#

    private static let noObject = "not a JSON object, or a number in it is out of range"

    /// Reads everything behind a header.
    private func failure(_ text: String, header: String = Self.header) -> String? {
        do throws(RecordingError) {
            var reader = try RecordingReader(bytes: Array("\(header)\n\(text)".utf8))
            while try reader.next() != nil {}
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `a header is read`() throws {
        let reader = try RecordingReader(bytes: Array("\(Self.header)\n".utf8))
        #expect(reader.header.agent == "0.1.0" && reader.header.stream == "abc" && reader.header.nextSequence == 7)
        #expect(reader.header.source == nil && reader.header.bootID == nil)
        #expect(reader.header.started.microsecondsSince1970 == 1_795_244_400_000_000)
    }

    @Test(arguments: [
        ("", "recording:1: the file is empty"),
        ("\n", "recording:1: not a recording of reachagent"),
        ("hello\n", "recording:1: not a recording of reachagent"),
        ("{}\n", "recording:1: not a recording of reachagent"),
        (
            #"{"recording":2,"x":1}"# + "\n",
            "recording:1: a recording of version 2, and version 1 is the only one known"
        ),
        (#"{"recording":1,"agent":"0"}"# + "\n", "recording:1: 'agent', 'stream' or 'next_seq' is missing"),
        (
            #"{"recording":1,"agent":"0","stream":"s","next_seq":1,"started":"today"}"# + "\n",
            "recording:1: 'started' is not an RFC 3339 time in UTC"
        ),
        (#"{"recording":1"#, "recording:1: the line is cut off"),
    ])
    func `a bad header is an error`(text: String, message: String) {
        let error = #expect(throws: RecordingError.self) { try RecordingReader(bytes: Array(text.utf8)) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        (#"{"input":"tick"}"#, "'at' is missing"),
        (#"{"input":"tick","at":7}"#, "'at' is of another type"),
        (#"{"input":"tick","at":{"ns":0.5,"us":0}}"#, Self.noObject),
        (#"{"input":"tick","at":{"ns":9223372036854775807,"us":0}}"#, "'at.ns' is not a possible value"),
        (#"{"input":"tick","at":{"ns":0,"us":9223372036854775807}}"#, "'at.ns' is not a possible value"),
        (#"{"input":"tick",\#(at),"seq":-1}"#, Self.noObject),
        (#"{"input":"dance",\#(at)}"#, "an unknown sort of input"),
        (#"{"input":"update",\#(at)}"#, "'snapshot' is missing"),
        (#"{"input":"resumed",\#(at)}"#, "'suspended' is missing"),
        (
            #"{"input":"resumed",\#(at),"suspended":[9223372036854775807,0]}"#,
            "'suspended' is longer than a hundred years"
        ),
        (
            #"{"input":"resumed",\#(at),"suspended":[-9223372036854775808,0]}"#,
            "'suspended' is longer than a hundred years"
        ),
        ("", Self.noObject),
        ("[]", "the line is of another type"),
        ("{", Self.noObject),
        ("\u{0}", Self.noObject),
        (String(repeating: "[", count: 1000), Self.noObject),
    ])
    func `a damaged line is reported with its number`(line: String, message: String) {
        #expect(failure("\(line)\n") == "recording:2: \(message)")
        let good = #"{"input":"tick",\#(Self.at)}"#
        #expect(failure("\(good)\n\(line)\n\(good)\n") == "recording:3: \(message)")
    }

    @Test(arguments: [[], ["enp3s0", "é\u{FFFD}"]])
    func `a link without alternative names is recorded as by earlier versions`(names: [String]) throws {
        let link = Link(index: 3, name: "eth0", alternativeNames: names)
        let encoded = try JSONEncoder().encode(link)
        #expect(try JSONDecoder().decode(Link.self, from: encoded) == link)
        let members = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        #expect(members["otherNames"] as? [String] == (names.isEmpty ? nil : names))
    }

    private static func snapshot(_ member: String, _ value: String) -> String {
        var members = [
            "links": "[]", "addresses": "[]", "defaultRoutes": "[]", "rules": "[]", "lookups": "[]", "underlays": "[]",
            "internetAddresses": "[]", "isSynchronized": "true",
        ]
        members[member] = value
        let text = members.map { "\"\($0)\":\($1)" }.joined(separator: ",")
        return #"{"input":"update",\#(at),"changes":[],"snapshot":{\#(text)}}"#
    }

    @Test(arguments: [
        ("internetAddresses", #"["192.0.2.1/24"]"#, "'snapshot.internetAddresses[0]' is not a possible value"),
        ("internetAddresses", #"["192.0.2.256"]"#, "'snapshot.internetAddresses[0]' is not a possible value"),
        (
            "addresses", #"[{"interfaceIndex":1,"address":"192.0.2.1","prefixLength":33,"scope":0,"flags":0}]"#,
            "'snapshot.addresses[0].prefixLength' is not a possible value"
        ),
        (
            "addresses", #"[{"interfaceIndex":1,"address":"192.0.2.1","prefixLength":-1,"scope":0,"flags":0}]"#,
            "'snapshot.addresses[0].prefixLength' is not a possible value"
        ),
        (
            "addresses",
            #"[{"interfaceIndex":1,"address":"192.0.2.1","prefixLength":24,"peer":"::1","scope":0,"flags":0}]"#,
            "'snapshot.addresses[0].peer' is not a possible value"
        ),
        (
            "lookups", #"[{"destination":"::1","refused":"perhaps"}]"#,
            "'snapshot.lookups[0].refused' is not a possible value"
        ),
        (
            "lookups", #"[{"destination":"::1","refused":"no_route"},{"destination":"0::1","errno":5}]"#,
            "'snapshot.lookups' is not a possible value"
        ),
        (
            "underlays", #"[{"tunnel":4,"underlay":{"evidence":"rumour"}}]"#,
            "'snapshot.underlays[0].underlay.evidence' is not a possible value"
        ),
        ("links", #"[{"index":"1"}]"#, "'snapshot.links[0].index' is of another type"),
        (
            "defaultRoutes", #"[{"destination":"::/129"}]"#,
            "'snapshot.defaultRoutes[0].destination' is not a possible value"
        ),
    ])
    func `an impossible snapshot is an error`(member: String, value: String, message: String) {
        #expect(failure(Self.snapshot(member, value) + "\n") == "recording:2: \(message)")
    }

    @Test func `an empty snapshot is valid`() {
        #expect(failure(Self.snapshot("links", "[]") + "\n") == nil)
    }

    private static func configuration(_ rule: String, settle: String = "[0,0]") -> String {
        #"{"input":"configuration",\#(at),"configuration":{"settle":{"up":\#(settle),"down":[0,0]},"targets":[],"#
            + #""quorum":{"all":{}},"probes":[{"name":"p","isRequired":true,"isPortalCheck":false,"usesTLS":true,"#
            + #""interfaces":{"default":{}},"families":"any",\#(rule)}]}}"#
    }

    @Test(arguments: [
        (#""fall":0,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]}"#, "'fall' is out of bounds"),
        (
            #""fall":1,"rise":9223372036854775807,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]}"#,
            "'rise' is out of bounds"
        ),
        (
            #""fall":1,"rise":1,"lossWindow":1000000000,"expiry":{"lifetimePercents":[],"days":[]}"#,
            "'lossWindow' is out of bounds"
        ),
        (
            #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[-9223372036854775808]}"#,
            "'expiry' is out of bounds"
        ),
        (
            #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[1,2],"days":[]}"#,
            "'expiry' is not in order"
        ),
        (
            #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]},"loss":{"good":2,"bad":1}"#,
            "a dead band is none"
        ),
        (
            #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]},"transfer":{"throughput":{"good":1,"bad":2}}"#,
            "a dead band is none"
        ),
        (
            #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]},"transfer":{"addedLatency":{"good":2,"bad":1}}"#,
            "a dead band is none"
        ),
    ])
    func `a rule out of bounds is an error`(rule: String, message: String) {
        #expect(failure(Self.configuration(rule) + "\n") == "recording:2: \(message)")
    }

    @Test(arguments: [
        (#""transfer":{}"#, nil), (#""transfer":{"throughput":{"good":2,"bad":1}}"#, nil),
        (#""transfer":{"throughput":{"good":2}}"#, "'configuration.probes[0].transfer.throughput.bad' is missing"),
    ])
    func `a rule for transfers is read`(rule: String, message: String?) {
        let rest = #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]}"#
        #expect(failure(Self.configuration("\(rest),\(rule)") + "\n") == message.map { "recording:2: \($0)" })
    }

    @Test func `a settle time out of bounds is an error`() {
        let rule = #""fall":1,"rise":1,"lossWindow":1,"expiry":{"lifetimePercents":[],"days":[]}"#
        #expect(failure(Self.configuration(rule) + "\n") == nil)
        let line = Self.configuration(rule, settle: "[9223372036854775807,0]")
        #expect(failure("\(line)\n") == "recording:2: 'settle.up' is longer than a hundred years")
    }

    @Test func `a complete recording is distinguished from a truncated one`() throws {
        let tick = #"{"input":"tick",\#(Self.at)}"#
        var whole = try RecordingReader(bytes: Array("\(Self.header)\n\(tick)\n".utf8))
        #expect(try whole.next() != nil)
        #expect(try whole.next() == nil)
        #expect(!whole.isTruncated)
        let marker = #"{"input":"truncated"}"#
        var cut = try RecordingReader(bytes: Array("\(Self.header)\n\(tick)\n\(marker)\n\(tick)\n".utf8))
        #expect(try cut.next() != nil)
        #expect(try cut.next() == nil)
        #expect(cut.isTruncated)
        #expect(try cut.next() == nil)
        #expect(failure("\(tick)\n\(tick)") == "recording:3: the line is cut off")
    }

    @Test(arguments: [#"{"input":"tick",AT,"TEXT":0}"#, #"{"input":"tick",AT,"x":["TEXT"]}"#, #"{"input":"TEXT"}"#])
    func `a name or string longer than any in a recording is refused before it becomes one`(line: String) {
        // Decoded as the name of a member, this text would take minutes.
        for marks in [String(repeating: "\u{301}\u{323}", count: 250_000), String(repeating: #"\u0301"#, count: 171)] {
            let long = line.replacing("AT", with: Self.at).replacing("TEXT", with: marks)
            #expect(failure("\(long)\n") == "recording:2: a string is longer than 1 KiB")
            let header = Self.header.replacing("abc", with: marks)
            #expect(failure("", header: header) == "recording:1: a string is longer than 1 KiB")
        }
    }

    @Test(arguments: [(64, nil), (65, "recording:2: a name is longer than 64 bytes")])
    func `a member's name is at most as long as any of ours`(count: Int, expected: String?) {
        let name = String(repeating: "n", count: count)
        #expect(failure(#"{"input":"tick",\#(Self.at),"\#(name)" :"x:y"}"# + "\n") == expected)
    }

    @Test(arguments: [(16_384, true), (16_385, false)])
    func `a string is measured in the bytes of the line, with its escapes`(count: Int, isAccepted: Bool) {
        let text = #"\""# + String(repeating: "x", count: count - 4) + #"\\"#
        let failure = failure(#"{"input":"tick",\#(Self.at),"x":"\#(text)","y":"\#(text)"}"# + "\n")
        #expect(failure == (isAccepted ? nil : "recording:2: a string is longer than 16 KiB"))
    }

    @Test func `a line that never ends is given up`() async throws {
        let message = try await onThread {
            let directory = try TemporaryDirectory()
            let path = "\(directory.path)/long"
            let line = Data(repeating: 0x20, count: 17 << 20)
            try (Data("\(Self.header)\n".utf8) + line).write(to: URL(filePath: path))
            var reader = try RecordingReader(path: path)
            let error = #expect(throws: RecordingError.self) { try reader.next() }
            return error?.description.replacing(path, with: "FILE")
        }
        #expect(message == "FILE:2: the line is longer than 16 MiB")
    }

    @Test func `a missing file is an error that names it`() {
        let error = #expect(throws: RecordingError.self) { try RecordingReader(path: "/nonexistent/recording") }
        #expect(error?.description == "cannot open /nonexistent/recording: No such file or directory")
        let directory = #expect(throws: RecordingError.self) { try RecordingReader(path: "/") }
        #expect(directory?.description == "cannot read /:1: Is a directory")
    }
}
