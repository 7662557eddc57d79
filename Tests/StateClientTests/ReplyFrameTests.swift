import AgentTestKit
import Testing

@testable import StateClient

/// What stands around a reply's parameters.
@Suite struct ReplyFrameTests {
    private func texts(_ text: String) -> (parameters: String?, error: String?)? {
        // A slice that does not begin at 0, as lines do not.
        let line = Array("##\(text)".utf8)[2...]
        guard let frame = ReplyFrame(line) else { return nil }
        func content(_ range: Range<Int>?) -> String? { range.map { String(decoding: line[$0], as: UTF8.self) } }
        return (content(frame.parameters), content(frame.error))
    }

    @Test(
        "the parameters and the error are found wherever they stand",
        arguments: [
            (#"{}"#, nil, nil), (#" { } "#, nil, nil), (#"{"parameters":{}}"#, "{}", nil),
            (#"{"x":[1,{"parameters":2}],"parameters" : {"a":"}\"]"} ,"continues":true}"#, #"{"a":"}\"]"}"#, nil),
            (#"{"error":"a_code","parameters":{"b":[[]]}}"#, #"{"b":[[]]}"#, "a_code"),
            (#"{"parameters":-1.5e3}"#, "-1.5e3", nil), (#"{"parameters":true,"error":""}"#, "true", ""),
        ] as [(String, String?, String?)]
    )
    func found(_ text: String, _ parameters: String?, _ error: String?) throws {
        let found = try #require(texts(text))
        #expect(found.parameters == parameters)
        #expect(found.error == error)
    }

    @Test(
        "what is no object is refused",
        arguments: [
            "", " ", "[]", "x", "{", "}", "{}x", "{}{}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{"a":1"#,
            #"{"a":"b}"#, #"{"a":"\"#, #"{"a":[}"#, #"{"error":1}"#, #"{"error":"}"#, #"{"error":{}}"#, #"{"a":1}}"#,
            #"{"a":[1,]}"#, #"{"a":01}"#, #"{"a":nul}"#, #"{"a":[1 2]}"#,
        ]
    )
    func refused(_ text: String) { #expect(texts(text) == nil) }

    @Test func `no damage to a reply makes it trap`() {
        let line = Array(AgentLines.reply(AgentLines.path(42)).utf8)
        var generator = SystemRandomNumberGenerator()
        var accepted = 0
        for _ in 0..<5000 {
            var damaged = line
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<damaged.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: damaged[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: damaged[place] = Array("{}[]\",:\\".utf8).randomElement(using: &generator) ?? 0
                default: damaged.removeSubrange(place...)
                }
                if damaged.isEmpty { break }
            }
            if let parameters = ReplyFrame(damaged[...])?.parameters {
                accepted += 1
                #expect(damaged.indices.contains(parameters.lowerBound) && parameters.upperBound <= damaged.count)
                _ = StreamLine(Array(damaged[parameters]))
            }
        }
        #expect(accepted > 0, "no damage was small enough to get this far")
    }
}
