/// One program to start.
package struct HookLaunch: Sendable {
    /// The checked file; it is executed by its descriptor.
    package var file: HookFile
    /// The program's own name (`argv[0]`); nil for the file's real path.
    ///
    /// A multi-call program (busybox) depends on the name by which it was called, not on the file to which the link
    /// leads.
    package var name: String?
    /// The arguments, without the program's own name.
    package var arguments: [String]
    /// The whole environment.
    package var environment: [String: String]
    /// The working directory.
    package var workingDirectory: String
    /// The account to run as; nil for the agent's own user.
    package var account: HookAccount?
    /// The standard input.
    package var input: [UInt8]
    /// The timeout.
    package var timeout: Duration

    /// Creates a launch; by default as the agent's user in `/`.
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
