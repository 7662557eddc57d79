internal import Hooks
internal import Probes

/// A program to run.
extension HookReader {
    private static let mostVariables = 128

    /// The command; nil when it is missing or wrong.
    mutating func readCommand() -> HookCommand? {
        let arguments = table.read("command", .command)
        let standard = HookCommand(arguments: [])
        let variables = Form<String>.string(0...4096).table(atMost: Self.mostVariables, flaw: Self.flaw(ofVariable:))
        let user = table.read("user", .account("user"))
        let group = table.read("group", .account("group"))
        let environment = table.read("environment", variables, default: [:])
        let folder = table.read("working_directory", .absolutePath, default: standard.workingDirectory)
        if table.notes.looksUpAccounts {
            if let user, Account.isUnknown(user: user) { table.warn("user", "there is no user '\(user)' here") }
            if let group, Account.isUnknown(group: group) { table.warn("group", "there is no group '\(group)' here") }
        }
        guard let arguments else { return nil }
        return HookCommand(
            arguments: arguments,
            user: user,
            group: group,
            environment: environment,
            workingDirectory: folder
        )
    }

    /// What is wrong with the name of a variable; nil when nothing is.
    private static func flaw(ofVariable name: String) -> String? {
        let isName =
            (1...256).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                SettingsReader.isNameByte(byte) && byte != UInt8(ascii: "-") && byte != UInt8(ascii: ".")
            } && name.utf8.first.map { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } == true
        guard isName else { return "a variable's name has letters, digits and '_', and begins with no digit" }
        if name.hasPrefix("REACH_") { return "variables that begin with REACH_ tell the hook of the event" }
        if SecretName.isSecret(name) { return "is a secret: write it to a file that the program reads" }
        return nil
    }
}
