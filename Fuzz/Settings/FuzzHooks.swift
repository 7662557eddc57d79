internal import AgentEvents
internal import FuzzKit

@testable import Hooks

/// The parsers of hooks: the first bytes and the names of programs, events that come from a file, webhook bodies, and the
/// dates in a webhook's responses.
enum FuzzHooks {
    static func run(_ input: [UInt8]) {
        checkInterpreter(input)
        checkName(input)
        checkEvent(input)
        let text = String(decoding: input, as: UTF8.self)
        _ = try? WebhookBody(parsing: text)
        // The years 0 to 9999.
        let dates = -62_167_219_200...253_402_300_800
        if let date = HTTPDate.seconds(text, now: 1_795_000_000) { require(dates.contains(date), "the date \(date)") }
    }

    private static func checkEvent(_ line: [UInt8]) {
        guard let event = HookEvent(line: line) else { return }
        _ = HookTrigger(types: Set(HookTrigger.types)).matches(event)
        _ = HookOccasion.occasions(of: event)
        let variables = HookEnvironment.variables(hook: "x", path: "/x", event: event, superseded: 1, isAtStart: true)
        for (name, value) in variables {
            require(name.hasPrefix("REACH_"), "a variable has another name")
            require(value.utf8.count <= HookEnvironment.maximumValueBytes, "a value is too long")
            let isPlain = !value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            require(isPlain, "a value has control characters")
        }
    }

    private static func checkInterpreter(_ input: [UInt8]) {
        let result = interpreter(input)
        let buffer = Array(input.prefix(Interpreter.maximumBytes))
        if input.count > Interpreter.maximumBytes {
            require(result == interpreter(buffer), "what the kernel does not read makes a difference")
        } else if !input.isEmpty {
            let padded = input + [UInt8](repeating: 0, count: Interpreter.maximumBytes - input.count)
            require(result == interpreter(padded), "the zeros after a short file make a difference")
        }
        switch result {
        case .success(nil):
            require(input.first == 0x7F, "a program is none")
        case .success(let interpreter?):
            let isAbsolute = interpreter.path.utf8.first == UInt8(ascii: "/")
            require(isAbsolute, "the interpreter depends on the working directory")
            for word in [interpreter.path, interpreter.argument ?? "-"] {
                require(!word.isEmpty && word.utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\n") }, "a word is none")
            }
            require(!interpreter.path.utf8.contains { $0 == UInt8(ascii: " ") || $0 == 9 }, "the name has blanks")
            // Blanks before a zero belong to the argument; before the line's end they do not.
            let isPadded = interpreter.argument?.utf8.last.map { $0 == UInt8(ascii: " ") || $0 == 9 } ?? false
            let line = "#!\(interpreter.path) \(interpreter.argument ?? "")\n"
            require(
                isPadded || line.utf8.count > Interpreter.maximumBytes || self.interpreter(Array(line.utf8)) == result,
                "what was read is not read again"
            )
        case .failure(let mistake):
            require(!mistake.description.isEmpty, "a mistake is not named")
        }
    }

    private static func interpreter(_ bytes: [UInt8]) -> Result<Interpreter?, Interpreter.Mistake> {
        do throws(Interpreter.Mistake) {
            return .success(try Interpreter.reading(bytes))
        } catch {
            return .failure(error)
        }
    }

    private static func checkName(_ name: [UInt8]) {
        _ = HookFileName.isLeftOver(name)
        let text = HookFileName.text(name)
        require(text.map { Array($0.utf8) == name } ?? true, "a name is changed")
        let readable = HookFileName.readable(name)
        require(!readable.unicodeScalars.contains(where: ShellWord.isControl), "a name spoils the terminal")
        let quoted = ShellWord.quoted(String(decoding: name, as: UTF8.self))
        require(!quoted.isEmpty, "a word is lost")
        require(!quoted.unicodeScalars.contains(where: ShellWord.isControl), "a remedy spoils the terminal")
    }
}
