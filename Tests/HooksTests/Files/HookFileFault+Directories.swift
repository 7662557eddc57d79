@testable import Hooks

/// Faults of the directories that lead to the file, and of links in them.
extension HookFileFault {
    static let directories = [
        HookFileFault(
            testDescription: "in a directory that its group can write to",
            code: .directory,
            culprit: "in",
            evidence: "has mode 0775: its group can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("in", mode: 0o775)
            try $0.file("in/file")
            try $0.link("hook", to: "in/file")
        },
        HookFileFault(
            testDescription: "below a directory that everybody can write to",
            code: .directory,
            culprit: "above",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("above", mode: 0o777)
            try $0.directory("above/in")
            try $0.file("above/in/file")
            try $0.link("hook", to: $0("above/in/file"))
        },
        HookFileFault(
            testDescription: "reached by a link in a directory that everybody can write to",
            code: .directory,
            culprit: "open",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.file("file")
            try $0.directory("open", mode: 0o777)
            try $0.link("open/link", to: "../file")
            try $0.link("hook", to: "open/link")
        },
        HookFileFault(
            testDescription: "in a directory that everybody can write to, with a combining mark after the slash",
            code: .directory,
            culprit: "in",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("in", mode: 0o777)
            try $0.file("in/\u{301}file")
            try $0.link("hook", to: "in/\u{301}file")
        },
        HookFileFault(
            testDescription: "reached through the parent of a directory whose name begins with a combining mark",
            code: .directory,
            culprit: "open",
            evidence: "has mode 0777: all users can write to it",
            remedy: "chmod go-w PATH"
        ) {
            try $0.directory("open", mode: 0o777)
            try $0.directory("open/\u{301}in")
            try $0.file("open/file")
            try $0.link("hook", to: "open/\u{301}in/../file")
        },
        HookFileFault(
            testDescription: "in somebody else's directory",
            code: .directory,
            culprit: "in",
            evidence: "belongs to UID 12345, not to root",
            remedy: foreignDirectory,
            takesRoot: true,
            mend: { try $0.give("in", to: 0) }
        ) {
            try $0.directory("in")
            try $0.file("in/file")
            try $0.give("in")
            try $0.link("hook", to: "in/file")
        },
        HookFileFault(
            testDescription: "in somebody else's sticky directory",
            code: .directory,
            culprit: "in",
            evidence: "belongs to UID 12345, not to root",
            remedy: foreignDirectory,
            takesRoot: true,
            mend: { try $0.give("in", to: 0) }
        ) {
            try $0.directory("in", mode: 0o1777)
            try $0.file("in/file")
            try $0.give("in")
            try $0.link("hook", to: "in/file")
        },
        HookFileFault(
            testDescription: "somebody else's link",
            code: .owner,
            evidence: "belongs to UID 12345, not to root",
            remedy: "chown -h root:root PATH",
            takesRoot: true
        ) {
            try $0.file("file")
            try $0.link("hook", to: "file")
            try $0.give("hook")
        },
    ]
}
