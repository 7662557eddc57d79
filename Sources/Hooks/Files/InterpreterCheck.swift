internal import Glibc

/// The check of the programs that a script's first line has started: its interpreter, and where that is env(1), the program
/// that env starts.
///
/// They decide what runs as much as the script does, so they are checked as the script is. The kernel opens them by their
/// path; every folder and link on the way is checked too, so nobody but root and the agent's user can exchange them.
struct InterpreterCheck {
    /// The interpreters that are scripts themselves which are followed; the kernel follows no more than four.
    private static let mostLevels = 4

    let runAs: HookAccount?
    let agent: UInt32
    /// The hook's `PATH`.
    let searchPath: String
    /// How many scripts have led here.
    let level: Int

    /// Checks what a script's first line names.
    func check(_ interpreter: Interpreter, of script: String) throws(HookRefusal) {
        guard level < Self.mostLevels else {
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

    /// The program that env(1) starts with this argument; nil when an option or a variable could make it another one.
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
