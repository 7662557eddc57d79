internal import EventEnvelope
internal import Hooks
internal import Probes

extension Form {
    /// Besides a list a single value, which is a list of one.
    func orSingle<Element>(_ single: Form<Element>) -> Form where Value == [Element] {
        Form(
            read: { node, errors in
                switch node.value {
                case .array, .table: read(node, &errors)
                default: single.read(node, &errors).map { [$0] }
                }
            },
            text: text
        )
    }
}

extension Form where Value == [EventType] {
    /// Types of event without their prefix, as one text or several; in one order, and each once.
    static var eventTypes: Form {
        let single = Form<EventType>.eventType
        let several = single.list(1...64).orSingle(single)
        return Form(
            read: { node, errors in
                several.read(node, &errors).map { types in HookTrigger.types.filter(types.contains) }
            },
            text: several.text
        )
    }
}

extension Form where Value == EventType {
    /// A type of event that a hook can run for.
    static var eventType: Form {
        .parsed(
            wanted: "a type of event such as \"reachability.changed\", or an array of such",
            text: { TOMLText.quoted($0.shortName) },
            { string in
                if let type = HookTrigger.types.first(where: { $0.shortName == string }) { return type }
                throw ValueError(message: refusal(of: string))
            }
        )
    }

    private static func refusal(of string: String) -> String {
        let words = HookTrigger.types.map(\.shortName)
        let prefix = "reachagent."
        if string.hasPrefix(prefix), words.contains(String(string.dropFirst(prefix.count))) {
            return "'\(string)' is written without the prefix: '\(string.dropFirst(prefix.count))'"
        }
        if string == "hook.completed" { return "'hook.completed' is no type for hooks: it would run them for ever" }
        if string == EventType.agentStopping.shortName {
            return "'\(string)' is no type for hooks: it is the agent's last event, after which nothing is started"
        }
        if EventType.allCases.contains(where: { !$0.isNumbered && $0.shortName == string }) {
            return "'\(string)' is no type for hooks: it is sent to subscribers alone"
        }
        if let word = KeySuggestion.nearest(to: string, among: words) {
            return "'\(string)' is no type of event; did you mean '\(word)'?"
        }
        return "'\(string)' is no type of event; accepted are \(HookOccasion.listed(Set(HookTrigger.types)))"
    }
}

extension Form where Value == [String] {
    /// A program and its arguments.
    static var command: Form {
        let list = Form<String>.argument(1...4096).list(1...64)
        return Form(
            read: { node, errors in
                if case .string(let string) = node.value {
                    errors.append(ValueError(message: "no shell reads a command: write the array \(array(of: string))"))
                    return nil
                }
                guard let arguments = list.read(node, &errors), let program = arguments.first else { return nil }
                guard program.hasPrefix("/") || !program.contains("/") else {
                    let message = "'\(program)' is neither an absolute path nor a name that is looked for in PATH"
                    errors.append(ValueError(message: message))
                    return nil
                }
                return arguments
            },
            text: list.text
        )
    }

    /// What somebody probably meant who wrote a text: its words, where nothing in it is a shell's.
    private static func array(of string: String) -> String {
        let words = string.split(separator: " ").map(String.init)
        let isPlain = !words.isEmpty && words.count <= 8 && !string.contains { "\"'\\$`|&;<>()*?[]{}~#\n\t".contains($0) }
        return TOMLText.array((isPlain ? words : ["/bin/sh", "-c", string]).map(TOMLText.quoted))
    }
}

extension Form where Value == String {
    /// A text that a program can be given.
    static func argument(_ length: ClosedRange<Int>) -> Form {
        let plain = string(length)
        return .parsed(wanted: "a text", text: TOMLText.quoted) { text in
            guard !text.utf8.contains(0) else { throw ValueError(message: "holds the character NUL") }
            var errors: [ValueError] = []
            guard let text = plain.read(Node(value: .string(text), origin: Origin(file: "")), &errors) else {
                throw errors.first ?? ValueError(message: "is not accepted")
            }
            return text
        }
    }

    /// A path from the root on.
    static var absolutePath: Form {
        .parsed(wanted: "a path in quotes", text: TOMLText.quoted) { path in
            guard path.hasPrefix("/"), path.utf8.count <= 4095, !path.utf8.contains(0) else {
                throw ValueError(message: "'\(path)' is no absolute path")
            }
            return path
        }
    }

    /// The name or the number of a user or a group; whether there is one is seen when it is needed.
    static func account(_ kind: String) -> Form {
        .parsed(wanted: "a \(kind)'s name or number in quotes", text: TOMLText.quoted) { name in
            let isNumber = name.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            // The highest number stands for none (setuid(2)).
            let isAccount =
                isNumber
                ? UInt32(name).map { $0 < .max } == true
                : (1...256).contains(name.utf8.count) && !name.hasPrefix("-")
                    && name.utf8.allSatisfy {
                        $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
                    }
            guard isAccount else { throw ValueError(message: "'\(name)' is no name or number of a \(kind)") }
            return name
        }
    }

    /// A pattern for interfaces' names.
    static var interfacePattern: Form {
        .parsed(wanted: "a text or an array of texts", text: TOMLText.quoted) { pattern in
            guard (1...64).contains(pattern.utf8.count), !pattern.utf8.contains(0) else {
                throw ValueError(message: "a pattern has 1 to 64 characters")
            }
            return pattern
        }
    }

    /// The code of a cause. Checks may have codes that this agent does not know of, so that only the form is looked at.
    static var causeCode: Form {
        .parsed(wanted: "a text or an array of texts", text: TOMLText.quoted) { code in
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
                throw ValueError(message: "'\(code)' is no code; codes are written like link_down or tls_expired")
            }
            return code
        }
    }

    /// One of the names that tables `[KIND.NAME]` have.
    static func existing(_ kind: String, among names: [String]) -> Form {
        .parsed(wanted: "a text or an array of texts", text: TOMLText.quoted) { name in
            if names.contains(name) { return name }
            guard let word = KeySuggestion.nearest(to: name, among: names) else {
                throw ValueError(message: "there is no \(kind) '\(name)'; its table would be [\(KeyPath([kind, name]))]")
            }
            throw ValueError(message: "there is no \(kind) '\(name)'; did you mean '\(word)'?")
        }
    }
}

extension Form where Value == ProbeTarget {
    /// Where a request goes.
    static var webAddress: Form {
        .parsed(wanted: "a text such as \"https://example.org/hook\"", text: { TOMLText.quoted($0.description) }) {
            string in
            let scheme = string.prefix { $0 != ":" }.lowercased()
            // Nothing is quoted: what somebody takes for an address may have a password in it.
            guard ["http", "https"].contains(scheme) else {
                throw ValueError(message: "begins with neither https:// nor http://")
            }
            var errors: [ValueError] = []
            guard let target = target.read(Node(value: .string(string), origin: Origin(file: "")), &errors) else {
                throw errors.first ?? ValueError(message: "is not accepted")
            }
            return target
        }
    }
}

extension Form where Value == WebhookBody {
    /// A text with variables in it.
    static func webhookBody(atMost most: Int) -> Form {
        .parsed(wanted: "a text", text: { TOMLText.quoted($0.text) }) { string in
            guard (1...most).contains(string.utf8.count) else {
                throw ValueError(message: "must have 1 to \(most) bytes, and has \(string.utf8.count)")
            }
            return try WebhookBody(parsing: string)
        }
    }
}
