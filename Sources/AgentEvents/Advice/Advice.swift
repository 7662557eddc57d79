/// A problem of a status, and the first thing to do about it.
///
/// Names and addresses in it are as the agent sent them: escape each part before a terminal or a page shows it.
public struct Advice: Sendable, Hashable {
    /// The code of the problem, such as `link_down`: docs/operations.md and docs/findings.md list them.
    public var code: String
    /// The problem, as a clause: `no carrier on eth0`.
    public var problem: String
    /// The first thing to do.
    public var action: Action

    /// Creates advice.
    public init(code: String, problem: String, action: Action) {
        self.code = code
        self.problem = problem
        self.action = action
    }

    /// Sentences with commands and addresses.
    ///
    /// A literal has its commands in backticks; an interpolated command quotes its words for the shell, so that it can
    /// be pasted regardless of interface names.
    public struct Action: Sendable, Hashable {
        /// A part of the sentences.
        public enum Part: Sendable, Hashable {
            /// Plain text.
            case text(String)
            /// A command that shows something, to paste.
            case command(String)
            /// A command that changes the machine, for people to decide about.
            case change(String)
            /// An address to open in a browser.
            case address(String)
        }

        /// The parts, in order.
        public private(set) var parts: [Part]

        /// The commands, in order.
        public var commands: [String] {
            parts.compactMap { part in
                switch part {
                case .command(let text), .change(let text): text
                case .text, .address: nil
                }
            }
        }

        /// The commands that change nothing, in order.
        package var steps: [String] {
            parts.compactMap { part in
                if case .command(let text) = part { text } else { nil }
            }
        }

        /// Concatenates two actions.
        static func + (first: Action, second: Action) -> Action {
            var sum = first
            sum.append(.text(" "))
            for part in second.parts { sum.append(part) }
            return sum
        }

        fileprivate mutating func append(_ part: Part) {
            if case .text(let text) = part, case .text(let before)? = parts.last {
                parts[parts.count - 1] = .text(before + text)
            } else {
                parts.append(part)
            }
        }

        fileprivate mutating func append(markup: String) {
            for (index, piece) in markup.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where !piece.isEmpty {
                append(index % 2 == 0 ? .text(String(piece)) : .command(String(piece)))
            }
        }
    }
}

extension Advice.Action: ExpressibleByStringInterpolation, CustomStringConvertible {
    /// The sentences, with commands in backticks.
    public var description: String {
        parts.map { part in
            switch part {
            case .text(let text), .address(let text): text
            case .command(let text), .change(let text): "`\(text)`"
            }
        }.joined()
    }

    /// Creates an action from the program's own sentences, with commands in backticks.
    public init(stringLiteral markup: String) {
        parts = []
        append(markup: markup)
    }

    /// Creates an action from sentences with names, commands and addresses.
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.action }

    /// The parts during interpolation.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var action: Advice.Action = ""

        /// Creates an interpolation without parts.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Adds text, with commands in backticks.
        public mutating func appendLiteral(_ markup: String) { action.append(markup: markup) }

        /// Adds a name.
        public mutating func appendInterpolation(_ name: String) { action.append(.text(name)) }

        /// Adds sentences.
        package mutating func appendInterpolation(_ sentences: Advice.Action) {
            for part in sentences.parts { action.append(part) }
        }

        /// Adds a command.
        package mutating func appendInterpolation(command: ShellCommand) { action.append(.command(command.text)) }

        /// Adds a command that changes the machine.
        package mutating func appendInterpolation(change: ShellCommand) { action.append(.change(change.text)) }

        /// Adds an address to open.
        package mutating func appendInterpolation(address: String) { action.append(.address(address)) }
    }
}

/// A command to paste, in which each interpolated word is quoted for the shell if necessary.
package struct ShellCommand: ExpressibleByStringInterpolation, Sendable, Hashable {
    /// The command.
    package let text: String

    package init(stringLiteral text: String) { self.text = text }

    /// Creates a command from its words.
    package init(words: [String]) { text = words.map(ShellWord.quoted).joined(separator: " ") }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

    /// The command during interpolation.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ word: String) { text += ShellWord.quoted(word) }
    }
}

/// Quotes words for a shell, so that a remedy can be pasted regardless of file names.
package enum ShellWord {
    /// Returns the word itself if it has no special character, otherwise in quotes; control characters are escaped
    /// (`$'\x0a'`).
    package static func quoted(_ word: String) -> String {
        if !word.isEmpty, word.utf8.allSatisfy(isPlain) { return word }
        guard word.unicodeScalars.contains(where: isControl) else {
            // By bytes: a combining mark after a quote makes another character of it for a `String`, not for a shell.
            let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
            return "'" + parts.map { Substring($0) }.joined(separator: #"'\''"#) + "'"
        }
        var text = "$'"
        for scalar in word.unicodeScalars {
            if isControl(scalar) {
                // All its bytes: in UTF-8, the control characters from U+0080 on have two.
                for byte in String(scalar).utf8 { text += #"\x"# + (byte < 16 ? "0" : "") + String(byte, radix: 16) }
            } else {
                if scalar == "'" || scalar == #"\"# { text += #"\"# }
                text.unicodeScalars.append(scalar)
            }
        }
        return text + "'"
    }

    /// Returns whether a character moves the cursor, ends the line or is invisible (general category Cc).
    package static func isControl(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.generalCategory == .control }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "/._-+:@%,=".utf8.contains(byte)
        }
    }
}
