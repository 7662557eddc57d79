extension Form where Value == String {
    /// A path from the root on.
    static var absolutePath: Form {
        .parsed(wanted: "a path in quotes", text: TOMLText.quoted) { path in
            guard path.hasPrefix("/"), path.utf8.count <= 4095 else {
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
        .parsed(wanted: "a text", text: TOMLText.quoted) { pattern in
            guard (1...64).contains(pattern.utf8.count) else {
                throw ValueError(message: "a pattern has 1 to 64 characters")
            }
            return pattern
        }
    }

    /// The code of a cause; only its form is looked at.
    static var causeCode: Form {
        .parsed(wanted: "a text", text: TOMLText.quoted) { code in
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
        .parsed(wanted: "a text", text: TOMLText.quoted) { name in
            if names.contains(name) { return name }
            guard let word = KeySuggestion.nearest(to: name, among: names) else {
                let table = KeyPath([kind, name])
                throw ValueError(message: "there is no \(kind) '\(name)'; its table would be [\(table)]")
            }
            throw ValueError(message: "there is no \(kind) '\(name)'; did you mean '\(word)'?")
        }
    }
}
