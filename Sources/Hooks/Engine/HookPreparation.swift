internal import Glibc
internal import LinuxSupport

/// Finds, opens and checks the program of a hook, and prepares its input and environment.
///
/// Accesses files, so it can block for as long as a file system does, and must not run on an event loop.
struct HookPreparation: Sendable {
    /// The program to start.
    var launch: HookLaunch
    /// The `REACH_*` variables, which are also in its environment.
    var variables: [String: String]

    /// - Throws: The reason the program is not run.
    init(
        _ hook: RunnableHook,
        _ command: HookCommand,
        for offer: HookOffer,
        superseded: Int
    ) throws(HookRefusal) {
        let account = try HookAccount.resolve(user: command.user, group: command.group)
        let path = try Self.path(of: command)
        let searchPath = command.environment["PATH"] ?? HookEnvironment.path
        let file = try HookFile.open(path, runAs: account, searchPath: searchPath)
        try Self.checkDirectory(command.workingDirectory)
        variables = hook.variables(for: offer, path: file.path, superseded: superseded)
        launch = HookLaunch(
            file: file,
            // The behaviour of a multi-call program depends on the name by which it is called.
            name: path,
            arguments: Array(command.arguments.dropFirst()),
            environment: HookEnvironment.environment(variables, account: account, own: command.environment),
            workingDirectory: command.workingDirectory,
            account: account,
            input: Self.input(offer.event),
            timeout: hook.timeout
        )
    }

    /// Returns the standard input of a program: the event's line with its newline.
    static func input(_ event: HookEvent) -> [UInt8] { event.line + [UInt8(ascii: "\n")] }

    private static func path(of command: HookCommand) throws(HookRefusal) -> String {
        let name = command.arguments.first ?? ""
        if name.contains("/" as Character) { return name }
        if let path = HookFile.program(name) { return path }
        throw HookRefusal(
            .missing,
            path: name,
            evidence: "no program of this name in \(HookEnvironment.path)",
            remedy: "install it, or give its whole path"
        )
    }

    private static func checkDirectory(_ path: String) throws(HookRefusal) {
        var status = stat()
        if stat(path, &status) != 0 {
            let reason = SystemError(errno: errno).description
            throw HookRefusal(
                .workingDirectory,
                path: path,
                evidence: reason,
                remedy: "make it, or configure another one"
            )
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw HookRefusal(
                .workingDirectory,
                path: path,
                evidence: "it is not a directory",
                remedy: "configure the path of a directory"
            )
        }
    }
}

extension HookPreparation {
    /// The reason a program cannot be started.
    enum Failure: Error, Sendable {
        case refused(HookRefusal)
        case noThread(errno: Int32)

        /// The outcome of a run that failed here.
        var outcome: HookRunEnd.Outcome {
            switch self {
            case .refused(let refusal) where refusal.shortage != nil:
                .notStarted(reason: "\(refusal.path) \(refusal.evidence)")
            case .refused(let refusal): .refused(refusal)
            case .noThread(let errno): .notStarted(reason: "no thread: \(SystemError(errno: errno))")
            }
        }
    }

    /// Creates a preparation as a result.
    static func make(
        _ hook: RunnableHook,
        _ command: HookCommand,
        for offer: HookOffer,
        superseded: Int
    ) -> Result<HookPreparation, Failure> {
        do throws(HookRefusal) {
            return .success(try HookPreparation(hook, command, for: offer, superseded: superseded))
        } catch {
            return .failure(.refused(error))
        }
    }
}
