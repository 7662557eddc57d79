internal import AgentEvents

extension Diagnosis {
    /// The version of the form below.
    private static let schemaVersion = 1

    /// One JSON object on one line.
    var json: [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("diagnosis", Self.schemaVersion)
            json.member("time", time)
            json.member("verdict", verdict.rawValue)
            json.member("layer", ifPresent: finding?.layer.rawValue)
            json.member("code", ifPresent: finding?.code)
            json.member("summary", ifPresent: finding?.summary)
            json.name("next")
            json.array(finding?.next ?? []) { $0.string($1) }
            json.name("sections")
            json.array(sections) { json, section in section.write(to: &json) }
            json.name("versions")
            json.array(versions) { json, fact in fact.write(to: &json) }
        }
        return json.bytes
    }
}

extension Diagnosis.Section {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("layer", layer.rawValue)
            json.member("verdict", verdict.rawValue)
            json.member("code", ifPresent: code)
            json.member("summary", summary)
            json.name("next")
            json.array(next) { $0.string($1) }
            json.name("facts")
            json.array(facts) { json, fact in fact.write(to: &json) }
        }
    }
}

extension Diagnosis.Fact {
    fileprivate func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("name", name)
            json.member("text", text)
        }
    }
}
