/// What a run of a hook for an event comes to, without running it.
package struct HookPlan: Sendable, Hashable {
    /// What is done.
    package enum Action: Sendable, Hashable {
        /// A program is run.
        case program(Program)
        /// A request is sent.
        case request(method: String, url: String)
        /// Nothing, because the program is not to be trusted or cannot be run.
        case refused(HookRefusal)
    }

    /// A program, after everything about it was checked.
    package struct Program: Sendable, Hashable {
        /// The file, without any link in its path.
        package var path: String
        /// The arguments, the program's name first.
        package var arguments: [String]
        /// The whole environment.
        package var environment: [String: String]
        /// The folder that it runs in.
        package var workingDirectory: String
        /// The user that it runs as; nil for the one that asks.
        package var user: String?
        /// The group; nil for the user's own, or that of the one that asks.
        package var group: String?
        /// The time that it has.
        package var timeout: Duration
    }

    /// What is done.
    package var action: Action
    /// The `REACH_*` variables.
    package var variables: [String: String]
    /// What a program reads from its standard input, or what a request's body is.
    package var input: [UInt8]
}
