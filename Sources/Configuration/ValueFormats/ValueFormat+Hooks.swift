internal import AgentEvents
internal import Hooks
internal import Probes

extension ValueFormat where Value == [EventType] {
    /// One or several event types without their prefix; sorted and without duplicates.
    static var eventTypes: ValueFormat {
        let several = ValueFormat<EventType>.eventType.oneOrMore(1...64)
        return ValueFormat(
            kind: several.kind,
            read: { node, errors in
                several.read(node, &errors).map { types in HookTrigger.types.filter(types.contains) }
            },
            text: several.text
        )
    }
}

extension ValueFormat where Value == EventType {
    /// An event type for which a hook can run.
    static var eventType: ValueFormat {
        .parsed(
            wanted: "a type of event such as \"reachability.changed\"",
            maxBytes: maxWordBytes,
            text: { TOMLText.quoted($0.shortName) },
            { string in
                if let type = HookTrigger.types.first(where: { $0.shortName == string }) { return type }
                throw ValueError(message: refusal(of: string))
            }
        )
    }

    private static func refusal(of string: String) -> String {
        let words = HookTrigger.types.map(\.shortName)
        let short = EventType.shortName(of: string)
        if short != string, words.contains(short) { return "'\(string)' is written without the prefix: '\(short)'" }
        if string == "hook.completed" { return "'hook.completed' is not a type for hooks: it would run them forever" }
        if string == EventType.agentStopping.shortName {
            return "'\(string)' is not a type for hooks: it is the agent's last event, after which nothing is started"
        }
        if EventType.allCases.contains(where: { !$0.isNumbered && $0.shortName == string }) {
            return "'\(string)' is not a type for hooks: it is sent to subscribers alone"
        }
        if let word = KeySuggestion.nearest(to: string, among: words) {
            return "'\(string)' is not a type of event; did you mean '\(word)'?"
        }
        return "'\(string)' is not a type of event; accepted are \(EventFacts.listed(Set(HookTrigger.types)))"
    }
}

extension ValueFormat where Value == [String] {
    private static var maxArgumentBytes: Int { 4096 }

    /// A program and its arguments.
    static var command: ValueFormat {
        let list = ValueFormat<String>.string(0...maxArgumentBytes).list(1...64)
        return ValueFormat(
            kind: list.kind,
            read: { node, errors in
                if case .string(let string) = node.value {
                    let isShort = string.utf8.count <= maxArgumentBytes
                    let correction = isShort ? "the array \(array(of: string))" : "an array of strings"
                    errors.append(ValueError(message: "no shell reads a command: write \(correction)"))
                    return nil
                }
                guard let arguments = list.read(node, &errors), let program = arguments.first else { return nil }
                if let place = arguments.firstIndex(of: "") {
                    errors.append(ValueError(message: "element \(place + 1) is empty"))
                    return nil
                }
                let slash = UInt8(ascii: "/")
                guard program.utf8.first == slash || !program.utf8.contains(slash) else {
                    let message = "'\(program)' is neither an absolute path nor a name that is looked for in PATH"
                    errors.append(ValueError(message: message))
                    return nil
                }
                return arguments
            },
            text: list.text
        )
    }

    /// Returns the array that a string probably means: its words, unless it has shell syntax.
    ///
    /// The string is searched by bytes: comparing characters of many combining marks takes quadratic time.
    static func array(of string: String) -> String {
        // A shell's script is one element, without the quotes that a shell removes.
        for shell in ["/bin/sh", "/bin/bash", "sh", "bash"] where string.utf8.starts(with: "\(shell) -c ".utf8) {
            var script = string.utf8.dropFirst(shell.utf8.count + 4)
            if let quote = script.first, "'\"".utf8.contains(quote), script.count > 1, script.last == quote {
                script = script.dropFirst().dropLast()
            }
            return TOMLText.array([shell, "-c", String(decoding: script, as: UTF8.self)].map(TOMLText.quoted))
        }
        let words = string.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        let special = "\"'\\$`|&;<>()*?[]{}~#\n\t"
        let isPlain = !words.isEmpty && words.count <= 8 && !string.utf8.contains(where: special.utf8.contains)
        return TOMLText.array((isPlain ? words : ["/bin/sh", "-c", string]).map(TOMLText.quoted))
    }
}

extension ValueFormat where Value == ProbeTarget {
    /// The URL of a request.
    static var webAddress: ValueFormat {
        .parsed(wanted: "a string such as \"https://example.org/hook\"", text: { TOMLText.quoted($0.description) }) {
            string in
            do throws(HTTPURLError) {
                return .http(try HTTPURL(parsing: string))
            } catch {
                throw ValueError(message: flaw(error))
            }
        }
    }

