import Probes
import Testing

@testable import Configuration

/// Parameters and bodies of a probe's request.
@Suite struct ParameterKeyTests {
    private func request(_ keys: String) throws -> ProbeRequest {
        let text = "[probe.a]\ntarget = 'https://example.org/'\n\(keys)\n"
        return try #require(try Fixtures.load(text).settings.probes.first).probe.request
    }

    @Test(arguments: [
        ("{ tag = ['b', 'a', 'b'] }", "tag=b&tag=a&tag=b"),
        ("['tag=b', 'tag=a', 'tag=b', 'flag']", "flag&tag=b&tag=a&tag=b"),
        ("{ user = { name = 'x', mail = ['b', 'a'] } }", "user%5Bmail%5D=b&user%5Bmail%5D=a&user%5Bname%5D=x"),
        ("['list[]=2', 'list[]=1', 'user[name]=x']", "list%5B%5D=2&list%5B%5D=1&user%5Bname%5D=x"),
    ])
    func `repeated names keep their order, and null, arrays and nesting are possible`(keys: String, text: String) throws
    {
        let query = try #require(try request("query = \(keys)").query)
        #expect(try QueryString.text(of: query) == text)
        let form = try #require(try request("form = \(keys)").parameters)
        #expect(try QueryString.text(of: form) == text)
    }

    @Test(arguments: [
        ("{ b = [1, 2.5, true], a = { c = 'x' } }", #"{"a":{"c":"x"},"b":[1,2.5,true]}"#), ("[]", "[]"),
        (#"'{"a": null}'"#, #"{"a": null}"#),
    ])
    func `a body in JSON is a text, or is made of a table`(value: String, json: String) throws {
        let request = try request("json_body = \(value)")
        guard case .bytes(let bytes, "application/json") = request.body else {
            Issue.record("no body in JSON")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == json)
        #expect(request.method == "POST")
    }

    @Test func `a name in a string is as long as a key may be`() throws {
        let name = String(repeating: "a", count: TOMLParser.maxKeyBytes)
        for keys in ["query = ['\(name)=x']", "form = ['\(name)']"] { _ = try request(keys) }
        let message = "has a name of 1025 bytes; at most 1024 are accepted"
        for (key, element) in [("query", "a\(name)=x"), ("form", "a\(name)")] {
            let text = "[probe.a]\ntarget = 'https://example.org/'\n\(key) = ['\(element)']\n"
            #expect(try Fixtures.errors(text).first?.hasSuffix("probe.a.\(key): \(message)") == true)
        }
    }

    @Test(arguments: [
        "query = ['=a']", "query = ['a=1', 'a[]=2']", "query = 'a=b'", "query = { a = 1 }", "json_body = 1",
        "json_body = { a = 2026-01-01 }",
    ])
    func `a request that cannot be sent is an error`(keys: String) {
        #expect(throws: (any Error).self) { try request(keys) }
    }
}
