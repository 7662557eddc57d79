internal import ArgumentParser
internal import EventEnvelope
internal import EventSchema
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// How events are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
    case json, human, none
}

/// The forms of argument that need more than a type: each function names what is wrong and what is accepted.
enum Arguments {
    static func address(_ text: String) throws -> IPAddress {
        guard let address = IPAddress(text) else {
            throw ValidationError("'\(text)' is no IP address; accepted are forms like 192.0.2.7 and 2001:db8::7")
        }
        return address
    }

    static func kindOverride(_ text: String) throws -> KindOverride {
        do {
            return try KindOverride(parsing: text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    static func target(_ text: String) throws -> Target {
        guard let separator = text.firstIndex(of: "=") else {
            throw ValidationError("'\(text)' is not of the form NAME=ADDRESS, such as 'office=192.0.2.7'")
        }
        let name = String(text[..<separator])
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isPlain, (1...64).contains(name.utf8.count) else {
            throw ValidationError("target name '\(name)' must be 1 to 64 letters, digits, '-', '_' or '.'")
        }
        guard ![EventDraft.defaultSubject, EventDraft.agentSubject].contains(name) else {
            throw ValidationError("target name '\(name)' is taken by the agent's own events; choose another")
        }
        return Target(name: name, address: try address(String(text[text.index(after: separator)...])))
    }

    /// A duration with a unit: `250ms`, `1.5s`, `2m`, or `0`.
    static func duration(_ text: String) throws -> Duration {
        try span(
            text,
            units: [("ms", 1), ("s", 1000), ("m", 60_000)],
            atMost: ("60m", 3_600_000),
            like: "0 and forms like 250ms, 1.5s and 2m"
        )
    }

    /// How long something is kept: `90m`, `12h`, `30d`.
    static func age(_ text: String) throws -> Duration {
        try span(
            text,
            units: [("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)],
            atMost: ("36500d", 36_500 * 86_400_000),
            like: "forms like 90m, 12h and 30d"
        )
    }

    private static func span(
        _ text: String,
        units: [(suffix: String, milliseconds: Double)],
        atMost limit: (text: String, milliseconds: Double),
        like forms: String
    ) throws -> Duration {
        let malformed = ValidationError("'\(text)' is no duration; accepted are \(forms)")
        if text == "0" { return .zero }
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { throw malformed }
        let digits = text.dropLast(unit.suffix.count)
        guard !digits.isEmpty, digits.count <= 12, digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            let value = Double(digits)
        else { throw malformed }
        let milliseconds = value * unit.milliseconds
        guard milliseconds <= limit.milliseconds else {
            throw ValidationError("'\(text)' is too long; at most \(limit.text) is accepted")
        }
        return .milliseconds(milliseconds)
    }

    /// A number of bytes with a unit: `512K`, `8M`, `2G` (powers of 1024).
    static func byteCount(_ text: String) throws -> Int {
        let units: [(suffix: String, bytes: Int)] = [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("", 1)]
        let malformed = ValidationError("'\(text)' is no size; accepted are forms like 512K, 8M and 2G")
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { throw malformed }
        let digits = text.dropLast(unit.suffix.count)
        guard digits.count <= 12, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let value = Int(digits) else {
            throw malformed
        }
        let (bytes, overflow) = value.multipliedReportingOverflow(by: unit.bytes)
        guard !overflow, bytes <= 1 << 40 else {
            throw ValidationError("'\(text)' is too large; at most 1024G is accepted")
        }
        return bytes
    }

    /// Permission bits in octal: `0660`.
    static func mode(_ text: String) throws -> UInt32 {
        guard text.count <= 4, let mode = UInt32(text, radix: 8), mode <= 0o777 else {
            throw ValidationError("'\(text)' is no mode; accepted are octal permission bits such as 0660")
        }
        return mode
    }
}

extension Arguments {
    /// A duration in seconds, or with a unit as ``duration(_:)`` reads it.
    static func seconds(_ text: String) throws -> Duration {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return try duration(text) }
        guard text.utf8.count <= 12, let seconds = Double(text), seconds <= 31_536_000 else {
            throw ValidationError(
                "'\(text)' is no number of seconds up to a year; accepted are forms like 30, 1.5 and 2m"
            )
        }
        return .milliseconds(Int64(seconds * 1000))
    }

    static func headerField(_ text: String) throws -> HeaderField {
        guard let colon = text.firstIndex(of: ":") else {
            throw ValidationError("a '--header' has no colon; accepted are forms like 'Accept: text/plain'")
        }
        return HeaderField(name: String(text[..<colon]), value: String(text[text.index(after: colon)...]))
    }

    static func parameter(_ text: String) throws -> Parameter {
        guard let separator = text.firstIndex(of: "="), separator != text.startIndex else {
            throw ValidationError("'\(text)' is not of the form NAME=VALUE")
        }
        return Parameter(
            name: String(text[..<separator]),
            value: String(text[text.index(after: separator)...])
        )
    }

    static func probeTarget(_ text: String) throws -> ProbeTarget {
        do {
            return try ProbeTarget(parsing: text)
        } catch {
            throw ValidationError(error.description)
        }
    }

    /// `HOST:PORT`, with an IPv6 address in brackets.
    static func endpoint(_ text: String) throws -> Probe.Endpoint {
        guard case .tcp(let host, let port)? = try? ProbeTarget(parsing: "tcp://\(text)") else {
            throw ValidationError("'\(text)' is not of the form HOST:PORT, such as 'host.example:443' or '[::1]:443'")
        }
        return Probe.Endpoint(host: host, port: port)
    }

    static func tlsVersion(_ text: String) throws -> TLSOptions.Version {
        guard let version = TLSOptions.Version(rawValue: text) else {
            throw ValidationError("'\(text)' is no TLS version that is spoken here; accepted are 1.2 and 1.3")
        }
        return version
    }

    static func statusCodes(_ text: String) throws -> StatusCodes {
        try expectation { () throws(ExpectationError) in try StatusCodes(parsing: text) }
    }

    static func bodyMatches(_ text: String) throws -> BodyExpectation {
        try expectation { () throws(ExpectationError) in .matches(try BodyPattern(parsing: text)) }
    }

    static func jsonExpectation(_ text: String) throws -> BodyExpectation {
        try expectation { () throws(ExpectationError) in .json(try JSONExpectation(parsing: text)) }
    }

    private static func expectation<Value>(_ make: () throws(ExpectationError) -> Value) throws -> Value {
        do {
            return try make()
        } catch {
            throw ValidationError(error.description)
        }
    }
}
