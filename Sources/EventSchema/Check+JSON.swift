public import EventEnvelope
internal import ForeignText
public import Probes

extension CheckReport: JSONRepresentable {
    /// Writes the whole report: `{"target":…,"verdict":…,"findings":[…],"hops":[…]}`.
    ///
    /// The bytes are those that the check's sockets carried: TLS records included, packet headers not; `bytes_on_wire`
    /// are those of the link, with all headers.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("target", target)
            json.member("verdict", verdict.word)
            json.member("code", ifPresent: verdict.code?.rawValue)
            json.member("phase", ifPresent: verdict.phase?.rawValue)
            json.member("started", Timestamp(started))
            json.member("duration_us", duration.microseconds)
            json.member("bytes_sent", bytesSent)
            json.member("bytes_received", bytesReceived)
            json.member("bytes_on_wire", bytesOnWire)
            json.name("findings")
            json.array(findings) { json, finding in finding.write(to: &json) }
            json.name("hops")
            json.array(hops) { json, hop in hop.write(to: &json) }
        }
    }
}

extension CheckVerdict {
    /// The verdict's name in the schema.
    public var word: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }
}

extension Finding: JSONRepresentable {
    /// Writes `{"code":…,"severity":…,"subject":…,"evidence":…}`.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("code", code.rawValue)
            json.member("severity", severity.rawValue)
            json.member("subject", subject)
            json.member("evidence", evidence)
        }
    }
}

extension CheckHop: JSONRepresentable {
    /// Writes one place that was asked; what did not happen is left out.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("url", url)
            json.name("phases")
            json.array(phases) { json, timing in
                json.object { json in
                    json.member("phase", timing.phase.rawValue)
                    json.member("start_us", timing.start.microseconds)
                    json.member("duration_us", timing.duration.microseconds)
                    if !timing.isComplete { json.member("complete", false) }
                }
            }
            json.name("lookups")
            json.array(lookups) { json, lookup in lookup.write(to: &json) }
            json.name("addresses")
            json.array(addresses) { $0.string($1) }
            json.name("attempts")
            json.array(attempts) { json, attempt in attempt.write(to: &json) }
            json.member("local", ifPresent: localAddress)
            json.member("peer", ifPresent: peerAddress)
            json.member("interface", ifPresent: interface)
            if let tls { json.member("tls", tls) }
            if let response { json.member("response", response) }
            json.member("answer", ifPresent: answer)
        }
    }
}

extension LookupReport: JSONRepresentable {
    /// Writes what one lookup came to.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("family", family.rawValue)
            json.member("start_us", start.microseconds)
            json.member("duration_us", duration.microseconds)
            json.name("addresses")
            json.array(addresses) { $0.string($1) }
            json.member("code", ifPresent: failure?.code.rawValue)
            json.member("evidence", ifPresent: failure?.evidence)
        }
    }
}

extension ConnectAttempt: JSONRepresentable {
    /// Writes one connection attempt.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("address", address)
            json.member("start_us", start.microseconds)
            json.member("duration_us", duration.microseconds)
            json.member("used", isUsed)
            json.member("code", ifPresent: failure?.code.rawValue)
            json.member("evidence", ifPresent: failure?.evidence)
        }
    }
}

extension ResponseReport: JSONRepresentable {
    /// Writes the response's head, and the size of its body; never the body, even if the report has it.
    ///
    /// The fields are as `ForeignText` shows text, up to 1 KiB each: a terminal may be what reads the JSON.
    public func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("http_version", httpVersion)
            json.member("status", status)
            json.name("headers")
            json.array(headers) { json, field in
                json.object { json in
                    json.member("name", ForeignText.shown(field.name))
                    json.member("value", field.isSecret ? "(not shown)" : ForeignText.shown(field.value, limit: 1024))
                }
            }
            json.member("body_bytes", bodyBytes)
            if let decodedBodyBytes { json.member("decoded_body_bytes", decodedBodyBytes) }
        }
    }
}