    /// Returns the flaw of a request's URL without any part of it: all of it may be a secret, and with a mistake in it a
    /// path may look like a host or a port.
    private static func flaw(_ error: HTTPURLError) -> String {
        switch error {
        case .notAbsolute, .unsupportedScheme: "begins with neither https:// nor http://"
        case .userInformation:
            "holds a user name or a password: write 'user:password' to a file, and name that in 'basic_auth_file'"
        case .invalidHost(_, let reason): "is not a usable URL: its host \(reason)"
        case .internationalizedHost:
            "is not a usable URL: its host is not in ASCII: give the A-label form of each label ('xn--…')"
        case .zone: "is not a usable URL: its host has a zone: leave it out, and set 'interface'"
        case .invalidPort: "is not a usable URL: its port is not a number from 1 to 65535"
        case .tooLong, .controlCharacter, .emptyHost: "is not a usable URL: \(error)"
        }
    }
}

extension ValueFormat where Value == WebhookBody {
    /// A string with variables.
    static func webhookBody(maxBytes: Int) -> ValueFormat {
        .parsed(wanted: "a string", maxBytes: maxBytes, text: { TOMLText.quoted($0.text) }) { string in
            guard (1...maxBytes).contains(string.utf8.count) else {
                throw ValueError(message: "must have 1 to \(maxBytes) bytes, and has \(string.utf8.count)")
            }
            return try WebhookBody(parsing: string)
        }
    }
}

extension ValueFormat where Value == String {
    /// An absolute path.
    static var absolutePath: ValueFormat {
        .parsed("path", wanted: "a path in quotes", text: TOMLText.quoted) { path in
            guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= 4095 else {
                throw ValueError(message: "'\(path)' is not an absolute path")
            }
            return path
        }
    }

    /// The name or the number of a user or a group, which need not exist.
    static func account(_ kind: String) -> ValueFormat {
        .parsed(wanted: "a \(kind)'s name or number in quotes", text: TOMLText.quoted) { name in
            let isNumber = name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // The highest number means none (setuid(2)).
            let isAccount =
                isNumber
                ? UInt32(name).map { $0 < .max } == true
                : (1...256).contains(name.utf8.count) && !name.hasPrefix("-")
                    && name.utf8.allSatisfy {
                        $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
                    }
            guard isAccount else { throw ValueError(message: "'\(name)' is not a valid name or number of a \(kind)") }
            return name
        }
    }

    /// A pattern for interface names.
    static var interfacePattern: ValueFormat {
        .parsed("pattern", wanted: "a string", text: TOMLText.quoted) { pattern in
            guard (1...64).contains(pattern.utf8.count) else {
                throw ValueError(message: "a pattern has 1 to 64 characters")
            }
            return pattern
        }
    }

    /// The code of a cause; only its format is validated.
    static var causeCode: ValueFormat {
        .parsed(wanted: "a string", text: TOMLText.quoted) { code in
            let isCode =
                (1...64).contains(code.utf8.count)
                && code.utf8.enumerated().allSatisfy { place, byte in
                    switch byte {
                    case UInt8(ascii: "a")...UInt8(ascii: "z"): true
                    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): place > 0
                    default: false
                    }
                }
            guard isCode else {
                throw ValueError(
                    message: "'\(code)' is not a valid code; codes are written like link_down or tls_expired"
                )
            }
            return code
        }
    }

    /// The name of an existing table `[KIND.NAME]`.
    static func existing(_ kind: String, among names: [String]) -> ValueFormat {
        .parsed(wanted: "a string", maxBytes: maxWordBytes, text: TOMLText.quoted) { name in
            if names.contains(name) { return name }
            guard let word = KeySuggestion.nearest(to: name, among: names) else {
                let table = TOMLPath([kind, name])
                throw ValueError(message: "there is no \(kind) '\(name)'; its table would be [\(table)]")
            }
            throw ValueError(message: "there is no \(kind) '\(name)'; did you mean '\(word)'?")
        }
    }
}

extension ValueFormat where Value == [String: String] {
    /// Environment variables of a program.
    static var variables: ValueFormat { ValueFormat<String>.string(0...4096).table(max: 128, flaw: flaw(ofVariable:)) }

    @Sendable private static func flaw(ofVariable name: String) -> String? {
        let isName =
            (1...256).contains(name.utf8.count)
            && name.utf8.allSatisfy { TOMLKey.isBare($0) && $0 != UInt8(ascii: "-") }
            && name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
        guard isName else { return "a variable's name has letters, digits and '_', and does not start with a digit" }
        if name.hasPrefix("REACH_") { return "variables that begin with REACH_ describe the event" }
        if SecretName.isSecret(name) { return "is a secret: write it to a file that the program reads" }
        return nil
    }
}
