/// The plan of a hook's run for an event, without running it.
package struct HookPlan: Sendable, Hashable {
    /// The planned action.
    package enum Action: Sendable, Hashable {
        /// Run a program.
        case program(Program)
        /// Send a request.
        case request(method: String, url: String)
        /// Nothing, because the program is not trusted or cannot be run.
        case refused(HookRefusal)
    }

    /// A program that passed all checks.
    package struct Program: Sendable, Hashable {
        /// The path of the file, without links.
        package var path: String
        /// The arguments, the program's name first.
        package var arguments: [String]
        /// The whole environment.
        package var environment: [String: String]
        /// The working directory.
        package var workingDirectory: String
        /// The user to run as; nil for the current one.
        package var user: String?
        /// The group; nil for the user's own, or the current one.
        package var group: String?
        /// The timeout.
        package var timeout: Duration
    }

    /// The planned action.
    package var action: Action
    /// The `REACH_*` variables.
    package var variables: [String: String]
    /// The standard input of the program, or the body of the request.
    package var input: [UInt8]
}
