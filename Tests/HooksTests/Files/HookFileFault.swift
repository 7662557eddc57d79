import Glibc
import Testing

@testable import Hooks

/// A fault of a file, and its remedy.
struct HookFileFault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: HookRefusal.Code
    /// The name of the file or directory at fault; `hook` unless it is another one.
    var culprit = "hook"
    let evidence: String
    /// The remedy, with `PATH` in place of the culprit's path.
    let remedy: String
    var runAs: HookAccount?
    /// `true` when only root can make the fault.
    var takesRoot = false
    /// The action that replaces the remedy when the remedy is not a command.
    var mend: (@Sendable (ScratchDirectory) throws -> Void)?
    /// Makes it, below `hook`.
    let make: @Sendable (ScratchDirectory) throws -> Void

    /// All of them.
    static let all: [HookFileFault] =
        presence + kinds + rights + directories + interpreters + interpreterTrust
}

/// The parts that several faults have in common.
extension HookFileFault {
    static let replaced: @Sendable (ScratchDirectory) throws -> Void = { scratch in
        try ScratchDirectory.check("remove", remove(scratch("hook")))
        try scratch.file("hook")
    }

    static let stranger = HookAccount(uid: 12345, gid: 12345, groups: [12345], name: "stranger")
    static let correct = "put the file there, or correct the path"
    static let program = "put a program or a script in its place"
    static let foreignDirectory =
        "move the hook into a directory that root owns; or, if nothing else uses this one: chown root:root PATH"
}
