internal import CLinux

/// The command line of the process.
package enum ProgramArguments {
    /// The arguments after the program's name.
    ///
    /// `CommandLine.arguments` reads `/proc/self/cmdline`, and is empty where `/proc` is not mounted: each command line
    /// would be one without a command.
    package static var afterName: [String] {
        var arguments: [String] = []
        while let argument = clinux_argument(CInt(arguments.count + 1)) { arguments.append(String(cString: argument)) }
        return arguments
    }
}
