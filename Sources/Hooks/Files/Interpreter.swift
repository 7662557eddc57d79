internal import AgentEvents
internal import Glibc
internal import LinuxSupport

/// The first line of a script: `#!` and a program, with at most one argument (execve(2)).
package struct Interpreter: Sendable, Hashable {
    /// The number of bytes of a file that the kernel reads (`BINPRM_BUF_SIZE`).
    package static let maximumBytes = 256

    /// The reason a file's first bytes do not determine how it is run.
    package enum Mistake: Error, Sendable, Hashable, CustomStringConvertible {
        /// The file is empty.
        case empty
        /// The format is neither that of a script nor of a program.
        case unknownFormat
        /// No program is named after `#!`.
        case unnamed
        /// The name exceeds the bytes that the kernel reads.
        case tooLong
        /// The line has a Windows line ending, and the kernel treats the carriage return as part of the last word.
        case carriageReturn
        /// The name is not an absolute path, so it depends on the working directory.
        case relative(String)
        /// The line is not UTF-8.
        case notText

        /// The error, as a sentence about the file.
        package var description: String {
            switch self {
            case .empty: "is empty"
            case .unknownFormat: "has no '#!' line and is not an ELF program"
            case .unnamed: "its first line names no interpreter after '#!'"
            case .tooLong: "its first line is longer than the \(maximumBytes) bytes that the kernel reads"
            case .carriageReturn: "its first line ends with a carriage return"
            case .relative(let name): "its interpreter \(ShellWord.quoted(name)) is not an absolute path"
            case .notText: "its first line is not UTF-8"
            }
        }
    }

    /// The program; always absolute.
    package var path: String
    /// The rest of the line as one argument.
    package var argument: String?

    /// Parses a file's first bytes; those beyond ``maximumBytes`` are ignored.
    ///
    /// - Returns: The interpreter; nil for an ELF program, which needs none.
    package static func reading(_ bytes: [UInt8]) throws(Mistake) -> Interpreter? {
        if bytes.isEmpty { throw .empty }
        if bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { return nil }
        guard bytes.starts(with: [UInt8(ascii: "#"), UInt8(ascii: "!")]) else { throw .unknownFormat }
        // As in the kernel's buffer, zeros follow a shorter file, and a zero ends a word.
        let buffer = bytes.prefix(maximumBytes) + [UInt8](repeating: 0, count: max(0, maximumBytes - bytes.count))
        var line = buffer.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        if line.endIndex == buffer.endIndex {
            let words = line.drop(while: isBlank)
            if !words.isEmpty, words.allSatisfy({ !isBlank($0) && $0 != 0 }) { throw .tooLong }
            line.removeLast()
        }
        while let last = line.last, isBlank(last) { line.removeLast() }

        line = line.drop(while: isBlank)
        let name = line.prefix { !isBlank($0) && $0 != 0 }
        if name.isEmpty { throw .unnamed }
        // A zero after the name means no argument; a later zero ends the argument.
        var argument = line.dropFirst(name.count)
        argument = argument.first == 0 ? [] : argument.drop(while: isBlank).prefix { $0 != 0 }
        if (argument.last ?? name.last) == UInt8(ascii: "\r") { throw .carriageReturn }

        guard let path = String(validating: name, as: UTF8.self),
            let word = String(validating: argument, as: UTF8.self)
        else { throw .notText }
        guard path.utf8.first == UInt8(ascii: "/") else { throw .relative(path) }
        return Interpreter(path: path, argument: word.isEmpty ? nil : word)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

/// Checks the programs started by a script's first line: its interpreter, and if that is env(1), the program that env
/// starts.
///
/// They determine the execution as much as the script does, so they are checked in the same way. The kernel opens them
/// by path, so every directory and link on that path is checked too: only root and the agent's user can replace them.
struct InterpreterCheck {
    /// The maximum depth of interpreters that are scripts themselves; the kernel follows no more than four.
    private static let maximumLevels = 4

    let runAs: HookAccount?
    let agent: UInt32
    /// The hook's `PATH`.
    let searchPath: String
    /// The number of scripts that led to this one.
    let level: Int

    /// Checks the interpreter of a script.
    func check(_ interpreter: Interpreter, of script: String) throws(HookRefusal) {
        guard level < Self.maximumLevels else {
            throw refusal(
                script,
                "its interpreter is a script, whose interpreters are scripts too",
                "name a program after '#!'"
            )
        }
        try checkProgram(interpreter.path, of: script)
        guard interpreter.path.utf8.split(separator: UInt8(ascii: "/")).last?.elementsEqual("env".utf8) == true else {
            return
        }
        guard let name = Self.program(ofEnv: interpreter.argument) else {
            let evidence = "its first line does not determine which program env starts"
            throw refusal(script, evidence, "name the interpreter itself after '#!'")
        }
        let directories = searchPath.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard directories.allSatisfy({ $0.first == UInt8(ascii: "/") }),
            let path = HookFile.program(name, in: searchPath)
        else {
            let word = ShellWord.quoted(name)
            let evidence =
                "env finds its interpreter \(word) in none of the directories \(ShellWord.quoted(searchPath))"
            throw refusal(script, evidence, "install \(word), or correct the first line")
        }
        guard path.hasPrefix("/") else { throw .start(script, .relative(path)) }
        try checkProgram(path, of: script)
    }

    /// Returns the program that env(1) starts with this argument; nil if an option or a variable could change it.
    static func program(ofEnv argument: String?) -> String? {
        guard let argument else { return nil }
        var words = [argument[...]]
        if argument.hasPrefix("-S") {
            let line = argument.dropFirst(2)
            guard !line.contains(where: { "\\'\"$#".contains($0) }) else { return nil }
            words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        }
        guard let name = words.first, !name.isEmpty, !name.hasPrefix("-"), !name.contains("=" as Character) else {
            return nil
        }
        return String(name)
    }

    private func checkProgram(_ program: String, of script: String) throws(HookRefusal) {
        var entry = stat()
        let fault: String
        if stat(program, &entry) != 0 {
            fault =
                errno == ENOENT || errno == ENOTDIR
                ? "is not there" : "cannot be examined: \(SystemError(errno: errno))"
        } else if entry.st_mode & S_IFMT != S_IFREG {
            fault = "is \(ModeText.kind(entry.st_mode))"
        } else if entry.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH) == 0 {
            fault = "is not executable"
        } else {
            return try open(program, of: script)
        }
        let name = ShellWord.quoted(program)
        throw refusal(script, "its interpreter \(name) \(fault)", "install \(name), or correct the first line")
    }

    private func open(_ program: String, of script: String) throws(HookRefusal) {
        do throws(HookRefusal) {
            _ = try HookFile.open(program, runAs: runAs, agent: agent, searchPath: searchPath, level: level + 1)
        } catch {
            var refusal = error
            refusal.evidence += "; \(ShellWord.quoted(script)) is run by it"
            throw refusal
        }
    }

    private func refusal(_ script: String, _ evidence: String, _ remedy: String) -> HookRefusal {
        HookRefusal(.noInterpreter, path: script, evidence: evidence, remedy: remedy)
    }
}
