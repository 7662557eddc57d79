/// Why a file is not run, and what mends that.
public struct HookRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable codes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no such file.
        case missing = "hook_missing"
        /// The file cannot be looked at.
        case unreadable = "hook_unreadable"
        /// It is no regular file.
        case notRegular = "hook_not_regular"
        /// Its owner is neither root nor the agent's user.
        case owner = "hook_owner"
        /// Its group or everybody can write to it.
        case writable = "hook_writable"
        /// A folder above it belongs to somebody else, or can be written to by others.
        case folder = "hook_folder"
        /// It has the set-user-ID or set-group-ID bit.
        case setuid = "hook_setuid"
        /// Nobody, or not the user it is to run as, may execute it.
        case notExecutable = "hook_not_executable"
        /// It begins with no `#!` line and is no program, or the interpreter that the line names is not there.
        case noInterpreter = "hook_no_interpreter"
        /// The user or group that it is to run as does not exist, or the agent may not become it.
        case user = "hook_user"
        /// The working directory is not there.
        case workingDirectory = "hook_working_directory"
    }

    /// The code.
    public var code: Code
    /// The file or folder that is at fault.
    public var path: String
    /// What was found.
    public var evidence: String
    /// A command or a few words that mend it.
    public var remedy: String
    /// The error of a machine that is short of something, when that is why the file could not be looked at.
    ///
    /// Nothing is wrong with the file then, and the next run may find it right.
    package var shortage: Int32?

    /// A refusal.
    public init(_ code: Code, path: String, evidence: String, remedy: String) {
        self.code = code
        self.path = path
        self.evidence = evidence
        self.remedy = remedy
    }

    /// All of it in one line.
    public var description: String { "\(code.rawValue) (\(path)): \(evidence); \(remedy)" }
}
