internal import ForeignText

/// Sentences for invalid command lines, with their corrections.
///
/// swift-argument-parser has words of its own, some of them on several lines.
package enum CommandMistake {
    /// Returns the sentence for a program beside `reachagent`, on one line without control characters.
    ///
    /// - Parameters:
    ///   - message: The parser's message.
    ///   - arguments: The arguments, without the name of the program.
    ///   - commands: The names of the program's commands; empty for a program without any.
    ///   - help: The help of the command that the arguments select, which lists its options.
    package static func sentence(
        _ message: String,
        _ arguments: [String],
        commands: [String] = [],
        help: String
    ) -> String {
        ForeignText.line(
            command(arguments, among: commands) ?? option(in: message, among: options(in: help)) ?? value(in: message)
                ?? message
        )
    }

    private static func command(_ arguments: [String], among commands: [String]) -> String? {
        guard let word = arguments.first, !commands.isEmpty, !commands.contains(word), word != "help",
            !word.hasPrefix("-")
        else { return nil }
        return unknownCommand(word, among: commands)
    }

    private static func option(in message: String, among options: [String]) -> String? {
        let start = "Unknown option '"
        guard message.hasPrefix(start) else { return nil }
        return unknownOption(String(message.dropFirst(start.count).prefix { $0 != "'" }), among: options)
    }

    /// Returns the sentence for a value that is none of those which an option accepts.
    private static func value(in message: String) -> String? {
        let start = "The value '"
        guard message.hasPrefix(start),
            case let rest = message.dropFirst(start.count), let middle = rest.firstRange(of: "' is invalid for '"),
            case let end = rest[middle.upperBound...], let list = end.firstRange(of: "'. Please provide one of ")
        else { return nil }
        let value = String(rest[..<middle.lowerBound])
        let words = values(listedIn: end[list.upperBound...])
        guard !words.isEmpty else { return nil }
        let shown = ForeignText.shown(value, limit: 64)
        return "'\(end[..<list.lowerBound])': expected \(listed(words)), got '\(shown)'"
            + KeySuggestion.question(about: value, among: words)
    }
}

// The pieces of such sentences.
extension CommandMistake {
    /// Returns the sentence for a command that does not exist, with the nearest one, or all of them.
    package static func unknownCommand(_ word: String, among names: [String]) -> String {
        let question = KeySuggestion.question(about: word, among: names)
        return "there is no command '\(ForeignText.shown(word, limit: 64))'"
            + (question.isEmpty ? "; there are \(names.sorted().joined(separator: ", "))" : question)
    }

    /// Returns the sentence for an option that does not exist, with the nearest one.
    package static func unknownOption(_ name: String, among options: [String]) -> String {
        let nearest = KeySuggestion.nearest(
            to: String(name.drop { $0 == "-" }),
            among: options.map { String($0.dropFirst(2)) }
        )
        return "there is no option '\(ForeignText.shown(name, limit: 64))'"
            + (nearest.map { "; did you mean '--\($0)'?" } ?? "")
    }

    /// Returns the long options in the help of a command.
    package static func options(in help: String) -> [String] {
        help.split(separator: "\n").filter { $0.hasPrefix("  -") }
            .flatMap { $0.split { $0 == " " || $0 == "," } }.filter { $0.hasPrefix("--") }.map(String.init)
    }

    /// Returns the values that the parser lists for an option: quoted words, or one on each line.
    package static func values(listedIn text: Substring) -> [String] {
        text.drop { $0 != "'" && $0 != "-" }.split { "' \n.".contains($0) }.map(String.init).filter { word in
            !["-", "or", "and", ","].contains(word)
        }
    }

    /// Returns words as a list: `a, b or c`.
    package static func listed(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return "\(words.dropLast().joined(separator: ", ")) or \(last)"
    }
}
