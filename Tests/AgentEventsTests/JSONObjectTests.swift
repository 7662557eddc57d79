import Testing

@testable import AgentEvents

@Suite
struct JSONObjectTests {
    private static func object(_ text: String, readsNullAsAbsent: Bool = false) throws(JSONObject.Flaw) -> JSONObject {
        try JSONObject(Array(text.utf8), maximumValues: 64, readsNullAsAbsent: readsNullAsAbsent)
    }

    private static func flaw(_ text: String, _ read: (JSONObject) throws(JSONObject.Flaw) -> Void = { _ in })
        -> JSONObject.Flaw?
    {
        do throws(JSONObject.Flaw) {
            try read(try object(text))
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `members are read by their names, however those are escaped`() throws {
        let object = try Self.object(
            #"{"s":"a\u00e9\n","t\u0072ue":true,"i":-7,"l":["x","\ud83d\ude00"],"o":{"s":"inner"},"e":[]}"#
        )
        #expect(try object.string("s") == Array("aé\n".utf8))
        #expect(try object.boolean("true") == true)
        #expect(try object.integer("i") == -7)
        #expect(try object.strings("l") == [Array("x".utf8), Array("😀".utf8)])
        #expect(try object.strings("e") == [])
        #expect(try object.object("o")?.requiredString("s") == Array("inner".utf8))
        #expect(try object.string("absent") == nil)
        #expect(object.firstName(besides: ["s", "true", "l", "o", "e"]) == Array("i".utf8))
        #expect(object.firstName(besides: ["s", "true", "i", "l", "o", "e"]) == nil)
    }

    @Test(arguments: [
        "", "[]", "1", "null", #""{}""#, "{", "{}{}", #"{"a":1,}"#, #"{"\ud800":1}"#, #"{"a":{"\ud800":1}}"#,
    ])
    func `text that is not one object is an error`(_ text: String) { #expect(Self.flaw(text) == .syntax) }

    @Test
    func `more values than the caller allows are an error`() {
        #expect(Self.flaw("{\"a\":[" + String(repeating: "1,", count: 100) + "1]}") == .syntax)
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, ["a"]), (#"{"a":1,"\u0061":2}"#, ["a"]), (#"{"a":{"b":1,"b":2}}"#, ["a", "b"]),
        (#"{"a":[{"x":1},{"b":1,"b":2}]}"#, ["a", "b"]), (#"{"":1,"":2}"#, [""]),
        // Canonically equivalent, and two names all the same.
        (#"{"é":1,"e\u0301":2}"#, []),
    ])
    func `a duplicate name is an error with its path`(_ text: String, _ path: [String]) {
        #expect(Self.flaw(text) == (path.isEmpty ? nil : .duplicate(path: path.map { Array($0.utf8) })))
    }

    @Test(arguments: ["null", "1", "true", "[]", "{}", #""\ud800""#])
    func `a member of the wrong type is an error with the expected type`(_ value: String) {
        let text = "{\"m\":\(value)}"
        let mismatch: (String) -> JSONObject.Flaw = { .mismatch(member: "m", expected: $0) }
        #expect(
            Self.flaw(text) { object throws(JSONObject.Flaw) in _ = try object.string("m") } == mismatch("a string")
        )
        #expect(
            Self.flaw(text) { object throws(JSONObject.Flaw) in _ = try object.requiredString("n") }
                == .missing(member: "n")
        )
        if value != "1" {
            #expect(
                Self.flaw(text) { object throws(JSONObject.Flaw) in _ = try object.integer("m", as: UInt64.self) }
                    == mismatch("a whole number of 64 bits")
            )
        }
        if value != "[]" {
            #expect(
                Self.flaw(text) { object throws(JSONObject.Flaw) in _ = try object.strings("m") }
                    == mismatch("an array of strings")
            )
        }
    }

    @Test
    func `null is absence only where the caller says so`() throws {
        let object = try Self.object(#"{"a":null}"#, readsNullAsAbsent: true)
        #expect(try object.string("a") == nil)
        #expect(try object.boolean("a") == nil)
        #expect(object.firstName(besides: []) == Array("a".utf8))
    }
}
