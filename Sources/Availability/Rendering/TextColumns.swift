extension Report {
    /// The first words of every format for people.
    var title: String {
        main.subject.kind == .path
            ? "Availability of the default path"
            : "Availability of \(main.subject.kind.rawValue) \(name(main.subject, 60))"
    }

    /// The columns of a text report.
    static let columns = 80

    /// A subject's name, cut to a width.
    func name(_ subject: Subject, _ width: Int) -> String {
        let title = subject.kind == .path ? "default path" : Figures.shown(subject.title)
        return title.count <= width ? title : String(title.prefix(width - 1)) + "~"
    }

    static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    static func padLeft(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Lines of at most ``columns`` characters, the second and later ones indented; a long word is cut.
    static func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = String(text.prefix { $0 == " " })
        for word in text.split(separator: " ") {
            var word = word[...]
            let isEmpty = line.allSatisfy { $0 == " " }
            if !isEmpty, line.count + 1 + word.count > columns {
                lines.append(line)
                line = margin + word
            } else {
                line += (isEmpty ? "" : " ") + word
            }
            while line.count > columns {
                word = line.suffix(line.count - columns)
                lines.append(String(line.prefix(columns)))
                line = margin + word
            }
        }
        return lines + [line]
    }
}

extension String {
    var trimmingTrailingSpaces: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
