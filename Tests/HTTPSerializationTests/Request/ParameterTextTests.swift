import Testing

@testable import HTTPSerialization

/// Parameters as the command line and the configuration have them.
@Suite struct ParameterTextTests {
    @Test(
        arguments: [
            ([], ""),
            (["a=1"], "a=1"),
            (["a=c", "a=a", "a=c"], "a=c&a=a&a=c"),
            (["b=1", "a=2"], "a=2&b=1"),
            (["flag"], "flag"),
            (["flag="], "flag="),
            (["a", "a=1"], "a&a=1"),
            (["a[]=2", "a[]=1", "a[]=2"], "a%5B%5D=2&a%5B%5D=1&a%5B%5D=2"),
            (["user[name]=x", "user[age]=7"], "user%5Bage%5D=7&user%5Bname%5D=x"),
            (["a[b][]=1", "a[b][]", "a[c][d]=2"], "a%5Bb%5D%5B%5D=1&a%5Bb%5D%5B%5D&a%5Bc%5D%5Bd%5D=2"),
            (["a[]b=1"], "a%5B%5Db=1"), (["a[=1"], "a%5B=1"), (["[]=1"], "%5B%5D=1"),
            (["a:=1"], "a%3A=1"), (["a=b=c"], "a=b%3Dc"),
        ] as [([String], String)]
    )
    func `texts become a query as AFNetworking writes it`(texts: [String], query: String) throws {
        #expect(try QueryString.text(of: ParameterText.parameters(texts, for: .query)) == query)
    }

    @Test(
        arguments: [
            ([], "{}"),
            (["a=1"], #"{"a":"1"}"#),
            (["b:=1", "a:=[1,2.5,null,true]", "c"], #"{"a":[1,2.5,null,true],"b":1,"c":null}"#),
            (["user[name]=x", "user[tags][]=b", "user[tags][]:=3"], #"{"user":{"name":"x","tags":["b",3]}}"#),
            (["a:={\"x\":{}}"], #"{"a":{"x":{}}}"#),
            (["a:=9223372036854775807"], #"{"a":9223372036854775807}"#),
            (["a:=-9223372036854775808"], #"{"a":-9223372036854775808}"#),
            (["a:=100000000000000000000"], #"{"a":1e+20}"#),
        ] as [([String], String)]
    )
    func `texts become an object in JSON`(texts: [String], json: String) throws {
        guard case .bytes(let bytes, let type) = try ProbeRequest.Body.json(.init(texts)) else {
            Issue.record("no bytes")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self) == json)
        #expect(type == "application/json")
    }

    @Test(arguments: [
        (["=1"], ParameterText.Purpose.query), ([""], .query), (["a=1", "a[]=2"], .query),
        (["a[b]=1", "a[]=2"], .query),
        (["a=1", "a=2"], .json), (["a:=secret"], .json), (["a:=1e999"], .json), ([":=1", ":=2"], .json),
    ])
    func `invalid parameters are an error that shows no value`(texts: [String], purpose: ParameterText.Purpose) {
        do {
            _ = try ParameterText.parameters(texts, for: purpose)
            Issue.record("no error")
        } catch {
            #expect(!error.description.contains("secret"))
        }
    }

    @Test(arguments: [
        "a:=12345678901234567890", "a:=-12345678901234567890", "a:=9223372036854775808", "a:=1e999",
        #"a:=[1,{"b":12345678901234567890}]"#,
    ])
    func `an integer that would be sent as another number is an error with a remedy`(text: String) {
        do {
            _ = try ParameterText.parameters([text], for: .json)
            Issue.record("no error")
        } catch {
            #expect(error.description.contains("'a'") && error.description.contains("--json-body"))
            #expect(!error.description.contains("567890"))
        }
    }

    @Test func `nesting is bounded`() {
        let deep = "a" + String(repeating: "[]", count: 63)
        #expect(throws: Never.self) { try ParameterText.parameters([deep], for: .query) }
        #expect(throws: RequestError.parametersTooDeep) { try ParameterText.parameters([deep + "[]"], for: .query) }
    }
}

extension ParameterValue {
    fileprivate init(_ texts: [String]) throws(RequestError) { self = try ParameterText.parameters(texts, for: .json) }
}
