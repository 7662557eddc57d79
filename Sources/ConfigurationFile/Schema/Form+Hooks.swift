internal import EventEnvelope
internal import Hooks
internal import Probes

extension Form {
    /// Besides a list a single text, which is a list of one.
    func orSingle<Element>(_ single: Form<Element>) -> Form where Value == [Element] {
        Form(
            read: { node, errors in
                switch node.value {
                case .array: return read(node, &errors)
                case .string: return single.read(node, &errors).map { [$0] }
                default:
                    errors.append(.wrongKind(of: node, wanted: "a text or an array of texts"))
                    return nil
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
            wanted: "a type of event such as \"reachability.changed\"",
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
        return "'\(string)' is no type of event; accepted are \(EventFacts.listed(Set(HookTrigger.types)))"
    }
}

extension Form where Value == [String] {
    /// A program and its arguments.
    static var command: Form {
        let list = Form<String>.string(0...4096).list(1...64)
        return Form(
            read: { node, errors in
                if case .string(let string) = node.value {
                    errors.append(ValueError(message: "no shell reads a command: write the array \(array(of: string))"))
                    return nil
                }
                guard let arguments = list.read(node, &errors), let program = arguments.first else { return nil }
                if let place = arguments.firstIndex(of: "") {
                    errors.append(ValueError(message: "element \(place + 1) is empty"))
                    return nil
                }
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
        let special = "\"'\\$`|&;<>()*?[]{}~#\n\t"
        let isPlain = !words.isEmpty && words.count <= 8 && !string.contains(where: special.contains)
        return TOMLText.array((isPlain ? words : ["/bin/sh", "-c", string]).map(TOMLText.quoted))
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
