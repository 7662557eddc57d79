/// One program to start.
package struct HookLaunch: Sendable {
    /// The file that was checked; it is executed by its descriptor.
    package var file: HookFile
    /// What the program is told as its own name; nil for the file's real path.
    ///
    /// A program that is many (busybox) goes by the name that it was called by, not by the file that the link leads to.
    package var name: String?
    /// The arguments, without the program's own name.
    package var arguments: [String]
    /// The whole environment.
    package var environment: [String: String]
    /// The folder that it runs in.
    package var workingDirectory: String
    /// Whom it runs as; nil for the agent's own user.
    package var account: HookAccount?
    /// What it reads from standard input.
    package var input: [UInt8]
    /// How long it may take.
    package var timeout: Duration

    /// A program that runs as the agent's user in `/`.
    package init(
        file: HookFile,
        name: String? = nil,
        arguments: [String] = [],
        environment: [String: String],
        workingDirectory: String = "/",
        account: HookAccount? = nil,
        input: [UInt8] = [],
        timeout: Duration
    ) {
        self.file = file
        self.name = name
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.account = account
        self.input = input
        self.timeout = timeout
    }
}
