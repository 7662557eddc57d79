internal import ForeignText

/// The sentence for an invalid command line of a program beside `reachagent`, with its correction.
///
/// swift-argument-parser has words of its own, some of them on several lines.
package enum CommandMistake {
    /// Returns the sentence, on one line without control characters.
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
        let question = KeySuggestion.question(about: word, among: commands)
        return "there is no command '\(ForeignText.shown(word, limit: 64))'"
            + (question.isEmpty ? "; there are \(commands.sorted().joined(separator: ", "))" : question)
    }

    private static func option(in message: String, among options: [String]) -> String? {
        let start = "Unknown option '"
        guard message.hasPrefix(start) else { return nil }
        let option = String(message.dropFirst(start.count).prefix { $0 != "'" })
        let names = options.map { String($0.dropFirst(2)) }
        let question = KeySuggestion.nearest(to: String(option.drop { $0 == "-" }), among: names).map {
            "; did you mean '--\($0)'?"
        }
        return "there is no option '\(ForeignText.shown(option, limit: 64))'" + (question ?? "")
    }

    /// Returns the sentence for a value that is none of those which an option accepts.
    private static func value(in message: String) -> String? {
        let start = "The value '"
        guard message.hasPrefix(start),
            case let rest = message.dropFirst(start.count), let middle = rest.firstRange(of: "' is invalid for '"),
            case let end = rest[middle.upperBound...], let list = end.firstRange(of: "'. Please provide one of ")
        else { return nil }
        let value = String(rest[..<middle.lowerBound])
        // Quoted words, or a list with a line for each.
        let listed = end[list.upperBound...].drop { $0 != "'" && $0 != "-" }
        let words = listed.split { "' \n.".contains($0) }.map(String.init).filter { word in
            !["-", "or", "and", ","].contains(word)
        }
        guard let last = words.last else { return nil }
        let known = words.count > 1 ? "\(words.dropLast().joined(separator: ", ")) or \(last)" : last
        let shown = ForeignText.shown(value, limit: 64)
        return "'\(end[..<list.lowerBound])': expected \(known), got '\(shown)'"
            + KeySuggestion.question(about: value, among: words)
    }

    /// Returns the long options in the help of a command.
    private static func options(in help: String) -> [String] {
        help.split(separator: "\n").filter { $0.hasPrefix("  -") }
            .flatMap { $0.split { $0 == " " || $0 == "," } }.filter { $0.hasPrefix("--") }.map(String.init)
    }
}
