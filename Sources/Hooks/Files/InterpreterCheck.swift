internal import AgentEvents
internal import Glibc

/// Checks the programs started by a script's first line: its interpreter, and if that is env(1), the program that env
/// starts.
///
/// They determine the execution as much as the script does, so they are checked in the same way. The kernel opens them
/// by path; every directory and link on it is checked too, so only root and the agent's user can replace them.
struct InterpreterCheck {
    /// The maximum depth of interpreters that are scripts themselves; the kernel follows no more than four.
    private static let maximumLevels = 4

    let runAs: HookAccount?
    let agent: UInt32
    /// The hook's `PATH`.
    let searchPath: String
    /// The number of scripts on the way to this one.
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
        guard interpreter.path.split(separator: "/").last == "env" else { return }
        guard let name = Self.program(ofEnv: interpreter.argument) else {
            let evidence = "its first line does not tell for certain which program env starts"
            throw refusal(script, evidence, "name the interpreter itself after '#!'")
        }
        let folders = searchPath.split(separator: ":", omittingEmptySubsequences: false)
        guard folders.allSatisfy({ $0.hasPrefix("/") }), let path = HookFile.program(name, in: searchPath) else {
            let word = ShellWord.quoted(name)
            let evidence = "env finds its interpreter \(word) in none of the folders \(ShellWord.quoted(searchPath))"
            throw refusal(script, evidence, "install \(word), or correct the first line")
        }
        guard path.hasPrefix("/") else { throw .start(script, .relative(path)) }
        try checkProgram(path, of: script)
    }

    /// Returns the program that env(1) starts with this argument; nil when an option or a variable could change it.
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
                errno == ENOENT || errno == ENOTDIR ? "is not there" : "cannot be looked at: \(SystemText.of(errno))"
        } else if entry.st_mode & S_IFMT != S_IFREG {
            fault = "is \(SystemText.kind(entry.st_mode))"
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
