/// A file that was checked.
package final class HookFile: Sendable {
    let descriptor: Int32
    let path: String
    let isScript: Bool
    let interpreter: String?

    init(descriptor: Int32, path: String, isScript: Bool, interpreter: String?) {
        self.descriptor = descriptor
        self.path = path
        self.isScript = isScript
        self.interpreter = interpreter
    }

    package static func open(_ path: String, runAs: HookAccount?) throws(HookRefusal) -> HookFile {
        throw HookRefusal(.missing, path: path, evidence: "", remedy: "")
    }
}
