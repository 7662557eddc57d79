import AgentTestKit
import ForeignText
import NIOCore
import Testing

@testable import StateSocket

/// The cost of the worst lines known: twice the length costs about twice the time, and nowhere its square.
struct ControlCostTests {
    /// A line of about so many bytes.
    struct Generator: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let line: @Sendable (Int) -> String
    }

    private static func subscription(_ parameter: String) -> String {
        #"{"method":"subscribe","more":true,"parameters":{\#(parameter)}}"#
    }

    private static func list(_ element: String, _ bytes: Int) -> String {
        repeatElement("\"\(element)\"", count: bytes / (element.utf8.count + 3)).joined(separator: ",")
    }

    static let generators: [Generator] = [
        Generator(testDescription: "combining marks of two classes as a key") { bytes in
            "{\"" + String(repeating: "\u{301}\u{323}", count: bytes / 4) + "\":1}"
        },
        Generator(testDescription: "combining marks as the method") { bytes in
            "{\"method\":\"" + String(repeating: "\u{301}\u{323}", count: bytes / 4) + "\"}"
        },
        Generator(testDescription: "combining marks as the probe's name") { bytes in
            let marks = String(repeating: "\u{301}\u{323}", count: bytes / 4)
            return #"{"method":"probe","parameters":{"name":"\#(marks)"}}"#
        },
        Generator(testDescription: "escaped combining marks as a key") { bytes in
            "{\"" + String(repeating: #"\u0301\u0323"#, count: bytes / 12) + "\":1}"
        },
        Generator(testDescription: "many keys") { bytes in
            "{" + (0..<bytes / 11).map { "\"\(100_000 + $0)\":1" }.joined(separator: ",") + "}"
        },
        Generator(testDescription: "a method like the known ones") { bytes in
            #"{"method":""# + String(repeating: "subscribe", count: bytes / 9) + #""}"#
        },
        Generator(testDescription: "a long duplicate at each level") { bytes in
            let name = String(repeating: "\u{301}\u{323}", count: bytes / 500)
            return String(repeating: "{\"\(name)\":", count: 62) + "{\"\(name)\":1,\"\(name)\":1}"
                + String(repeating: "}", count: 62) + String(repeating: " ", count: bytes / 2)
        },
        Generator(testDescription: "many values") { bytes in
            #"{"method":"status","parameters":{"a":["# + String(repeating: "1,", count: bytes / 2) + "1]}}"
        },
        Generator(testDescription: "many equal objects") { bytes in
            #"{"method":"status","parameters":{"a":["#
                + repeatElement(#"{"a":0}"#, count: bytes / 8)
                .joined(separator: ",") + "]}}"
        },
        Generator(testDescription: "nested too deeply") { bytes in
            #"{"method":"status","parameters":"# + String(repeating: #"{"a":"#, count: bytes / 5)
        },
        Generator(testDescription: "64 levels with a long name at each") { bytes in
            let name = String(repeating: "\u{301}\u{323}", count: bytes / 250)
            return String(repeating: "{\"\(name)\":", count: 62) + "1" + String(repeating: "}", count: 62)
        },
        Generator(testDescription: "a duplicate behind many names") { bytes in
            "{" + (0..<bytes / 11).map { "\"\(100_000 + $0)\":1" }.joined(separator: ",") + ",\"100000\":1}"
        },
        Generator(testDescription: "many types") { subscription(#""types":["# + list("path.*", $0) + "]") },
        Generator(testDescription: "a type with many dots") { bytes in
            subscription(#""types":[""# + String(repeating: "a.", count: bytes / 2) + #"*"]"#)
        },
        Generator(testDescription: "many subjects") { subscription(#""subjects":["# + list("a", $0) + "]") },
        Generator(testDescription: "a long subject") { bytes in
            subscription(#""subjects":[""# + String(repeating: "\u{301}\u{323}", count: bytes / 4) + #""]"#)
        },
        Generator(testDescription: "a number of many digits") { bytes in
            subscription(#""since_seq":1"# + String(repeating: "0", count: bytes))
        },
        Generator(testDescription: "spaces") { bytes in String(repeating: " ", count: bytes) + #"{"method":"status"}"#
        },
        Generator(testDescription: "empty lines") { bytes in String(repeating: "\n", count: bytes) },
    ]

    /// Takes a line as a connection does, piece by piece.
    private static func take(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        var framer = LineFramer(limit: 64 << 10)
        var rest = bytes[...]
        while !rest.isEmpty {
            framer.append(ByteBuffer(bytes: rest.prefix(4096)))
            rest = rest.dropFirst(4096)
            while let item = framer.next() { handle(item) }
        }
    }

    /// The growth of the time of work and of twice as much.
    ///
    /// A tenth of a millisecond is the noise of the clock and of the allocator.
    private static func growth(_ work: (Int) -> Void) -> CostGrowth {
        CostGrowth.measure(2, noise: 0.0001, attempts: 25) { index in CostGrowth.seconds { work(index) } }
    }

    private static func handle(_ item: LineFramer.Item) {
        guard case .line(let line) = item else { return }
        do throws(ControlFailure) {
            let call = try ControlRequest(parsing: line).call()
            if case .subscribe(let subscription) = call { _ = subscription.filter.passes(subject: "default") }
        } catch {
            _ = ReplyLine.failure(error)
        }
    }

    @Test(arguments: generators)
    func `a line of twice the length costs at most two and a half times as much`(generator: Generator) async {
        let lines = [31 << 10, 62 << 10].map(generator.line)
        #expect(lines[1].utf8.count <= 64 << 10 && lines[1].utf8.count > 30 << 10)
        let growth = await onThread { Self.growth { Self.take(lines[$0]) } }
        #expect(growth.isLinear, "\(growth)")
    }

    @Test func `a filter of the largest size passes over a line at the cost of the line`() async throws {
        let filter = EventFilter(
            types: (0..<64).map { ForeignText(String(repeating: "a.", count: 127) + "\($0)*") },
            subjects: (0..<64).map { ForeignText(String(repeating: "\u{301}\u{323}", count: 63) + "\($0)") }
        )
        let subjects = [1 << 10, 2 << 10].map { String(repeating: "\u{301}\u{323}", count: $0 / 4) }
        let growth = await onThread {
            Self.growth { index in for _ in 0..<200 { _ = filter.passes(subject: subjects[index]) } }
        }
        #expect(growth.isLinear, "\(growth)")
        #expect(!filter.passes(type: "reachagent.path.changed".utf8))
    }

    @Test func `the part of a request that an error repeats is short and harmless`() throws {
        let hostile = "\u{1B}[2J\u{9B}31m\u{202E}\u{2028}\u{301}" + String(repeating: "x", count: 1000)
        for line in [
            "{\"\(hostile.replacing("\u{1B}", with: ""))\":1}",
            #"{"method":"status","parameters":{"\u001b[2J\u009b31m\u202e\u2028\#(String(repeating: "x", count: 1000))":1}}"#,
            #"{"\u009b\u202e":1,"\u009b\u202e":1}"#,
            #"{"method":"subscribe","more":true,"parameters":{"types":["\u009b\u202e\u2028"]}}"#,
        ] {
            var failure: ControlFailure?
            do throws(ControlFailure) {
                _ = try ControlRequest(parsing: Array(line.utf8)).call()
            } catch {
                failure = error
            }
            let message = try #require(failure?.message)
            #expect(message.utf8.count < 600)
            #expect(!message.unicodeScalars.contains(where: ForeignText.isActive), "\(message.debugDescription)")
            #expect(message.contains("\\u{9b}"))
        }
    }
}
